package io.millrace.datasets.mmdb;

import com.maxmind.db.DatabaseRecord;
import com.maxmind.db.InvalidDatabaseException;
import com.maxmind.db.InvalidNetworkException;
import com.maxmind.db.Network;
import com.maxmind.db.Networks;
import com.maxmind.db.Reader;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.Field;
import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reader of MaxMind DB files. A field is named by its path in a record: {@code country_iso_code} is
 * {@code iso_code} in {@code country}, {@code subdivisions_0_iso_code} is that of the first of
 * {@code subdivisions}.
 */
public final class MmdbFile {
  private static final int V4_BITS = 96;

  private MmdbFile() {}

  /** Visitor of networks. */
  @FunctionalInterface
  public interface NetworkVisitor {
    /**
     * Called for each network, in address order.
     *
     * @param values one for each field: a {@link Number}, a {@link String}, or null
     */
    void network(long startHigh, long startLow, long endHigh, long endLow, Object[] values);
  }

  /** Whether the name of a file ends in {@code .mmdb}. */
  public static boolean isNamedSo(Path file) {
    return file.toString().endsWith(".mmdb");
  }

  /**
   * Reads all networks.
   *
   * @throws DatasetException if the file is of another format or corrupt
   * @throws IOException if it cannot be read
   */
  public static void read(Path file, List<Field> fields, NetworkVisitor to) throws IOException {
    try (Reader reader = new Reader(file.toFile(), Reader.FileMode.MEMORY)) {
      Networks<?> networks = reader.networks(Map.class);
      Object[] values = new Object[fields.size()];
      while (networks.hasNext()) {
        DatabaseRecord<?> record = networks.next();
        for (int i = 0; i < values.length; i++) {
          values[i] = value(record.data(), fields.get(i).name());
        }
        network(record.network(), values, to);
      }
    } catch (InvalidDatabaseException | InvalidNetworkException | RuntimeException e) {
      throw new DatasetException(file, "invalid MMDB file: " + e.getMessage());
    }
  }

  private static void network(Network network, Object[] values, NetworkVisitor to) {
    byte[] address = network.networkAddress().getAddress();
    int bits = network.prefixLength() + (address.length == 4 ? V4_BITS : 0);
    long high = address.length == 4 ? 0 : number(address, 0);
    long low =
        address.length == 4
            ? Addresses.v4Low((int) (number(address, 0) >>> Integer.SIZE))
            : number(address, Long.BYTES);
    if (address.length > 4 && high == 0 && low >>> Integer.SIZE == 0 && bits >= V4_BITS) {
      low = Addresses.v4Low((int) low); // the format stores IPv4 below ::/96
    }
    long highMask = bits >= Long.SIZE ? 0 : -1L >>> bits;
    long lowMask = bits >= 128 ? 0 : bits <= Long.SIZE ? -1L : -1L >>> (bits - Long.SIZE);
    to.network(high, low, high | highMask, low | lowMask, values);
  }

  private static long number(byte[] bytes, int at) {
    long number = 0;
    for (int i = at; i < at + Long.BYTES; i++) {
      number = number << Byte.SIZE | (i < bytes.length ? bytes[i] & 0xFF : 0);
    }
    return number;
  }

  /** Scalar at a path; null if missing or neither text nor number. */
  private static Object value(Object in, String path) {
    if (in instanceof Map<?, ?> map) {
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        Object found = descend(entry.getValue(), path, String.valueOf(entry.getKey()));
        if (found != null) {
          return found;
        }
      }
    } else if (in instanceof List<?> list) {
      for (int i = 0; i < list.size(); i++) {
        Object found = descend(list.get(i), path, Integer.toString(i));
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  private static Object descend(Object value, String path, String key) {
    String name = key.toLowerCase(Locale.ROOT).replace('-', '_');
    if (path.equals(name)) {
      return value instanceof Number || value instanceof String ? value : null;
    }
    return path.startsWith(name + "_") ? value(value, path.substring(name.length() + 1)) : null;
  }
}

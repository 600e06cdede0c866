package io.millrace.server.collect;

import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * Drop counters of UDP sockets, from the column {@code drops} of Linux' {@code /proc/net/udp} and
 * {@code udp6} (32 bits, since the socket was opened).
 *
 * <pre>
 *   sl  local_address rem_address   st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode ref pointer drops
 *   67: 0100007F:18C7 00000000:0000 07 00000000:00000000 00:00000000 00000000 0   0       22446 2   …       12
 * </pre>
 *
 * An address is printed as 32-bit words in the machine's byte order.
 */
final class KernelDrops {
  private static final int LOCAL_ADDRESS = 1;
  private static final int DROPS = 12;

  private final List<Path> tables;

  KernelDrops() {
    this(List.of(Path.of("/proc/net/udp"), Path.of("/proc/net/udp6")));
  }

  KernelDrops(List<Path> tables) {
    this.tables = tables;
  }

  /** Drops of the sockets bound to an address; empty if the system has no such counters. */
  OptionalLong read(InetSocketAddress local) {
    boolean found = false;
    long drops = 0;
    for (Path table : tables) {
      if (!Files.isReadable(table)) {
        continue;
      }
      try {
        for (String line : Files.readAllLines(table, StandardCharsets.US_ASCII)) {
          String[] columns = line.strip().split("\\s+", -1);
          if (columns.length > DROPS && isLocal(columns[LOCAL_ADDRESS], local)) {
            found = true;
            drops += Long.parseLong(columns[DROPS]);
          }
        }
      } catch (IOException | NumberFormatException e) {
        return OptionalLong.empty(); // unknown format
      }
    }
    return found ? OptionalLong.of(drops) : OptionalLong.empty();
  }

  private static boolean isLocal(String column, InetSocketAddress local) {
    int colon = column.indexOf(':');
    if (colon < 0 || !column.substring(colon + 1).equals(String.format("%04X", local.getPort()))) {
      return false;
    }
    String address = column.substring(0, colon).toUpperCase(Locale.ROOT);
    InetAddress wanted = local.getAddress();
    if (wanted.isAnyLocalAddress()) {
      return address.chars().allMatch(c -> c == '0');
    }
    byte[] bytes = wanted.getAddress();
    if (wanted instanceof Inet4Address) {
      return address.equals(words(bytes)) || address.equals(words(mapped(bytes)));
    }
    return address.equals(words(bytes));
  }

  private static byte[] mapped(byte[] v4) {
    return ByteBuffer.allocate(16)
        .putLong(0)
        .putLong(Addresses.v4Low(ByteBuffer.wrap(v4).getInt()))
        .array();
  }

  private static String words(byte[] address) {
    ByteBuffer words = ByteBuffer.wrap(address).order(ByteOrder.nativeOrder());
    StringBuilder text = new StringBuilder(2 * address.length);
    while (words.hasRemaining()) {
      text.append(String.format("%08X", words.getInt()));
    }
    return text.toString();
  }
}

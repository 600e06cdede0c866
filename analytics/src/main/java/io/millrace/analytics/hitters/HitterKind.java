package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What flows are counted by: some of their columns, of which those of addresses may be cut to a
 * prefix.
 *
 * @param name as it is configured, and found in the results
 * @param parts of the key, in their order
 */
public record HitterKind(String name, List<Part> parts) implements Serializable {
  /** Names for the usual ones, and what they stand for. */
  public static final Map<String, String> NAMED =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("source", "src_addr"),
              Map.entry("destination", "dst_addr"),
              Map.entry("pair", "src_addr+dst_addr"),
              Map.entry("5-tuple", "src_addr+dst_addr+proto+src_port+dst_port"),
              Map.entry("source-prefix", "src_addr/24"),
              Map.entry("destination-prefix", "dst_addr/24"),
              Map.entry("source-as", "src_as"),
              Map.entry("destination-as", "dst_as"),
              Map.entry("as-pair", "src_as+dst_as"),
              Map.entry("source-domain", "src_domain"),
              Map.entry("destination-domain", "dst_domain"),
              Map.entry("port", "proto+dst_port"),
              Map.entry("protocol", "proto"),
              Map.entry("interface", "exporter+in_if")));

  private static final Pattern PART = Pattern.compile("([a-z][a-z0-9_]{0,62})(?:/([0-9]{1,2}))?");
  private static final int V4_BITS = 32;

  /**
   * A part of a key.
   *
   * @param column of flows, by its name in SQL; of the wire, or of a data set
   * @param prefix bits of an IPv4 address that count, and half of those of an IPv6 address that do,
   *     1 to 31; 32 for whole addresses, IPv6 too, and for what is no address
   */
  public record Part(String column, int prefix) implements Serializable {
    /** The column of the wire, if it is one. */
    Optional<FlowColumn> wire() {
      return FlowColumn.ALL.stream().filter(c -> c.columnName().equals(column)).findFirst();
    }

    boolean isAddress() {
      return wire().filter(c -> c.type() == FlowColumn.Type.ADDRESS).isPresent();
    }

    /** Bytes in a key: 16 for an address, 4 for a number of at most 32 bits, 8 for all others. */
    int bytes() {
      return isAddress() ? 16 : wire().filter(c -> c.type().isInt()).isPresent() ? 4 : 8;
    }

    boolean isPrefix() {
      return prefix < V4_BITS;
    }
  }

  /** Copies the parts and checks them. */
  public HitterKind {
    parts = List.copyOf(parts);
    for (Part part : parts) {
      if (part.prefix() < 1 || part.prefix() > V4_BITS || (part.isPrefix() && !part.isAddress())) {
        throw new IllegalArgumentException(
            name + ": " + part.column() + "/" + part.prefix() + ": an address and 1 to 32 bits");
      }
    }
    if (bytes(parts) > KeyBlock.MAX_BYTES) {
      throw new IllegalArgumentException(
          name
              + ": a key of "
              + bytes(parts)
              + " bytes, at most "
              + KeyBlock.MAX_BYTES
              + ": 16 for an address, 4 for a number");
    }
  }

  /**
   * A kind as it is written: one of {@link #NAMED}, or columns with {@code +} between: {@code
   * exporter+dst_addr/16}.
   *
   * @throws IllegalArgumentException if it is neither
   */
  public static HitterKind parse(String text) {
    return new HitterKind(
        text,
        Arrays.stream(NAMED.getOrDefault(text, text).split("\\+", -1))
            .map(part -> part(text, part))
            .toList());
  }

  private static Part part(String kind, String text) {
    Matcher matcher = PART.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "keys: '"
              + kind
              + "' is none of "
              + String.join(", ", NAMED.keySet())
              + ", and no columns of flows with + between, as exporter+dst_addr/16");
    }
    String bits = matcher.group(2);
    return new Part(matcher.group(1), bits == null ? V4_BITS : Integer.parseInt(bits));
  }

  /** Names of its columns that are not of the wire: a data set has them, or nobody. */
  public List<String> joinedColumns() {
    return parts.stream().filter(part -> part.wire().isEmpty()).map(Part::column).toList();
  }

  /**
   * Fills the keys of flows, as words whose highest byte is the first.
   *
   * @param words of each word a column with an entry for each row, all of them 0
   */
  public void write(FlowBlock flows, long[][] words) {
    HitterKeys.write(flows, this, words);
  }

  /**
   * A key as a text, its parts with blanks between.
   *
   * @param texts of columns that have them
   */
  public String text(Key key, ColumnTexts texts) {
    return HitterRows.text(this, key, texts);
  }

  /** Whether its key is an address, whole or cut, and nothing else. */
  boolean isPrefix() {
    return parts.size() == 1 && parts.get(0).isAddress();
  }

  /** The bits of such a key that count, of IPv4 addresses or of those of IPv6. */
  Key mask(boolean isV4) {
    int prefix = parts.get(0).prefix();
    int all = Byte.SIZE * bytes();
    return Key.mask(
        bytes(), 0, isV4 ? all - V4_BITS + prefix : prefix == V4_BITS ? all : 2 * prefix);
  }

  /** Width of its keys in bytes. */
  public int bytes() {
    return bytes(parts);
  }

  /** Width of its keys in {@code long}s. */
  public int words() {
    return (bytes() + Long.BYTES - 1) / Long.BYTES;
  }

  private static int bytes(List<Part> parts) {
    return parts.stream().mapToInt(Part::bytes).sum();
  }
}

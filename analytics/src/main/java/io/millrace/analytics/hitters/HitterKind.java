package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A key by which flows are counted: columns and conditions on columns. An address column may be cut
 * to a prefix.
 *
 * @param name as configured and in the results
 * @param parts of the key, in order
 */
public record HitterKind(String name, List<Part> parts) implements Serializable {
  /** Names of common kinds, and their columns. */
  public static final Map<String, String> NAMED =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("source", "src_addr"),
              Map.entry("destination", "dst_addr"),
              Map.entry("pair", "src_addr+dst_addr"),
              Map.entry("5-tuple", "src_addr+dst_addr+proto+src_port+dst_port"),
              Map.entry("source-prefix", "src_addr/24"),
              Map.entry("destination-prefix", "dst_addr/24"),
              Map.entry("source-networks", "src_addr/*"),
              Map.entry("destination-networks", "dst_addr/*"),
              Map.entry("source-as", "src_as"),
              Map.entry("destination-as", "dst_as"),
              Map.entry("as-pair", "src_as+dst_as"),
              Map.entry("source-domain", "src_domain"),
              Map.entry("destination-domain", "dst_domain"),
              Map.entry("port", "proto+dst_port"),
              Map.entry("protocol", "proto"),
              Map.entry("interface", "exporter+in_if")));

  private static final Pattern PART =
      Pattern.compile("([a-z][a-z0-9_]{0,62})(?:/([0-9]{1,2}|\\*))?");
  private static final int V4_BITS = 32;
  private static final int V6_BITS = 128;

  /**
   * A part of a key.
   *
   * @param column SQL name of a flow's or a data set's column; or a condition in parentheses
   * @param prefix bits of an IPv4 address, 1 to 31, and half of those of an IPv6 address; 32 for
   *     the whole value of any type; or {@link #LENGTHS} or {@link #MAX}
   */
  public record Part(String column, int prefix) implements Serializable {
    static final int LENGTHS = 0;

    /** The longest prefix of {@link Networks}, from which shorter ones are derived. */
    static final int MAX = -1;

    Optional<FlowColumn> wire() {
      return FlowColumn.ALL.stream().filter(c -> c.columnName().equals(column)).findFirst();
    }

    boolean isAddress() {
      return wire().filter(c -> c.type() == FlowColumn.Type.ADDRESS).isPresent();
    }

    boolean isCondition() {
      return column.startsWith("(");
    }

    /**
     * Bytes in a key: 16 for an address, 4 for a prefix length after it; 4 for a number of at most
     * 32 bits, else 8.
     */
    int bytes() {
      if (isAddress()) {
        return prefix == LENGTHS ? Networks.KEY_BYTES : 16;
      }
      return wire().filter(c -> c.type().isInt()).isPresent() ? 4 : 8;
    }

    boolean isPrefix() {
      return prefix < V4_BITS;
    }

    int bits(boolean isV4) {
      if (prefix <= LENGTHS) {
        return Networks.longest(isV4);
      }
      return isV4 ? prefix : prefix == V4_BITS ? V6_BITS : 2 * prefix;
    }
  }

  public HitterKind {
    parts = List.copyOf(parts);
    for (Part part : parts) {
      if (part.prefix() > V4_BITS || (part.isPrefix() && !part.isAddress())) {
        throw new IllegalArgumentException(
            name
                + ": "
                + part.column()
                + "/"
                + part.prefix()
                + ", expected an address and 1 to 32 bits");
      }
      if (part.prefix() == Part.LENGTHS && parts.size() > 1) {
        throw new IllegalArgumentException(
            name + ": " + part.column() + "/* cannot be combined with other columns");
      }
    }
    if (bytes(parts) > KeyBlock.MAX_BYTES) {
      throw new IllegalArgumentException(
          name
              + ": key of "
              + bytes(parts)
              + " bytes, at most "
              + KeyBlock.MAX_BYTES
              + ": 16 for an address, 4 for a number");
    }
  }

  /**
   * Parses a kind: one of {@link #NAMED}, or columns and expressions joined by {@code +}: {@code
   * exporter+dst_addr/16}, {@code src_addr+(dst_port IN (80, 443))}.
   *
   * @throws IllegalArgumentException if it is malformed
   */
  public static HitterKind parse(String text) {
    return new HitterKind(
        text,
        split(NAMED.getOrDefault(text, text), '+').stream().map(part -> part(text, part)).toList());
  }

  /** Splits a text at a character that is not within parentheses or quotes. */
  public static List<String> split(String text, char between) {
    List<String> pieces = new ArrayList<>();
    int depth = 0;
    char quote = 0;
    int from = 0;
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == between && depth == 0) {
        pieces.add(text.substring(from, at));
        from = at + 1;
      } else {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      }
    }
    pieces.add(text.substring(from));
    return pieces;
  }

  private static Part part(String kind, String text) {
    if (text.startsWith("(")) {
      return new Part(text, V4_BITS); // the evaluator reports the position of an error
    }
    Matcher matcher = PART.matcher(text);
    if (!matcher.matches() || "0".equals(matcher.group(2)) || "00".equals(matcher.group(2))) {
      throw new IllegalArgumentException(
          "keys: '"
              + kind
              + "' is unknown, expected one of "
              + String.join(", ", NAMED.keySet())
              + ", or columns of flows joined by + such as exporter+dst_addr/16, or conditions"
              + " such as src_addr+(dst_port IN (80, 443))");
    }
    String bits = matcher.group(2);
    return new Part(
        matcher.group(1),
        bits == null ? V4_BITS : bits.equals("*") ? Part.LENGTHS : Integer.parseInt(bits));
  }

  /** Parts that are not flow columns: columns of data sets, and conditions. */
  public List<String> computed() {
    return parts.stream().filter(part -> part.wire().isEmpty()).map(Part::column).toList();
  }

  /**
   * Writes the keys of flows as words; the first byte is the most significant.
   *
   * @param expressions evaluates the conditions
   * @param words entry by word and row, filled with 0
   */
  public void write(FlowBlock flows, KeyExpressions expressions, long[][] words) {
    KeyColumns.write(flows, this, expressions, words);
  }

  /**
   * A key as text, its parts separated by blanks.
   *
   * @param texts of columns whose values are ids
   */
  public String text(Key key, ColumnTexts texts) {
    return HitterRows.text(this, key, texts);
  }

  boolean isPrefix() {
    return parts.size() == 1 && parts.get(0).isAddress() && !isNetworks();
  }

  /** Whether its keys are prefixes of an address of all lengths. */
  public boolean isNetworks() {
    return parts.get(0).prefix() == Part.LENGTHS;
  }

  HitterKind counted() {
    return isNetworks()
        ? new HitterKind(name, List.of(new Part(parts.get(0).column(), Part.MAX)))
        : this;
  }

  static HitterKind all(String name, List<HitterKind> kinds) {
    List<Part> parts = new ArrayList<>();
    for (HitterKind kind : kinds) {
      for (Part part : kind.counted().parts()) {
        int at = 0;
        while (at < parts.size() && !parts.get(at).column().equals(part.column())) {
          at++;
        }
        if (at == parts.size()) {
          parts.add(part);
        } else if (part.bits(false) > parts.get(at).bits(false)) {
          parts.set(at, part);
        }
      }
    }
    return new HitterKind(name, parts);
  }

  Key mask(boolean isV4) {
    return mask(isV4, parts.get(0).bits(isV4));
  }

  static Key mask(boolean isV4, int bits) {
    return Key.mask(V6_BITS / Byte.SIZE, 0, isV4 ? V6_BITS - V4_BITS + bits : bits);
  }

  /** Upper half of an address cut to a prefix; unchanged for IPv4. */
  static long cutHigh(boolean isV4, long high, int bits) {
    return isV4 || bits >= Long.SIZE ? high : high & (-1L << (Long.SIZE - bits));
  }

  static long cutLow(boolean isV4, long low, int bits) {
    if (isV4) {
      return bits == V4_BITS ? low : low & (-1L << (V4_BITS - bits));
    }
    return bits == V6_BITS ? low : bits <= Long.SIZE ? 0 : low & (-1L << (V6_BITS - bits));
  }

  static boolean isV4(Key address) {
    return Addresses.isV4(address.word(0), address.word(1));
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

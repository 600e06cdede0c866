package io.millrace.analytics.app;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Pattern of the first payload of a protocol: a conjunction of terms.
 *
 * <pre>
 *   4:fe534d42            bytes from offset 4 on, in hexadecimal; a pair of dots is any byte
 *   0"GET\s"              text from offset 0 on; \s is a blank, \q a quotation mark
 *   has"\r\n$"            the same anywhere in the first 1,024 bytes
 *   has:03020105          the same for bytes
 *   u16@2=len-4           a number in the packet: u8, u16, u24, u32, le16, le32, at an offset, u8
 *                         also from the end (u8@-1), compared by = != &lt; &gt; &lt;= &gt;=
 *   u8@0&amp;0xf0=0x40        the same with some bits only
 *   len&gt;=12               the payload's length
 *   port=502,503          one of the two ports
 *   to=69                 the port that it is sent to
 *   text                  the first 24 bytes are printable
 *   times=2               holds for that many packets of the flow
 * </pre>
 */
final class Signature {
  private static final Pattern NUMBER =
      Pattern.compile("(u8|u16|u24|u32|le16|le32)@(-?\\d+)(?:&(\\w+))?(!=|<=|>=|=|<|>)([\\w+-]+)");
  private static final Pattern LENGTH = Pattern.compile("len(%\\d+)?(!=|<=|>=|=|<|>)(\\w+)");
  private static final Pattern BYTES = Pattern.compile("(\\d+|has):((?:[0-9a-f]{2}|\\.\\.)+)");
  private static final Pattern TEXT = Pattern.compile("(\\d+|has)\"([^\"]+)\"");
  private static final Pattern PORTS = Pattern.compile("(port|to)=(\\d+(?:,\\d+)*)");
  private static final int SEARCHED = 1024;

  /** With random bytes, 10,000 flows per hour give less than one false match a month. */
  private static final int MIN_BITS = 24;

  private static final int MIN_BITS_ON_PORT = 16;
  private static final int BYTE = 8;

  private static final int SEARCHED_BITS = 10;

  private static final int LENGTH_BITS = 8;
  private static final int TEXT_BITS = 24;
  private static final int PRINTABLE = 24;

  private interface Term {
    boolean holds(Payload payload);
  }

  private static final int[] ANY_PORT = {};

  final String app;
  final boolean overTcp;
  final boolean overUdp;
  final int times;

  final int[] ports;

  final int place;

  /** Required value of the first byte; −1 for several. */
  private final int firstByte;

  private final Term[] terms;

  private Signature(
      String app,
      int place,
      boolean overTcp,
      boolean overUdp,
      int times,
      int[] ports,
      int firstByte,
      List<Term> terms) {
    this.app = app;
    this.place = place;
    this.overTcp = overTcp;
    this.overUdp = overUdp;
    this.times = times;
    this.ports = ports;
    this.firstByte = firstByte;
    this.terms = terms.toArray(Term[]::new);
  }

  /** Parses a line with application, transport ({@code tcp}, {@code udp}, {@code any}), terms. */
  static Signature parse(String line, int place) {
    String[] words = line.strip().split("\\s+", -1);
    if (words.length < 3) {
      throw new IllegalArgumentException(
          "expected an application, a transport, and terms: " + line);
    }
    boolean overTcp = words[1].equals("tcp");
    boolean overUdp = words[1].equals("udp");
    if (!overTcp && !overUdp && !words[1].equals("any")) {
      throw new IllegalArgumentException("'" + words[1] + "': expected tcp, udp or any: " + line);
    }
    List<Term> terms = new ArrayList<>();
    int times = 1;
    int firstByte = -1;
    int[] ports = ANY_PORT;
    double bits = 0;
    Map<String, long[]> ranges = new HashMap<>();
    for (String word : Arrays.copyOfRange(words, 2, words.length)) {
      if (word.startsWith("times=")) {
        times = Integer.parseInt(word.substring("times=".length()));
        continue;
      }
      if (firstByte < 0) {
        firstByte = firstByte(word);
      }
      Matcher onPorts = PORTS.matcher(word);
      if (onPorts.matches()) {
        ports = numbers(onPorts.group(2));
      }
      terms.add(term(word));
      bits += evidence(word, ranges);
    }
    long min = ports.length == 0 ? MIN_BITS : MIN_BITS_ON_PORT;
    bits = overUdp ? bits * times : bits; // the first bytes of a stream do not change
    if (Math.round(bits) < min) {
      throw new IllegalArgumentException(
          "%.0f bits of evidence, expected at least %d: %s".formatted(bits, min, line));
    }
    return new Signature(words[0], place, !overUdp, !overTcp, times, ports, firstByte, terms);
  }

  /** Bits of evidence of a term in random bytes: 8 for one fixed byte. */
  private static double evidence(String word, Map<String, long[]> ranges) {
    Matcher bytes = BYTES.matcher(word);
    if (bytes.matches()) {
      double decided = BYTE * (bytes.group(2).replace("..", "").length() / 2.0);
      return bytes.group(1).equals("has") ? decided - SEARCHED_BITS : decided;
    }
    Matcher text = TEXT.matcher(word);
    if (text.matches()) {
      double decided = BYTE * unescaped(text.group(2)).length();
      return text.group(1).equals("has") ? decided - SEARCHED_BITS : decided;
    }
    Matcher number = NUMBER.matcher(word);
    if (number.matches()) {
      return evidence(number, ranges);
    }
    Matcher length = LENGTH.matcher(word);
    if (length.matches() && length.group(2).equals("=")) {
      return length.group(1) == null
          ? LENGTH_BITS
          : log2(Integer.parseInt(length.group(1).substring(1)));
    }
    return word.equals("text") ? TEXT_BITS : 0;
  }

  private static double evidence(Matcher number, Map<String, long[]> ranges) {
    int width = Integer.parseInt(number.group(1).replaceAll("\\D", ""));
    String operator = number.group(4);
    if (number.group(5).startsWith("len")) {
      return operator.equals("=") ? width : 0;
    }
    long mask = number.group(3) == null ? (1L << width) - 1 : Long.decode(number.group(3));
    long wanted = Long.decode(number.group(5)) / Long.lowestOneBit(mask);
    long values = 1L << Long.bitCount(mask);
    String field = number.group(1) + '@' + number.group(2) + '&' + mask;
    long[] range = ranges.computeIfAbsent(field, first -> new long[] {0, values - 1});
    double before = range[1] - range[0] + 1.0;
    switch (operator) {
      case "=" -> {
        range[0] = wanted;
        range[1] = wanted;
      }
      case "<", "<=" -> range[1] = Math.min(range[1], operator.equals("<") ? wanted - 1 : wanted);
      case ">", ">=" -> range[0] = Math.max(range[0], operator.equals(">") ? wanted + 1 : wanted);
      default -> {} // != gives hardly any evidence
    }
    return log2(before / (range[1] - range[0] + 1));
  }

  private static double log2(double value) {
    return Math.log(value) / Math.log(2);
  }

  private static int firstByte(String word) {
    Matcher bytes = BYTES.matcher(word);
    if (bytes.matches() && bytes.group(1).equals("0") && !bytes.group(2).startsWith("..")) {
      return Integer.parseInt(bytes.group(2).substring(0, 2), 16);
    }
    Matcher text = TEXT.matcher(word);
    return text.matches() && text.group(1).equals("0") ? unescaped(text.group(2)).charAt(0) : -1;
  }

  private static Term term(String word) {
    if (word.equals("text")) {
      return payload -> payload.isText(PRINTABLE);
    }
    Matcher onPorts = PORTS.matcher(word);
    if (onPorts.matches()) {
      int[] ports = numbers(onPorts.group(2));
      return onPorts.group(1).equals("to")
          ? payload -> contains(ports, payload.destinationPort, -1)
          : payload -> contains(ports, payload.sourcePort, payload.destinationPort);
    }
    Matcher text = TEXT.matcher(word);
    if (text.matches()) {
      String wanted = unescaped(text.group(2));
      if (text.group(1).equals("has")) {
        return payload -> payload.find(wanted, 0, SEARCHED) >= 0;
      }
      int offset = Integer.parseInt(text.group(1));
      return payload -> payload.has(offset, wanted);
    }
    Matcher bytes = BYTES.matcher(word);
    if (bytes.matches()) {
      return bytes(bytes.group(1), bytes.group(2));
    }
    Matcher length = LENGTH.matcher(word);
    if (length.matches()) {
      int divisor = length.group(1) == null ? 0 : Integer.parseInt(length.group(1).substring(1));
      String operator = length.group(2);
      long limit = Long.decode(length.group(3));
      return payload ->
          compare(divisor == 0 ? payload.length() : payload.length() % divisor, operator, limit);
    }
    Matcher number = NUMBER.matcher(word);
    if (number.matches()) {
      return number(number);
    }
    throw new IllegalArgumentException("'" + word + "' is not a term of a signature");
  }

  private static Term bytes(String where, String hex) {
    if (where.equals("has")) {
      StringBuilder wanted = new StringBuilder();
      for (byte b : HexFormat.of().parseHex(hex)) {
        wanted.append((char) (b & 0xFF));
      }
      String text = wanted.toString();
      return payload -> payload.find(text, 0, SEARCHED) >= 0;
    }
    int offset = Integer.parseInt(where);
    int[] wanted = new int[hex.length() / 2];
    for (int i = 0; i < wanted.length; i++) {
      String pair = hex.substring(2 * i, 2 * i + 2);
      wanted[i] = pair.equals("..") ? -1 : Integer.parseInt(pair, 16);
    }
    return payload -> {
      if (payload.length() < offset + wanted.length) {
        return false;
      }
      for (int i = 0; i < wanted.length; i++) {
        if (wanted[i] >= 0 && payload.u8(offset + i) != wanted[i]) {
          return false;
        }
      }
      return true;
    };
  }

  private static Term number(Matcher word) {
    String type = word.group(1);
    int offset = Integer.parseInt(word.group(2));
    long mask = word.group(3) == null ? -1 : Long.decode(word.group(3));
    String operator = word.group(4);
    String right = word.group(5);
    boolean isLength = right.startsWith("len");
    String constant = isLength ? right.substring("len".length()) : right;
    long added = constant.isEmpty() ? 0 : Long.decode(constant);
    return payload -> {
      int at = offset < 0 ? payload.length() + offset : offset;
      long value =
          switch (type) {
            case "u8" -> payload.u8(at);
            case "u16" -> payload.u16(at);
            case "u24" -> payload.u24(at);
            case "u32" -> payload.u32(at);
            case "le16" -> payload.le16(at);
            default -> payload.le32(at);
          };
      return value >= 0
          && compare(value & mask, operator, isLength ? payload.length() + added : added);
    };
  }

  private static boolean compare(long left, String operator, long right) {
    return switch (operator) {
      case "=" -> left == right;
      case "!=" -> left != right;
      case "<" -> left < right;
      case ">" -> left > right;
      case "<=" -> left <= right;
      default -> left >= right;
    };
  }

  private static int[] numbers(String list) {
    return Arrays.stream(list.split(",", -1)).mapToInt(Integer::parseInt).toArray();
  }

  private static boolean contains(int[] ports, int first, int second) {
    for (int port : ports) {
      if (port == first || port == second) {
        return true;
      }
    }
    return false;
  }

  private static String unescaped(String text) {
    return text.replace("\\s", " ")
        .replace("\\r", "\r")
        .replace("\\n", "\n")
        .replace("\\t", "\t")
        .replace("\\0", "\0")
        .replace("\\q", "\"");
  }

  boolean mayBegin(int first) {
    return firstByte < 0 || firstByte == first;
  }

  boolean matches(Payload payload) {
    for (Term term : terms) {
      if (!term.holds(payload)) {
        return false;
      }
    }
    return true;
  }
}

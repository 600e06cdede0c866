package io.millrace.wire.goflow2;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.record.JsonCursor;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Decoder of GoFlow2's flows in JSON ({@code -format=json}): an object with the fields of {@code
 * flowpb.FlowMessage} by name, some of them formatted as text.
 *
 * <pre>
 * {"type":"NETFLOW_V9","time_received_ns":1700000000000000000,"sampler_address":"192.0.2.1",
 *  "src_addr":"198.51.100.1","src_net":"198.51.100.0/24","etype":"IPv4","proto":"TCP",
 *  "src_mac":"00:00:5e:00:53:01","mpls_label":[1000,2000],…}
 * </pre>
 *
 * Fields are stored by number as for protobuf. Names are accepted in GoFlow2's current form and in
 * that of its first version ({@code TimeReceived}); unknown ones are skipped. GoFlow2's text for a
 * number without a name is null. Bytes are touched once, about 700 of them. Not thread-safe.
 */
final class FlowMessageJson {
  private enum Form {
    NUMBER,
    ADDRESS,
    /** A prefix or its length; only the length is used. */
    NETWORK,
    NAME,
    MAC,
    /** Nanoseconds, or a time as in RFC 3339. */
    NANOS,
    SECONDS,
    /** The first value of a list. */
    LABELS
  }

  private record Field(int number, Form form) {}

  /** Fields by name, in lower case and without underscores. */
  private static final Map<String, Field> FIELDS = new HashMap<>();

  private static final Map<String, Integer> NAMES =
      Map.of(
          "ipv4",
          0x0800,
          "ipv6",
          0x86DD,
          "arp",
          0x0806,
          "icmp",
          1,
          "tcp",
          6,
          "udp",
          17,
          "icmpv6",
          58,
          "ipv6-icmp",
          58,
          "sctp",
          132);

  private static final int LONGEST_NAME = 32;
  private static final Pattern DIGITS = Pattern.compile("[0-9]+");

  private static final long BEYOND = -1;

  private static final long NANOS_A_SECOND = 1_000_000_000L;

  static {
    put(FlowMessageLayout.TIME_RECEIVED_NANOS, Form.NANOS, "time_received_ns");
    put(FlowMessageLayout.FLOW_START_NANOS, Form.NANOS, "time_flow_start_ns");
    put(FlowMessageLayout.FLOW_END_NANOS, Form.NANOS, "time_flow_end_ns");
    put(FlowMessageLayout.TIME_RECEIVED_NANOS, Form.SECONDS, "time_received");
    put(FlowMessageLayout.FLOW_START_NANOS, Form.SECONDS, "time_flow_start");
    put(FlowMessageLayout.FLOW_END_NANOS, Form.SECONDS, "time_flow_end");
    put(FlowMessageLayout.FIRST_FLOW_START_MILLIS, Form.NUMBER, "time_flow_start_ms");
    put(FlowMessageLayout.FIRST_FLOW_END_MILLIS, Form.NUMBER, "time_flow_end_ms");
    put(FlowMessageLayout.SAMPLING_RATE, Form.NUMBER, "sampling_rate");
    put(FlowMessageLayout.SAMPLER_ADDRESS, Form.ADDRESS, "sampler_address");
    put(FlowMessageLayout.SRC_ADDR, Form.ADDRESS, "src_addr");
    put(FlowMessageLayout.DST_ADDR, Form.ADDRESS, "dst_addr");
    put(FlowMessageLayout.NEXT_HOP, Form.ADDRESS, "next_hop");
    put(FlowMessageLayout.BGP_NEXT_HOP, Form.ADDRESS, "bgp_next_hop");
    put(FlowMessageLayout.BYTES, Form.NUMBER, "bytes");
    put(FlowMessageLayout.PACKETS, Form.NUMBER, "packets");
    put(FlowMessageLayout.SRC_AS, Form.NUMBER, "src_as");
    put(FlowMessageLayout.DST_AS, Form.NUMBER, "dst_as");
    put(FlowMessageLayout.SRC_NET, Form.NETWORK, "src_net");
    put(FlowMessageLayout.DST_NET, Form.NETWORK, "dst_net");
    put(FlowMessageLayout.IN_IF, Form.NUMBER, "in_if");
    put(FlowMessageLayout.OUT_IF, Form.NUMBER, "out_if");
    put(FlowMessageLayout.ETYPE, Form.NAME, "etype");
    put(FlowMessageLayout.PROTO, Form.NAME, "proto");
    put(FlowMessageLayout.SRC_PORT, Form.NUMBER, "src_port");
    put(FlowMessageLayout.DST_PORT, Form.NUMBER, "dst_port");
    put(FlowMessageLayout.IP_TOS, Form.NUMBER, "ip_tos");
    put(FlowMessageLayout.FORWARDING_STATUS, Form.NUMBER, "forwarding_status");
    put(FlowMessageLayout.TCP_FLAGS, Form.NUMBER, "tcp_flags");
    put(FlowMessageLayout.SRC_MAC, Form.MAC, "src_mac");
    put(FlowMessageLayout.DST_MAC, Form.MAC, "dst_mac");
    put(FlowMessageLayout.VLAN_ID, Form.NUMBER, "vlan_id");
    put(FlowMessageLayout.SRC_VLAN, Form.NUMBER, "src_vlan");
    put(FlowMessageLayout.DST_VLAN, Form.NUMBER, "dst_vlan");
    put(FlowMessageLayout.ICMP_TYPE, Form.NUMBER, "icmp_type");
    put(FlowMessageLayout.ICMP_CODE, Form.NUMBER, "icmp_code");
    put(FlowMessageLayout.FIRST_FLOW_DIRECTION, Form.NUMBER, "flow_direction");
    put(FlowMessageLayout.OBSERVATION_DOMAIN_ID, Form.NUMBER, "observation_domain_id");
    put(FlowMessageLayout.MPLS_LABEL, Form.LABELS, "mpls_label");
    put(FlowMessageLayout.FIRST_MPLS_LABEL, Form.NUMBER, "mpls_1_label");
  }

  private final JsonCursor json = new JsonCursor();
  private final long[] address = new long[2];
  private final byte[] name = new byte[LONGEST_NAME];

  private static void put(int number, Form form, String name) {
    FIELDS.put(name.replace("_", ""), new Field(number, form));
  }

  /**
   * Whether a message is a JSON object and not protobuf: a brace followed by a string or another
   * brace. In protobuf, a brace would be a tag with a wire type that flows do not use; as a length
   * prefix, it would be followed by an impossible tag.
   */
  static boolean begins(byte[] b, int off, int len) {
    if (len < 2 || b[off] != '{') {
      return false;
    }
    int at = off + 1;
    while (at < off + len && (b[at] == ' ' || b[at] == '\n' || b[at] == '\r' || b[at] == '\t')) {
      at++;
    }
    return at < off + len && (b[at] == '"' || b[at] == '}');
  }

  void wrap(byte[] text, int off, int len) {
    json.wrap(text, off, len);
  }

  boolean hasNext() {
    return json.next() >= 0;
  }

  int at() {
    return json.at();
  }

  /**
   * Stores the next object's fields by number; false if invalid, with the cursor near the fault.
   */
  boolean take(long[] numbers, long[] high, long[] low) {
    if (!json.take('{')) {
      return false;
    }
    if (json.take('}')) {
      return true;
    }
    do {
      if (!json.takeString()) {
        return false;
      }
      Field field = field();
      if (!json.take(':') || !value(field, numbers, high, low)) {
        return false;
      }
    } while (json.take(','));
    return json.take('}');
  }

  /** The field of the last string; null if unknown. */
  private Field field() {
    int n = 0;
    for (int i = 0; i < json.stringLength(); i++) {
      byte b = json.string()[json.stringStart() + i];
      if (b != '_') {
        if (n == LONGEST_NAME) {
          return null;
        }
        name[n++] = b >= 'A' && b <= 'Z' ? (byte) (b + 'a' - 'A') : b;
      }
    }
    return FIELDS.get(new String(name, 0, n, StandardCharsets.ISO_8859_1));
  }

  private boolean value(Field field, long[] numbers, long[] high, long[] low) {
    if (field == null) {
      return json.skipValue();
    }
    if (json.takeNull()) {
      return true;
    }
    int number = field.number;
    int first = json.next();
    if (first == '[' && field.form == Form.LABELS) {
      return labels(numbers);
    }
    if (first == '"') {
      return json.takeString() && text(field, numbers, high, low);
    }
    if (field.form == Form.ADDRESS || (first != '-' && (first < '0' || first > '9'))) {
      return false;
    }
    long value = json.takeNumber();
    if (value == JsonCursor.BROKEN) {
      numbers[number] = BEYOND;
      return json.skipValue();
    }
    numbers[number] = field.form == Form.SECONDS ? nanos(value) : value;
    return true;
  }

  private boolean labels(long[] numbers) {
    json.take('[');
    if (json.take(']')) {
      return true;
    }
    boolean isFirst = true;
    do {
      long label = json.takeNumber();
      if (label == JsonCursor.BROKEN) {
        return false;
      }
      if (isFirst) {
        numbers[FlowMessageLayout.MPLS_LABEL] = label;
      }
      isFirst = false;
    } while (json.take(','));
    return json.take(']');
  }

  private boolean text(Field field, long[] numbers, long[] high, long[] low) {
    if (json.stringLength() == 0) {
      return true;
    }
    String text =
        new String(
            json.string(), json.stringStart(), json.stringLength(), StandardCharsets.ISO_8859_1);
    int number = field.number;
    switch (field.form) {
      case ADDRESS -> {
        if (!Addresses.parse(text, address)) {
          return false;
        }
        high[number] = address[0];
        low[number] = address[1];
      }
      case NETWORK -> numbers[number] = Math.max(0, number(text.substring(text.indexOf('/') + 1)));
      case NAME -> {
        Integer known = NAMES.get(text.toLowerCase(Locale.ROOT));
        numbers[number] = known != null ? known : Math.max(0, number(text));
      }
      case MAC -> {
        long mac = mac(text);
        if (mac < 0) {
          return false;
        }
        numbers[number] = mac;
      }
      case NANOS, SECONDS -> {
        long nanos = moment(text);
        if (nanos < 0) {
          return false;
        }
        numbers[number] = nanos;
      }
      case NUMBER, LABELS -> {
        long value = number(text);
        if (value < 0 && !DIGITS.matcher(text).matches()) {
          return false;
        }
        numbers[number] = value;
      }
    }
    return true;
  }

  /** Decimal, or hexadecimal after 0x; {@link #BEYOND} for anything else. */
  private static long number(String text) {
    try {
      return text.startsWith("0x")
          ? Long.parseLong(text, 2, text.length(), 16)
          : Long.parseLong(text);
    } catch (NumberFormatException e) {
      return BEYOND;
    }
  }

  private static long mac(String text) {
    String[] octets = text.split(":", -1);
    long mac = 0;
    for (String octet : octets) {
      long value = octet.length() == 2 ? number("0x" + octet) : -1;
      if (value < 0 || octets.length != 6) {
        return -1;
      }
      mac = mac << 8 | value;
    }
    return mac;
  }

  private static long moment(String text) {
    try {
      Instant at = Instant.parse(text);
      long nanos = nanos(at.getEpochSecond());
      return nanos == 0 ? 0 : nanos + at.getNano();
    } catch (DateTimeException e) {
      return number(text);
    }
  }

  /** Nanoseconds of a time; 0 outside their range. */
  private static long nanos(long seconds) {
    return seconds > 0 && seconds < Long.MAX_VALUE / NANOS_A_SECOND ? seconds * NANOS_A_SECOND : 0;
  }
}

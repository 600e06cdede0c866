package io.millrace.store.filter;

import io.millrace.store.Flows;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** Rows with few distinct values, a fifth of them unknown, as a block and as maps. */
final class FilterRows {
  static final int ROWS = 400;

  private static final List<String> TEXTS = List.of("a.example", "B.example", "it's", "c.test");
  private static final List<FlowColumn> COLUMNS =
      List.of(
          FlowColumn.SRC_ADDR,
          FlowColumn.DST_ADDR,
          FlowColumn.PROTO,
          FlowColumn.SRC_PORT,
          FlowColumn.DST_PORT,
          FlowColumn.BYTES,
          FlowColumn.PACKETS,
          FlowColumn.TCP_FLAGS,
          FlowColumn.IN_IF,
          FlowColumn.OUT_IF,
          FlowColumn.FLOW_START,
          FlowColumn.FLOW_END);

  /** Values by column name, null for none: {@link BigInteger} or {@link String}. */
  final List<Map<String, Object>> maps = new ArrayList<>();

  final FlowBlock block = Flows.bare(ROWS, 0, 1);

  FilterRows(long seed) {
    Random random = new Random(seed);
    for (int row = 0; row < ROWS; row++) {
      Map<String, Object> map = new HashMap<>();
      map.put("time", BigInteger.valueOf(block.longs(FlowColumn.TIME)[row]));
      for (FlowColumn column : COLUMNS) {
        FilterColumn filterColumn = FilterColumn.of(column);
        BigInteger value = random.nextInt(5) == 0 ? null : value(filterColumn, random);
        map.put(column.columnName(), value);
        set(column, row, value);
      }
      map.put("exporter", address("10.0.0.1"));
      compute(map);
      maps.add(map);
    }
    join(random);
  }

  private static void compute(Map<String, Object> row) {
    BigInteger start = (BigInteger) row.get("flow_start");
    BigInteger end = (BigInteger) row.get("flow_end");
    BigInteger duration =
        start == null || end == null
            ? null
            : end.subtract(start).max(BigInteger.ZERO).divide(BigInteger.valueOf(1_000));
    row.put("duration", duration);
    row.put("bps", rate((BigInteger) row.get("bytes"), 8_000, duration));
    row.put("pps", rate((BigInteger) row.get("packets"), 1_000, duration));
    row.put("bpp", rate((BigInteger) row.get("bytes"), 1, (BigInteger) row.get("packets")));
  }

  private static BigInteger rate(BigInteger count, long times, BigInteger by) {
    if (by != null && by.signum() == 0) {
      return BigInteger.ZERO;
    }
    return by == null || count == null
        ? null
        : count.multiply(BigInteger.valueOf(times)).divide(by);
  }

  /** One of the few values of a column. */
  static BigInteger value(FilterColumn column, Random random) {
    int n = random.nextInt(4);
    return switch (column.kind()) {
      case TIME ->
          BigInteger.valueOf(
              column.name().equals("time")
                  ? 1_700_000_000_001_000L + random.nextInt(ROWS)
                  : 1_700_000_000_000_000L + 1_000_500L * n);
      case MAC -> BigInteger.valueOf(0x00005E005300L + n);
      case TEXT -> throw new AssertionError();
      case ADDRESS ->
          address(List.of("192.0.2.1", "192.0.2.200", "198.51.100.7", "2001:db8::1").get(n));
      case NUMBER ->
          switch (column.name()) {
            case "proto" -> BigInteger.valueOf(List.of(6, 17, 1, 58).get(n));
            case "src_port", "dst_port" -> BigInteger.valueOf(List.of(443, 80, 0, 40_000).get(n));
            case "bytes", "packets" ->
                BigInteger.valueOf(List.of(40L, 999L, 1_000L, 1L << 40).get(n));
            case "duration" -> BigInteger.valueOf(List.of(0, 1_000, 2_001, 3_001).get(n));
            case "bps" -> BigInteger.valueOf(List.of(0, 320, 7_992, 8_000).get(n));
            case "bpp" -> BigInteger.valueOf(List.of(0, 1, 24, 40).get(n));
            case "tcp_flags" -> BigInteger.valueOf(List.of(2, 18, 16, 0).get(n));
            case "src_as", "dst_as" ->
                BigInteger.valueOf(List.of(64_500, 64_501, 0, 4_200_000_000L).get(n).longValue());
            default -> BigInteger.valueOf(n);
          };
    };
  }

  private static BigInteger address(String text) {
    return FilterValues.network(text, text.contains(":") ? "128" : "32").get(0).low();
  }

  private void set(FlowColumn column, int row, BigInteger value) {
    if (column.type() == FlowColumn.Type.ADDRESS) {
      block.addressHigh(column)[row] =
          value == null ? Addresses.NULL : value.shiftRight(Long.SIZE).longValue();
      block.addressLow(column)[row] = value == null ? Addresses.NULL : value.longValue();
    } else if (column.type().isInt()) {
      block.ints(column)[row] = value == null ? FlowBlock.NULL : value.intValue();
    } else {
      block.longs(column)[row] = value == null ? FlowBlock.NULL : value.longValue();
    }
  }

  private void join(Random random) {
    for (var joined : Flows.SCHEMA.joined()) {
      boolean text = joined.kind() == JoinedColumn.Kind.TEXT;
      int[] values = new int[ROWS];
      for (int row = 0; row < ROWS; row++) {
        FilterColumn column = RandomFilters.COLUMNS.find(joined.name());
        Object value = null;
        values[row] = FlowBlock.NULL;
        if (random.nextInt(5) > 0) {
          values[row] = text ? random.nextInt(4) : value(column, random).intValue();
          value = text ? TEXTS.get(values[row]) : BigInteger.valueOf(values[row] & 0xFFFF_FFFFL);
        }
        maps.get(row).put(joined.name(), value);
      }
      block
          .joined()
          .add(new JoinedColumn(joined.name(), joined.kind(), text ? Flows.BASE : 0, values));
    }
    for (int i = 0; i < TEXTS.size(); i++) {
      Flows.name(block, Flows.BASE + i, TEXTS.get(i));
    }
  }

  /** Plain evaluation of a filter on a row; null if unknown. */
  static Boolean holds(Filter filter, Map<String, Object> row) {
    if (filter instanceof Filter.Any) {
      return true;
    } else if (filter instanceof Filter.And and) {
      return combined(and.parts(), row, false);
    } else if (filter instanceof Filter.Or or) {
      return combined(or.parts(), row, true);
    } else if (filter instanceof Filter.Not not) {
      Boolean part = holds(not.part(), row);
      return part == null ? null : Boolean.valueOf(!part);
    } else if (filter instanceof Filter.Holds holds) {
      return Boolean.TRUE.equals(holds(holds.part(), row));
    } else if (filter instanceof Filter.NoValue missing) {
      return row.get(missing.column().name()) == null;
    } else if (filter instanceof Filter.Within within) {
      BigInteger value = (BigInteger) row.get(within.column().name());
      return value == null
          ? null
          : Boolean.valueOf(within.ranges().stream().anyMatch(range -> range.contains(value)));
    } else if (filter instanceof Filter.OneOf oneOf) {
      Object value = row.get(oneOf.column().name());
      return value == null ? null : Boolean.valueOf(oneOf.texts().contains(value));
    } else if (filter instanceof Filter.Like like) {
      String value = (String) row.get(like.column().name());
      return value == null ? null : Boolean.valueOf(like(like.pattern(), value, like.anyCase()));
    } else if (filter instanceof Filter.Bits bits) {
      BigInteger value = (BigInteger) row.get(bits.column().name());
      return value == null
          ? null
          : Boolean.valueOf((value.longValueExact() & bits.mask()) == bits.value());
    }
    throw new AssertionError(filter);
  }

  /** False, unknown, true, or the reverse order. */
  private static Boolean combined(List<Filter> parts, Map<String, Object> row, boolean any) {
    boolean unknown = false;
    for (Filter part : parts) {
      Boolean value = holds(part, row);
      if (value == null) {
        unknown = true;
      } else if (value == any) {
        return any;
      }
    }
    return unknown ? null : Boolean.valueOf(!any);
  }

  private static boolean like(String pattern, String value, boolean anyCase) {
    if (anyCase) {
      return like(pattern.toLowerCase(Locale.ROOT), value.toLowerCase(Locale.ROOT), false);
    } else if (pattern.isEmpty()) {
      return value.isEmpty();
    } else if (pattern.charAt(0) == '%') {
      return like(pattern.substring(1), value, false)
          || (!value.isEmpty() && like(pattern, value.substring(1), false));
    }
    return !value.isEmpty()
        && (pattern.charAt(0) == '_' || pattern.charAt(0) == value.charAt(0))
        && like(pattern.substring(1), value.substring(1), false);
  }
}

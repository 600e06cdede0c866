package io.millrace.store.filter;

import io.millrace.store.Flows;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Random filters, with values of {@link FilterRows} and others. */
final class RandomFilters {
  static final FilterColumns COLUMNS = new FilterColumns(Flows.SCHEMA);

  private static final List<String> NAMES =
      List.of(
          "time",
          "src_addr",
          "dst_addr",
          "proto",
          "src_port",
          "dst_port",
          "bytes",
          "packets",
          "tcp_flags",
          "in_if",
          "src_mac",
          "src_as",
          "dst_as",
          "src_dns",
          "src_as_name",
          "flow_start",
          "duration",
          "bps",
          "pps",
          "bpp");

  private final Random random;

  RandomFilters(long seed) {
    random = new Random(seed);
  }

  Filter filter(int depth) {
    int kind = random.nextInt(depth == 0 ? 5 : 9);
    return switch (kind) {
      case 5 -> new Filter.And(list(2, () -> filter(depth - 1)));
      case 6 -> new Filter.Or(list(2, () -> filter(depth - 1)));
      case 7 -> new Filter.Not(filter(depth - 1));
      case 8 -> new Filter.Holds(filter(depth - 1));
      default -> leaf(kind);
    };
  }

  private <T> List<T> list(int min, Supplier<T> element) {
    List<T> list = new ArrayList<>();
    for (int n = min + random.nextInt(2); n > 0; n--) {
      list.add(element.get());
    }
    return list;
  }

  private Filter leaf(int kind) {
    FilterColumn column = COLUMNS.find(NAMES.get(random.nextInt(NAMES.size())));
    boolean text = column.kind() == FilterColumn.Kind.TEXT;
    if (kind == 0) {
      return random.nextInt(4) == 0 ? new Filter.Any() : new Filter.NoValue(column);
    } else if (kind == 1 && text) {
      return new Filter.Like(column, text(), random.nextBoolean());
    } else if (kind == 1 && column.kind() == FilterColumn.Kind.NUMBER) {
      return new Filter.Bits(column, 1 + random.nextInt(31), random.nextInt(4));
    }
    return text
        ? new Filter.OneOf(column, list(1, this::text))
        : new Filter.Within(column, list(1, () -> range(column)));
  }

  private String text() {
    return List.of("a.example", "B.example", "it's", "%.example", "_.ex%", "", "\"x\"\\ü")
        .get(random.nextInt(7));
  }

  private Range range(FilterColumn column) {
    if (column.kind() == FilterColumn.Kind.ADDRESS && random.nextInt(3) == 0) {
      boolean v4 = random.nextBoolean();
      String address = v4 ? "192.0.2." + random.nextInt(256) : "2001:db8::" + random.nextInt(99);
      int length = v4 ? random.nextInt(33) : 1 + random.nextInt(128);
      return FilterValues.network(address, Integer.toString(length)).get(0);
    }
    BigInteger a = value(column);
    BigInteger b = random.nextBoolean() ? a : value(column);
    return new Range(a.min(b), a.max(b));
  }

  private BigInteger value(FilterColumn column) {
    return switch (random.nextInt(5)) {
      case 0 -> BigInteger.ZERO;
      case 1 -> column.max();
      case 2 -> new BigInteger(column.max().bitLength(), random).min(column.max());
      default -> FilterRows.value(column, random);
    };
  }
}

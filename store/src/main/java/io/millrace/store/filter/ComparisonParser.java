package io.millrace.store.filter;

import io.millrace.store.filter.FilterColumn.Kind;
import io.millrace.store.filter.FilterTokens.Token;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

final class ComparisonParser {
  private static final Set<String> OPERATORS =
      Set.of(
          "IN", "NOT", "BETWEEN", "LIKE", "ILIKE", "IS", "EQ", "NE", "LT", "GT", "LE", "GE", "AND",
          "OR");

  private final FilterCursor cursor;

  ComparisonParser(FilterCursor cursor) {
    this.cursor = cursor;
  }

  /** Whether a value follows without an operator, as in nfdump. */
  boolean seesBareValue() {
    return cursor.seesValue()
        && (cursor.peek().type() == FilterTokens.Type.TEXT
            || !OPERATORS.contains(cursor.peek().text().toUpperCase(Locale.ROOT)));
  }

  Comparison parse(FilterColumn column) {
    if (cursor.take("NOT")) {
      if (!cursor.sees("IN", "BETWEEN", "LIKE", "ILIKE")) {
        throw cursor.wrong("IN, BETWEEN, LIKE or ILIKE");
      }
      return parse(column).negate();
    } else if (cursor.take("IN")) {
      return among(column);
    } else if (cursor.take("IS")) {
      boolean negated = cursor.take("NOT");
      cursor.expect("NULL", "NULL or NOT NULL");
      return new Comparison(negated, Filter.NoValue::new);
    } else if (cursor.sees("LIKE", "ILIKE")) {
      return like(column);
    } else if (cursor.sees("BETWEEN")) {
      return between(column);
    } else if (cursor.sees("&")) {
      return bits(column);
    } else if (cursor.take("=", "==", "EQ") || seesBareValue()) {
      return equal(column);
    } else if (cursor.take("!=", "<>", "NE")) {
      return equal(column).negate();
    }
    return order(column);
  }

  private static Comparison within(List<Range> ranges) {
    return new Comparison(column -> new Filter.Within(column, ranges));
  }

  private Comparison equal(FilterColumn column) {
    if (column.kind() == Kind.TEXT) {
      List<String> texts = List.of(text());
      return new Comparison(on -> new Filter.OneOf(on, texts));
    }
    Token token = cursor.peek();
    List<Range> ranges = values(column);
    // nfdump's "net 10.0.0.0 255.0.0.0": followed by the mask
    if (column.kind() == Kind.ADDRESS
        && cursor.peek().type() == FilterTokens.Type.WORD
        && cursor.peek().text().matches("[0-9]+\\.[0-9.]+")) {
      ranges = FilterValues.network(token.text(), cursor.peek().text());
      if (ranges.isEmpty()) {
        throw cursor.wrong("a mask such as 255.255.255.0");
      }
      var unused = cursor.take();
    }
    return within(ranges);
  }

  private Comparison order(FilterColumn column) {
    String operator = cursor.peek().text().toUpperCase(Locale.ROOT);
    int order =
        switch (operator) {
          case "<", "LT" -> -2;
          case "<=", "LE" -> -1;
          case ">=", "GE" -> 1;
          case ">", "GT" -> 2;
          default -> 0;
        };
    if (order == 0 || column.kind() == Kind.TEXT || column.kind() == Kind.ADDRESS) {
      throw cursor.wrong(operators(column));
    }
    var unused = cursor.take();
    Token token = cursor.peek();
    BigInteger bound = one(column);
    BigInteger low = order > 0 ? bound.add(BigInteger.valueOf(order - 1)) : BigInteger.ZERO;
    BigInteger high = order < 0 ? bound.add(BigInteger.valueOf(order + 1)) : column.max();
    if (low.compareTo(high) > 0) {
      throw cursor.at(
          token, "no value of " + column.name() + " is " + operator + " " + token.text());
    }
    return within(List.of(new Range(low, high)));
  }

  private static String operators(FilterColumn column) {
    return switch (column.kind()) {
      case TEXT -> "=, <>, IN, LIKE, ILIKE or IS, for " + column.name() + " is a text";
      case ADDRESS -> "=, <>, IN, BETWEEN or IS, for " + column.name() + " is an address";
      default -> "=, <>, <, <=, >, >=, IN, BETWEEN or IS";
    };
  }

  private Comparison between(FilterColumn column) {
    if (column.kind() == Kind.TEXT) {
      throw cursor.wrong(operators(column));
    }
    var unused = cursor.take();
    Token first = cursor.peek();
    BigInteger low = one(column);
    cursor.expect("AND", "AND");
    BigInteger high = one(column);
    if (low.compareTo(high) > 0) {
      throw cursor.at(first, "range end is less than its start");
    }
    return within(List.of(new Range(low, high)));
  }

  private Comparison bits(FilterColumn column) {
    if (column.kind() != Kind.NUMBER) {
      throw cursor.wrong(operators(column));
    }
    var unused = cursor.take();
    long mask = one(column).longValueExact();
    cursor.expect("=", "=");
    long value = one(column).longValueExact();
    return new Comparison(on -> new Filter.Bits(on, mask, value));
  }

  private Comparison like(FilterColumn column) {
    if (column.kind() != Kind.TEXT) {
      throw cursor.wrong(operators(column));
    }
    boolean anyCase = cursor.take().isWord("ILIKE");
    if (cursor.peek().type() != FilterTokens.Type.TEXT) {
      throw cursor.wrong("a pattern in quotes, with % for any text");
    }
    String pattern = cursor.take().text();
    return new Comparison(on -> new Filter.Like(on, pattern, anyCase));
  }

  private Comparison among(FilterColumn column) {
    String end = cursor.take("(") ? ")" : cursor.take("[") ? "]" : "";
    if (end.isEmpty()) {
      if (column.kind() == Kind.TEXT) {
        throw cursor.wrong("a list in ( )");
      }
      return within(values(column));
    }
    List<Range> ranges = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    do {
      if (column.kind() == Kind.TEXT) {
        texts.add(text());
      } else {
        ranges.addAll(values(column));
      }
      // The comma is optional in nfdump.
    } while (cursor.take(",") || (end.equals("]") && cursor.seesValue()));
    cursor.expect(end, "a comma or " + end);
    return texts.isEmpty()
        ? within(List.copyOf(ranges))
        : new Comparison(on -> new Filter.OneOf(on, texts));
  }

  private String text() {
    if (!cursor.seesValue()) {
      throw cursor.wrong("a text in quotes");
    }
    return cursor.take().text();
  }

  private BigInteger one(FilterColumn column) {
    Token token = cursor.peek();
    List<Range> ranges = values(column);
    if (ranges.size() != 1 || !ranges.get(0).isPoint()) {
      throw cursor.at(token, "expected one value, found " + token.shown());
    }
    return ranges.get(0).low();
  }

  private List<Range> values(FilterColumn column) {
    List<Range> ranges =
        cursor.seesValue() ? FilterValues.ranges(column, cursor.peek().text()) : List.of();
    if (ranges.isEmpty()) {
      throw cursor.wrong(FilterValues.expected(column));
    }
    var unused = cursor.take();
    return ranges;
  }
}

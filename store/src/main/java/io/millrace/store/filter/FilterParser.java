package io.millrace.store.filter;

import io.millrace.store.FlowSchema;
import io.millrace.store.filter.FilterTokens.Token;
import io.millrace.wire.block.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Parser of filters. SQL and nfdump syntax share one grammar and may be mixed:
 *
 * <pre>
 * filter    = all { ("OR" | "||") all }
 * all       = not { ("AND" | "&amp;&amp;") not }
 * not       = ("NOT" | "!") not | single
 * single    = "(" filter ")" [ "IS" ["NOT"] "TRUE" ] | "any" | "inet" | "inet6" | "flags" letters
 *           | ( "icmp-type" | "icmp-code" ) test
 *           | column test                        as in SQL
 *           | [ side ] word [ "in" ] test        as in nfdump
 * side      = "src" | "dst" | "in" | "out" | "next" | "router" | side ("and" | "or") side
 * test      = ["="] value | comparison value | ["NOT"] "IN" values | ["NOT"] "BETWEEN" value "AND" value
 *           | ["NOT"] ("LIKE" | "ILIKE") text | "IS" ["NOT"] "NULL" | "&amp;" number "=" number
 * </pre>
 *
 * <p>Conditions in nfdump syntax, or without a side, are true or false and never unknown ({@link
 * Filter.Holds}), so that {@code not src as 64500} includes flows of unknown AS.
 */
public final class FilterParser {
  /** Maximum length of a filter in characters. */
  public static final int MAX_LENGTH = 1 << 16;

  private static final int MAX_DEPTH = 100;
  private static final List<Range> TCP = List.of(Range.of(6));
  private static final List<Range> ICMP = List.of(Range.of(1), Range.of(58));

  private static final Map<String, String> ONE_SIDED =
      Map.of("next_", "next_hop", "exporter", "exporter");

  private final FilterCursor cursor;
  private final ComparisonParser comparisons;
  private final FilterColumns columns;
  private int depth;

  private FilterParser(String text, FilterColumns columns) {
    cursor = new FilterCursor(text);
    comparisons = new ComparisonParser(cursor);
    this.columns = columns;
  }

  /**
   * Parses a filter on a table of flows.
   *
   * @param schema columns added by data sets
   * @throws FilterException if it is invalid; points at the position
   */
  public static Filter parse(String text, FlowSchema schema) {
    return parse(text, new FilterColumns(schema));
  }

  /**
   * Parses a condition on another table, in SQL syntax only.
   *
   * @param schema its columns; fractions are not supported
   * @throws FilterException if it is invalid; points at the position
   */
  public static Filter parse(String text, TableSchema schema) {
    return parse(text, new FilterColumns(schema));
  }

  private static Filter parse(String text, FilterColumns columns) {
    if (text.length() > MAX_LENGTH) {
      throw new FilterException("", 0, "longer than " + MAX_LENGTH + " characters");
    }
    FilterParser parser = new FilterParser(text, columns);
    Filter filter = parser.filter();
    if (parser.cursor.peek().type() != FilterTokens.Type.END) {
      throw parser.cursor.wrong("AND, OR or end of filter");
    }
    return filter;
  }

  private Filter filter() {
    List<Filter> parts = new ArrayList<>();
    do {
      parts.add(all());
    } while (cursor.take("OR", "||"));
    return parts.size() == 1 ? parts.get(0) : new Filter.Or(parts);
  }

  private Filter all() {
    List<Filter> parts = new ArrayList<>();
    do {
      parts.add(not());
    } while (cursor.take("AND", "&&"));
    return parts.size() == 1 ? parts.get(0) : new Filter.And(parts);
  }

  private Filter not() {
    if (++depth > MAX_DEPTH) {
      throw cursor.at(cursor.peek(), "nested more than " + MAX_DEPTH + " deep");
    }
    Filter filter;
    if (!cursor.take("NOT", "!")) {
      filter = single();
    } else if (columns.isOfFlows() && cursor.take("flags")) {
      filter = new Filter.Not(flags(true));
    } else {
      filter = new Filter.Not(not());
    }
    depth--;
    return filter;
  }

  private Filter single() {
    if (cursor.take("(")) {
      Filter inner = filter();
      cursor.expect(")", "AND, OR or )");
      return isTrue(inner);
    } else if (!cursor.seesValue()) {
      throw cursor.wrong(
          columns.isOfFlows()
              ? "a condition such as src_port = 443 or src port 443"
              : "a condition such as COLUMN = 443");
    } else if (!columns.isOfFlows()) {
      return plain();
    } else if (cursor.take("any")) {
      return new Filter.Any();
    } else if (cursor.take("inet6", "ipv6")) {
      return family("::");
    } else if (cursor.take("inet", "ipv4")) {
      return family("0.0.0.0");
    } else if (cursor.take("flags")) {
      return flags(false);
    } else if (cursor.take("icmp-type")) {
      return of(ICMP, compared(columns.find("src_port")));
    } else if (cursor.take("icmp-code")) {
      return of(ICMP, compared(columns.find("dst_port")));
    }
    FilterColumn column = columns.find(cursor.peek().text());
    if (column == null) {
      return words();
    }
    var unused = cursor.take();
    return comparisons.seesBareValue() ? compared(List.of(column), false) : compared(column);
  }

  private Filter plain() {
    Token word = cursor.peek();
    FilterColumn column = columns.find(word.text());
    if (column == null) {
      throw cursor.at(word, "there is no column " + word.shown() + columns.advice(word.text()));
    }
    var unused = cursor.take();
    return compared(column);
  }

  private Filter isTrue(Filter inner) {
    if (!cursor.take("IS")) {
      return inner;
    }
    boolean negated = cursor.take("NOT");
    cursor.expect("TRUE", "TRUE or NOT TRUE");
    Filter holds = new Filter.Holds(inner);
    return negated ? new Filter.Not(holds) : holds;
  }

  /** Both ends have the same address family, so the source's is tested. */
  private Filter family(String first) {
    return new Filter.Holds(
        new Filter.Within(columns.find("src_addr"), FilterValues.network(first, "0")));
  }

  /** All letters set or, after NOT, none of them; a number is an exact match. */
  private Filter flags(boolean negated) {
    FilterColumn column = columns.find("tcp_flags");
    OptionalInt letters = Vocabulary.flags(cursor.peek().text());
    Filter test;
    if (cursor.peek().type() == FilterTokens.Type.WORD && letters.isPresent()) {
      var unused = cursor.take();
      long mask = letters.getAsInt();
      test =
          negated
              ? new Filter.Not(new Filter.Bits(column, mask, 0))
              : new Filter.Bits(column, mask, mask);
    } else {
      test = compared(column);
    }
    return of(TCP, test);
  }

  private Filter of(List<Range> protocols, Filter test) {
    Filter one = new Filter.Within(columns.find("proto"), protocols);
    return new Filter.Holds(new Filter.And(List.of(one, test)));
  }

  private Filter words() {
    Token start = cursor.peek();
    List<String> sides = new ArrayList<>();
    boolean every = false;
    String side = side(start);
    if (side != null) {
      sides.add(side);
      var unused = cursor.take();
      String other = side(cursor.second());
      if (cursor.sees("and", "or") && other != null) {
        every = cursor.take().isWord("and");
        unused = cursor.take();
        sides.add(other);
      }
    }
    Token word = cursor.peek();
    if (word.type() != FilterTokens.Type.WORD) {
      throw cursor.wrong("a column such as ip, port or as");
    }
    List<FilterColumn> meant = meant(sides, word.text());
    if (meant.isEmpty()) {
      throw unknown(start, word, sides);
    }
    var unused = cursor.take();
    return compared(meant, every);
  }

  /** Columns that a word names on the given sides; empty if one side has no such column. */
  private List<FilterColumn> meant(List<String> sides, String word) {
    if (sides.isEmpty()) {
      FilterColumn single = columns.single(word);
      return single == null ? columns.both(word) : List.of(single);
    }
    List<FilterColumn> meant = new ArrayList<>();
    for (String side : sides) {
      FilterColumn column =
          ONE_SIDED.containsKey(side) && word.matches("(?i)ip|host|addr")
              ? columns.find(ONE_SIDED.get(side))
              : columns.side(side, word);
      if (column == null) {
        return List.of();
      }
      meant.add(column);
    }
    return meant;
  }

  private static String side(Token token) {
    if (token.type() != FilterTokens.Type.WORD) {
      return null;
    }
    return switch (token.text().toLowerCase(Locale.ROOT)) {
      case "src", "source" -> "src_";
      case "dst", "dest", "destination" -> "dst_";
      case "in", "input" -> "in_";
      case "out", "output" -> "out_";
      case "next" -> "next_";
      case "router" -> "exporter";
      default -> null;
    };
  }

  private FilterException unknown(Token start, Token word, List<String> sides) {
    if (!sides.isEmpty()) {
      return cursor.at(word, "" + word.text() + " has no " + start.text() + " side");
    }
    return cursor.at(word, "there is no column " + word.shown() + columns.advice(word.text()));
  }

  private Filter compared(FilterColumn column) {
    Comparison comparison = comparisons.parse(column);
    Filter filter = comparison.on().apply(column);
    return comparison.negated() ? new Filter.Not(filter) : filter;
  }

  private Filter compared(List<FilterColumn> meant, boolean every) {
    Comparison comparison = comparisons.parse(meant.get(0));
    List<Filter> sides = meant.stream().map(comparison.on()).toList();
    Filter all =
        sides.size() == 1 ? sides.get(0) : every ? new Filter.And(sides) : new Filter.Or(sides);
    Filter holds = new Filter.Holds(all);
    return comparison.negated() ? new Filter.Not(holds) : holds;
  }
}

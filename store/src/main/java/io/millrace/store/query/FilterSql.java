package io.millrace.store.query;

import io.millrace.store.filter.Filter;
import io.millrace.store.filter.FilterColumn;
import io.millrace.store.filter.Range;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Filters as conditions on stored rows {@code f}. Columns are compared as stored, so that a
 * database can skip row groups by their minima and maxima. A text is compared once for each name,
 * not for each row.
 *
 * @param names table of texts and their ids
 * @param reported value of a column that devices report, by its name
 */
public record FilterSql(Relation names, java.util.function.Function<String, Expr> reported) {
  /** Each is a scan. */
  private static final int MAX_ALTERNATIVES = 4;

  private static final Expr START = stored("flow_start");
  private static final Expr END = stored("flow_end");
  private static final Expr DURATION =
      Expr.template(
          "(CASE WHEN {0} THEN {1} WHEN {2} THEN 0 END)",
          END.is(">=", START),
          END.micros().minus(START.micros()).quotient(Expr.number(1_000)),
          END.is("<", START));

  private static Expr stored(String name) {
    return Expr.column("f", name);
  }

  /** Condition of a filter. */
  public Expr where(Filter filter) {
    return sql(filter, false);
  }

  /**
   * Conditions on addresses as they are in files, of which every row of a filter meets exactly one.
   * DuckDB skips row groups for each of them, but not for a disjunction over several columns, such
   * as source or destination.
   *
   * @param address the column of an address in files, by its name
   * @return at least one; only {@link Constant#TRUE} if the filter restricts no addresses
   */
  public static List<Expr> addresses(
      Filter filter, java.util.function.Function<String, Expr> address) {
    if (filter instanceof Filter.And and) {
      List<Expr> all = List.of(Constant.TRUE);
      for (Filter part : and.parts()) {
        List<Expr> its = addresses(part, address);
        if (its.size() == 1) {
          all = all.stream().map(one -> Expr.all(one, its.get(0))).toList();
        } else if (all.size() == 1) { // of several disjunctions, the first is enough
          Expr one = all.get(0);
          all = its.stream().map(other -> Expr.all(one, other)).toList();
        }
      }
      return all;
    } else if (filter instanceof Filter.Or or) {
      return alternatives(or.parts().stream().map(part -> addresses(part, address)).toList());
    } else if (filter instanceof Filter.Holds holds) {
      return addresses(holds.part(), address);
    } else if (filter instanceof Filter.Within within
        && within.column().kind() == FilterColumn.Kind.ADDRESS
        && !within.column().isComputed()) {
      Expr column = address.apply(within.column().name());
      return List.of(Expr.any(within.ranges().stream().map(range -> isIn(column, range)).toList()));
    }
    return List.of(Constant.TRUE);
  }

  private static Expr isIn(Expr address, Range range) {
    return range.isPoint()
        ? address.is("=", Expr.uuid(range.low()))
        : Expr.template(
            "({0} BETWEEN {1} AND {2})", address, Expr.uuid(range.low()), Expr.uuid(range.high()));
  }

  private static List<Expr> alternatives(List<List<Expr>> parts) {
    List<Expr> disjoint = new ArrayList<>();
    List<Expr> earlier = new ArrayList<>();
    for (List<Expr> part : parts) {
      if (part.size() > 1 || part.get(0).equals(Constant.TRUE) || parts.size() > MAX_ALTERNATIVES) {
        return List.of(Constant.TRUE);
      }
      disjoint.add(Expr.all(part.get(0), Expr.all(earlier)));
      earlier.add(Expr.template("({0} IS NOT TRUE)", part.get(0)));
    }
    return disjoint;
  }

  /**
   * @param exact whether NULL must be distinguished from false, as inside NOT
   */
  private Expr sql(Filter filter, boolean exact) {
    if (filter instanceof Filter.Any) {
      return Constant.TRUE;
    } else if (filter instanceof Filter.And and) {
      return Expr.all(parts(and.parts(), exact));
    } else if (filter instanceof Filter.Or or) {
      return Expr.any(parts(or.parts(), exact));
    } else if (filter instanceof Filter.Not not) {
      return Expr.template("(NOT {0})", sql(not.part(), true));
    } else if (filter instanceof Filter.Holds holds) {
      Expr part = sql(holds.part(), false);
      return exact ? Expr.call("coalesce", part, Constant.FALSE) : part;
    } else if (filter instanceof Filter.NoValue missing) {
      return column(missing.column()).isNull();
    } else if (filter instanceof Filter.Within within) {
      return within(within.column(), within.ranges());
    } else if (filter instanceof Filter.OneOf oneOf) {
      List<Expr> texts = oneOf.texts().stream().map(Expr::text).toList();
      return named(oneOf.column(), name -> name.in(texts), exact);
    } else if (filter instanceof Filter.Like like) {
      Expr pattern = Expr.text(like.pattern());
      return named(
          like.column(),
          name ->
              like.anyCase() ? Expr.of(Function.ILIKE, name, pattern) : name.is("LIKE", pattern),
          exact);
    } else if (filter instanceof Filter.Bits bits) {
      return Expr.of(
              Function.COMMON_BITS,
              column(bits.column()).cast(SqlType.BIGINT),
              Expr.number(bits.mask()))
          .is("=", Expr.number(bits.value()));
    }
    throw new AssertionError(filter);
  }

  private List<Expr> parts(List<Filter> parts, boolean exact) {
    return parts.stream().map(part -> sql(part, exact)).toList();
  }

  private Expr column(FilterColumn column) {
    if (!column.isComputed()) {
      return stored(column.name());
    }
    return switch (column.name()) {
      case "duration" -> DURATION;
      case "bps" -> quotient(times("bytes", 8_000), DURATION);
      case "pps" -> quotient(times("packets", 1_000), DURATION);
      case "bpp" -> quotient(stored("bytes"), stored("packets"));
      default -> reported.apply(column.name());
    };
  }

  private static Expr times(String column, long factor) {
    return stored(column).cast(SqlType.HUGEINT).times(Expr.number(factor));
  }

  private static Expr quotient(Expr value, Expr by) {
    return Expr.template(
        "(CASE WHEN {0} > 0 THEN {1} WHEN {0} = 0 THEN 0 END)", by, value.quotient(by));
  }

  private Expr named(FilterColumn column, UnaryOperator<Expr> condition, boolean exact) {
    Expr value = column(column);
    if (column.isComputed()) { // reported by devices: its value is the text
      return condition.apply(value);
    }
    Expr test =
        value.in(
            Select.of(Expr.column("id")).from(names).where(condition.apply(Expr.column("name"))));
    return exact ? Expr.template("(CASE WHEN {0} THEN {1} END)", value.isNotNull(), test) : test;
  }

  private Expr within(FilterColumn column, List<Range> ranges) {
    List<Expr> points = new ArrayList<>();
    List<Expr> tests = new ArrayList<>();
    for (Range range : ranges) {
      if (range.isPoint()) {
        points.add(value(column, range.low()));
      } else {
        tests.add(span(column, range));
      }
    }
    if (points.size() == 1) {
      tests.add(column(column).is("=", points.get(0)));
    } else if (!points.isEmpty()) {
      tests.add(column(column).in(points));
    }
    return Expr.any(tests);
  }

  private Expr span(FilterColumn column, Range range) {
    Expr value = column(column);
    Expr low = value(column, range.low());
    Expr high = value(column, range.high());
    if (range.high().equals(column.max())) {
      return value.is(">=", low);
    } else if (range.low().signum() == 0) {
      return value.is("<=", high);
    }
    return Expr.template("({0} BETWEEN {1} AND {2})", value, low, high);
  }

  private static Expr value(FilterColumn column, BigInteger value) {
    return switch (column.kind()) {
      case ADDRESS -> Expr.number(value, SqlType.UHUGEINT);
      case TIME -> Expr.of(Function.TIMESTAMP, new Constant(value.toString()).cast(SqlType.BIGINT));
      default -> new Constant(value.toString());
    };
  }
}

package io.millrace.store.query;

import static io.millrace.store.query.Constant.ONE;
import static io.millrace.store.query.Constant.ZERO;
import static io.millrace.store.query.Expr.choose;
import static io.millrace.store.query.Expr.column;
import static io.millrace.store.query.Expr.number;

import java.util.List;

/**
 * Prorates records of flows over their durations: computes their shares in an arbitrary time range,
 * with the formula of the rollups.
 *
 * <p>A row without an end counts on arrival. Rows with an end are read up to the maximum delay and
 * duration after the range.
 *
 * @param longestFlow maximum trusted duration of a row, microseconds
 * @param longestDelay maximum trusted time from the end of a flow to its record, microseconds
 * @param reachMicros maximum sum of both
 * @param bucketMicros length of the buckets into which the range is cut; 0 for one piece
 */
public record ProratedRows(
    Expr longestFlow, Expr longestDelay, long reachMicros, long bucketMicros) {
  /**
   * Rows as {@link Pieces}.
   *
   * @param from relation with the columns {@code time}, {@code flow_start}, {@code flow_end} and
   *     those of the arguments
   * @param weight factor of every sum; 1 for none
   * @param columns columns to keep
   */
  public List<Relation> selects(
      Relation from, Expr weight, long start, long end, List<Sql> columns, Expr condition) {
    List<Sql> kept = columns.stream().map(ProratedRows::name).toList();
    return List.of(
        arrived(
            from,
            weight,
            columns,
            Expr.all(column("time").during(start, end), column("flow_end").isNull(), condition)),
        lasting(from, weight, start, end, columns, kept, condition));
  }

  private static Sql name(Sql column) {
    return column instanceof Expr.Named named ? column(named.name()) : column;
  }

  /** Rows as {@link Pieces}, each counted on arrival. */
  public static Relation arrived(Relation from, Expr weight, List<Sql> columns, Expr condition) {
    List<Sql> sums =
        List.of(
            ONE.times(weight).named("rows"),
            column("packets").cast(SqlType.DOUBLE).times(weight).named("packets"),
            column("bytes").cast(SqlType.DOUBLE).times(weight).named("bytes"),
            scaled("packets", SqlType.DOUBLE).times(weight).named("scaled_packets"),
            scaled("bytes", SqlType.DOUBLE).times(weight).named("scaled_bytes"),
            ONE.named(Pieces.EDGE));
    return Select.of(Expr.list(List.of(column("time").named(Pieces.PIECE)), columns, sums))
        .from(from)
        .where(condition);
  }

  /** A column times the sampling rate. */
  public static Expr scaled(String column, SqlType type) {
    return column(column).cast(type).times(Expr.call("coalesce", column("sampling_rate"), ONE));
  }

  private Relation lasting(
      Relation from,
      Expr weight,
      long start,
      long end,
      List<Sql> columns,
      List<Sql> kept,
      Expr condition) {
    List<Sql> times =
        List.of(
            column("time").micros().named("t"),
            known("flow_start").named("fs"),
            known("flow_end").named("fe"),
            longestFlow.named("longest_flow"),
            longestDelay.named("longest_delay"),
            column("packets").cast(SqlType.HUGEINT).named("packets"),
            column("bytes").cast(SqlType.HUGEINT).named("bytes"),
            scaled("packets", SqlType.HUGEINT).named("scaled_packets"),
            scaled("bytes", SqlType.HUGEINT).named("scaled_bytes"));
    Select arrivals =
        Select.of(Expr.list(columns, times))
            .from(from)
            .where(column("time").during(start, end + reachMicros))
            .where(column("flow_end").isNotNull())
            .where(condition);
    Expr fs = column("fs");
    Expr fe = column("fe");
    Expr t = column("t");
    Expr s = column("s");
    Expr e = column("e");
    Expr d = column("d");
    Expr z = column("z");
    Expr x = column("x");
    Expr y = column("y");
    Expr isBelieved = Expr.all(fe.is("<=", t), fe.is(">=", t.minus(column("longest_delay"))));
    Expr duration = Expr.call("least", fe.minus(fs), column("longest_flow"));
    Select bounded =
        Select.of(
                Select.ALL,
                choose(isBelieved, fe, t).named("e"),
                choose(fe.is(">=", fs), duration, ZERO).named("d"))
            .from(arrivals, "r");
    // A flow ends one moment before its end; one without duration has only its end.
    Select ends =
        Select.of(
                Select.ALL,
                e.minus(d).named("s"),
                choose(d.is(">", ZERO), e.minus(ONE), e).named("z"))
            .from(bounded, "r");
    Select within =
        Select.of(
                Select.ALL,
                Expr.call("greatest", x.minus(s), ZERO).named("k0"),
                Expr.call("least", y.minus(s), d).named("k1"))
            .from(cut(ends, start, end), "r")
            .where(z.is(">=", x))
            .where(s.is("<", y));
    Expr isLast = Expr.all(z.is(">=", x), z.is("<", y)).cast(SqlType.INTEGER);
    List<Sql> sums =
        List.of(
            isLast.times(weight).named("rows"),
            part("packets", weight),
            part("bytes", weight),
            part("scaled_packets", weight),
            part("scaled_bytes", weight),
            ONE.named(Pieces.EDGE));
    Sql piece = Expr.of(Function.TIMESTAMP, x).named(Pieces.PIECE);
    return Select.of(Expr.list(List.of(piece), kept, sums)).from(within, "r");
  }

  private Select cut(Select ends, long start, long end) {
    if (bucketMicros == 0) {
      return Select.of(Select.ALL, number(start).named("x"), number(end).named("y"))
          .from(ends, "r");
    }
    Expr length = number(bucketMicros);
    Expr first = Expr.call("greatest", column("s"), number(start)).quotient(length);
    Expr last = Expr.call("least", column("z"), number(end - 1)).quotient(length);
    Expr b = column("b");
    return Select.of(
            Select.ALL,
            Expr.call("greatest", b.times(length), number(start)).named("x"),
            Expr.call("least", b.plus(ONE).times(length), number(end)).named("y"))
        .from(Select.of(Select.ALL).from(ends, "r").each("b", first, last.plus(ONE)), "r");
  }

  private static Expr known(String time) {
    Expr column = column(time);
    return choose(
        Expr.all(Expr.of(Function.IS_FINITE, column), column.is(">=", Expr.timestamp(0))),
        column.micros(),
        Constant.NULL);
  }

  private static Sql part(String column, Expr weight) {
    return part(column(column), SqlType.HUGEINT).cast(SqlType.DOUBLE).times(weight).named(column);
  }

  /**
   * Share of a sum from {@code k0} to {@code k1} of a duration {@code d}; all of it without one.
   *
   * @param type type of the sums: BIGINT or HUGEINT
   */
  public static Expr part(Expr sum, SqlType type) {
    Expr all = upTo(sum, column("k1"), type).minus(upTo(sum, column("k0"), type));
    return choose(column("d").is("=", ZERO), sum, all);
  }

  private static Expr upTo(Expr sum, Expr k, SqlType type) {
    SqlType unsigned = type == SqlType.HUGEINT ? type : SqlType.UBIGINT;
    Expr d = column("d");
    Expr rest = sum.remainder(d).cast(unsigned).times(k.cast(unsigned));
    return sum.quotient(d).times(k).plus(rest.quotient(d.cast(unsigned)).cast(type));
  }
}

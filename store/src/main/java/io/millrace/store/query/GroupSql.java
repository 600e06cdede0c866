package io.millrace.store.query;

import static io.millrace.store.query.Expr.column;
import static io.millrace.store.query.Expr.number;
import static io.millrace.store.query.Relation.table;

import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.query.Relation.With;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/**
 * Statements that rank groups and sum them.
 *
 * <p>Volumes are summed as {@code DOUBLE}: bytes times sampling rate may exceed 64 bits, and are an
 * estimate anyway.
 *
 * @param keys keys of the groups, by stored columns
 * @param condition condition on rows {@code f}
 * @param by measure to sum
 */
public record GroupSql(GroupKeys keys, Expr condition, Measure by) {
  private static final int HASH_PARTS = 4_096;
  private static final String F = "f";
  private static final String TOP = "top";
  private static final String VOLUME = "volume";
  private static final String FLOWS = "flows";
  private static final String P95 = "p95";
  private static final String UNCERTAIN = "uncertain";
  private static final String VARIANCE = "variance";
  private static final String BOUND = "bound";
  private static final String PLACE = "place";
  private static final Expr ZERO = number(0).cast(SqlType.DOUBLE);

  /**
   * How groups are ranked.
   *
   * @param n number of groups
   * @param percentileMicros length of the intervals whose 95th percentile ranks groups; 0 to rank
   *     by volume
   * @param intervals number of these intervals
   */
  public record Ranking(int n, long percentileMicros, long intervals) {
    boolean isByPercentile() {
      return percentileMicros > 0;
    }
  }

  /** Columns of the measure. */
  public MeasureSums measure() {
    return MeasureSums.of(by);
  }

  /** Aliases of the grouping columns. */
  public List<String> aliases() {
    return IntStream.range(0, keys.columns().size()).mapToObj(i -> "s" + i).toList();
  }

  private List<Expr> aliased(String relation) {
    return Expr.columns(relation, aliases());
  }

  /**
   * The largest groups, largest first. Columns: those of their keys, volume, rows, bound, 95th
   * percentile; for everything, the volume, the volume of dropped groups, the number of rows,
   * whether sampling rates matter; with sampling, the uncertain volume and its variance of the
   * group and of everything, and the largest row that was not sampled.
   *
   * @param only groups to choose from; empty for all
   */
  public Relation rank(Pieces pieces, Ranking ranking, List<long[]> only) {
    List<With> with = ranked(pieces, ranking, only);
    with.add(new With("t", false, totals(pieces.isSampled())));
    List<Sql> items = new ArrayList<>(keys.select(aliased(TOP)));
    Select select = Select.of().from(table(TOP), TOP).crossJoin(table("t"));
    Expr rest = ZERO;
    Expr bound = ZERO;
    if (pieces.dropped() != null) {
      with.add(new With("rest", false, pieces.dropped()));
      select =
          select.crossJoin(
              Select.of(sum("rest", VOLUME).named(VOLUME), sum("rest", BOUND).named(BOUND))
                  .from(table("rest"), "rest")
                  .as("r"));
      rest = column("r", VOLUME);
      bound = rest;
      if (pieces.isWholeSet()) {
        with.add(new With("present", false, present(pieces)));
        select = select.leftJoin(table("present").as("p"), same("p", aliases(), TOP));
        Expr present = Expr.call("coalesce", column("p", BOUND), number(0));
        bound = Expr.call("greatest", column("r", BOUND).minus(present), number(0));
      }
    }
    items.addAll(
        List.of(
            column(TOP, VOLUME),
            column(TOP, FLOWS),
            bound,
            column(TOP, P95),
            column("t", VOLUME),
            rest,
            column("t", Pieces.EDGE),
            column("t", "estimated")));
    if (pieces.isSampled()) {
      select = select.crossJoin(pieces.largest().as("w"));
      items.addAll(
          List.of(
              column(TOP, UNCERTAIN),
              column(TOP, VARIANCE),
              column("t", UNCERTAIN),
              column("t", VARIANCE),
              column("w", "largest")));
    }
    return new Relation.Statement(with, select.items(items).orderBy(order(TOP, ranking)));
  }

  /** Keys of the largest groups, largest first. */
  public Relation largest(Pieces pieces, Ranking ranking) {
    return new Relation.Statement(
        ranked(pieces, ranking, List.of()),
        Select.of(keys.select(aliased(TOP))).from(table(TOP), TOP).orderBy(order(TOP, ranking)));
  }

  private List<With> ranked(Pieces pieces, Ranking ranking, List<long[]> only) {
    List<With> with = new ArrayList<>(pieces.with());
    with.add(new With(F, false, pieces.rows()));
    Select groups =
        ranking.isByPercentile()
            ? percentiles(ranking, only)
            : groups(only, pieces.isSampled() ? uncertainty() : List.of());
    Expr isSomething =
        Expr.any(
            List.of(
                column("g", VOLUME).is("<>", number(0)), column("g", FLOWS).is("<>", number(0))));
    with.add(
        new With(
            TOP,
            true,
            Select.of(Select.ALL)
                .from(groups, "g")
                .where(isSomething)
                .orderBy(order("g", ranking))
                .limit(ranking.n())));
    return with;
  }

  private List<Sql> order(String relation, Ranking ranking) {
    List<Sql> order = new ArrayList<>();
    if (ranking.isByPercentile()) {
      order.add(Expr.template("{0} DESC", column(relation, P95)));
    }
    order.add(Expr.template("{0} DESC", column(relation, VOLUME)));
    order.addAll(aliased(relation));
    return order;
  }

  private Expr scaled() {
    return column(F, measure().scaled());
  }

  private static Expr sum(String relation, String column) {
    return Expr.call("sum", column(relation, column));
  }

  private List<Sql> named() {
    List<Sql> items = new ArrayList<>();
    for (GroupKeys.Column column : keys.columns()) {
      items.add(column(F, column.name()).named("s" + items.size()));
    }
    return items;
  }

  private Select from(List<Sql> items, List<long[]> only) {
    Select select = Select.of(items).from(table(F), F).where(condition);
    return only.isEmpty() ? select : select.join(values(only, "c"), same(F, keys.names(), "c"));
  }

  private Relation values(List<long[]> groups, String alias) {
    List<String> names = new ArrayList<>(aliases());
    names.add(PLACE);
    return keys.values(groups).as(alias, names);
  }

  private Expr same(String relation, List<String> names, String other) {
    List<Expr> same = new ArrayList<>();
    for (String name : names) {
      same.add(column(relation, name).same(column(other, "s" + same.size())));
    }
    return Expr.all(same);
  }

  private Sql flows() {
    return sum(F, "rows").cast(SqlType.BIGINT).named(FLOWS);
  }

  private Select groups(List<long[]> only, List<Sql> more) {
    List<Sql> sums = List.of(Expr.sum(scaled()).named(VOLUME), flows(), ZERO.named(P95));
    return from(Expr.list(named(), sums, more), only).groupBy(keys.columns().size());
  }

  private Select percentiles(Ranking ranking, List<long[]> only) {
    Expr interval = column(F, Pieces.PIECE).micros().quotient(number(ranking.percentileMicros()));
    int groups = keys.columns().size();
    List<Sql> items = named();
    items.addAll(List.of(interval.named("i"), Expr.sum(scaled()).named(VOLUME), flows()));
    Expr nth =
        Expr.of(Function.NTH_LARGEST, column("i", VOLUME), number(ranking.intervals() / 20 + 1));
    Expr p95 =
        Expr.call("coalesce", nth, number(0))
            .times(number(by.units()))
            .over(number(ranking.percentileMicros() / 1_000_000).cast(SqlType.DOUBLE));
    return Select.of(
            Expr.list(
                aliased("i"),
                List.of(
                    sum("i", VOLUME).named(VOLUME),
                    sum("i", FLOWS).cast(SqlType.BIGINT).named(FLOWS),
                    p95.named(P95))))
        .from(from(items, only).groupBy(groups + 1), "i")
        .groupBy(groups);
  }

  private List<Sql> uncertainty() {
    Expr missed = scaled().times(column(F, Pieces.MISS));
    return List.of(
        Expr.sum(missed).named(UNCERTAIN),
        Expr.sum(scaled().cast(SqlType.DOUBLE).times(missed)).named(VARIANCE));
  }

  private Select totals(boolean isSampled) {
    Expr edges = Expr.call("coalesce", sum(F, Pieces.EDGE), number(0)).cast(SqlType.BIGINT);
    Expr scales = sum(F, measure().scaled()).is("<>", sum(F, measure().plain()));
    return from(
        Expr.list(
            List.of(
                Expr.sum(scaled()).named(VOLUME),
                edges.named(Pieces.EDGE),
                Expr.call("coalesce", scales, Constant.FALSE).named("estimated")),
            isSampled ? uncertainty() : List.of()),
        List.of());
  }

  private Relation present(Pieces pieces) {
    Select found =
        Select.of(
                Expr.list(
                    List.of(Expr.template("DISTINCT {0}", column("b", Pieces.PIECE))),
                    aliased(TOP)))
            .from(pieces.buckets(), "b")
            .join(table(TOP).as(TOP), same("b", keys.names(), TOP));
    return Select.of(Expr.list(aliased(TOP), List.of(sum("rest", BOUND).named(BOUND))))
        .from(found, TOP)
        .join(table("rest").as("rest"), column("rest", "bucket").is("=", column(TOP, Pieces.PIECE)))
        .groupBy(keys.columns().size());
  }

  /** Start of each bucket in microseconds, volume and bound of its dropped groups. */
  public static Relation byBucket(Relation dropped) {
    return Select.of(column("bucket").micros(), column(VOLUME), column(BOUND)).from(dropped, "d");
  }

  /** Volume of all dropped groups. */
  public static Relation dropped(Relation dropped) {
    return Select.of(Expr.sum(column(VOLUME))).from(dropped, "d");
  }

  /**
   * Volumes of some groups and of all others by time. Columns: time, index of the group or -1,
   * volume, volume without sampling rates, rows; with sampling, uncertain volume and variance.
   *
   * @param time time of a row, computed from its {@link Pieces#PIECE}
   */
  public Relation sums(Pieces pieces, Expr time, List<long[]> groups) {
    Expr place =
        groups.isEmpty() ? number(-1) : Expr.call("coalesce", column("g", PLACE), number(-1));
    Select select =
        Select.of(
                Expr.list(
                    List.of(
                        time,
                        place.cast(SqlType.BIGINT),
                        Expr.sum(scaled()),
                        Expr.sum(column(F, measure().plain())),
                        sum(F, Pieces.EDGE).cast(SqlType.BIGINT)),
                    pieces.isSampled() ? uncertainty() : List.of()))
            .from(pieces.rows(), F)
            .where(condition)
            .groupBy(2);
    return new Relation.Statement(
        pieces.with(),
        groups.isEmpty()
            ? select
            : select.leftJoin(values(groups, "g"), same(F, keys.names(), "g")));
  }

  /** Start of a row's piece, microseconds. */
  public static Expr start() {
    return column(F, Pieces.PIECE).micros();
  }

  /** Start of the interval of a row's piece, microseconds. */
  public static Expr interval(long from, long step) {
    return number(from)
        .plus(start().minus(number(from)).quotient(number(step)).times(number(step)));
  }

  /**
   * Keys, volumes, rows, volumes without sampling rates and edges of at most {@code max} groups.
   */
  public Relation loose(Relation pieces, int max) {
    return loose(Select.of().from(pieces, "l"), max);
  }

  private Relation loose(Select from, int max) {
    BiFunction<String, String, Sql> sum = (of, as) -> Expr.sum(column(of)).named(as);
    Select groups =
        from.items(
                Expr.list(
                    keys.columnsOf(""),
                    List.of(
                        sum.apply(measure().scaled(), VOLUME),
                        sum.apply("rows", FLOWS),
                        sum.apply(measure().plain(), "unscaled"),
                        sum.apply(Pieces.EDGE, "edges"))))
            .groupBy(keys.columns().size());
    return Select.of(
            Expr.list(
                keys.select(keys.columnsOf("")),
                Expr.columns("", List.of(VOLUME, FLOWS, "unscaled", "edges"))))
        .from(groups, "g")
        .limit(max);
  }

  /**
   * {@link #loose(Relation, int)} for groups that may be large. Sums over hashes find all groups of
   * at least a volume, and some others.
   *
   * @param groups groups to include in any case
   * @param min minimum volume
   */
  public Relation loose(Relation pieces, List<long[]> groups, double min, int max) {
    Expr part = Expr.hash(keys.columnsOf("")).remainder(number(HASH_PARTS));
    Expr volume = Expr.call("sum", Expr.call("greatest", column(measure().scaled()), number(0)));
    Select large =
        Select.of(column("part"))
            .from(
                Select.of(part.named("part"), volume.named(VOLUME)).from(table("l")).groupBy(1),
                "p")
            .where(column(VOLUME).is(">=", Expr.real(min)));
    Select others =
        Select.of(Expr.hash(aliased("")).remainder(number(HASH_PARTS))).from(values(groups, "c"));
    return new Relation.Statement(
        List.of(new With("l", false, pieces)),
        loose(
            Select.of().from(table("l")).where(part.in(Relation.union(List.of(large, others)))),
            max));
  }
}

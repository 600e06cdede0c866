package io.millrace.store.duckdb.top;

import io.millrace.store.FlowQuery;
import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.rollup.TableRollups;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.query.RollupPlan;
import io.millrace.store.query.RollupQuery;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Time range, step and plans of a series. Chooses the shortest requested step at which the result
 * loses no data that longer buckets still have. Used in one transaction; times are microseconds
 * since the epoch.
 */
final class SeriesWindow {
  private static final long SECOND = 1_000_000;

  private static final List<Integer> STEPS =
      List.of(
          1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200);

  private static final int MAX_VALUES = 1_000_000;

  private static final int FEWER_ROWS = 5;

  private static final long MAX_RANKED_SUMS = 500_000;

  private final FlowQuery request;
  private final Direction forward;
  private final Optional<Direction> reverse;
  private final Accounting accounting;
  private final RollupFacts facts;
  private final Choice choice;
  private final long newest;
  private final long now;
  private final boolean isSnapshot;
  private final long first;
  private final long rowsFrom;
  private long step;
  private List<SeriesRange> ranges = List.of();

  /** How many ranges cover removed rows; −1 before the first choice. */
  private long covered = -1;

  private boolean maySample;

  private boolean hasManyRows;

  SeriesWindow(
      FlowQuery request,
      Direction forward,
      Optional<Direction> reverse,
      Accounting accounting,
      RollupFacts facts,
      long maxRows,
      Optional<SnapshotRows> snapshot)
      throws SQLException {
    this.request = request;
    this.forward = forward;
    this.reverse = reverse;
    this.accounting = accounting;
    this.facts = facts;
    choice = new Choice(facts, maxRows);
    isSnapshot = snapshot.isPresent();
    long last = snapshot.map(rows -> rows.version().newestMicros()).orElse(Long.MAX_VALUE);
    now = Math.min(facts.now(), last);
    newest = request.to().isPresent() ? Math.min(facts.newest(), last) : now;
    first = Math.min(facts.first(accounting), newest);
    rowsFrom = facts.rowsFrom(accounting);
    choose();
  }

  List<SeriesRange> ranges() {
    return ranges;
  }

  boolean hasManyRows() {
    return hasManyRows;
  }

  /** Whether rollups give the exact result. */
  boolean isExactlyRolled() throws SQLException {
    for (SeriesRange range : ranges) {
      if (!choice.isExact(range.plan())) {
        return false;
      }
    }
    return !ranges.isEmpty() && choice.isExact(ranking());
  }

  long step() {
    return step;
  }

  /** Time of the newest row to include, microseconds. */
  long newest() {
    return newest;
  }

  long first() {
    return first;
  }

  RollupPlan ranking() throws SQLException {
    Points.Span span = ranges.get(0).span();
    RollupPlan plan = plan(forward, span.from(), span.to(), 0);
    if (isSnapshot) {
      return plan;
    }
    if (plan.kept() == null || facts.sums(plan) <= MAX_RANKED_SUMS) {
      return plan;
    }
    return facts.plan(rollupQuery(forward, span.from(), span.to(), 0)).orElse(plan);
  }

  long completeUntil() {
    boolean coversPast =
        accounting == Accounting.SPREAD
            && facts.rows().parts().get(FlowPart.RECORDS).mayHave(first, Long.MAX_VALUE);
    long lateness = coversPast ? TableRollups.SPREAD_LATENESS_MICROS : TableRollups.LATENESS_MICROS;
    Points.Span span = ranges.get(0).span();
    return Math.max(span.from(), Math.min(span.to(), newest + 1 - lateness));
  }

  private void choose() throws SQLException {
    long to = request.to().map(TopQuery::micros).orElse(Long.MAX_VALUE);
    long from = request.from().map(TopQuery::micros).orElse(Long.MIN_VALUE);
    if (request.last().isPresent()) {
      from = now - TopQuery.micros(request.last().get()) + 1;
    }
    long begin = Math.max(from, first);
    long end = Math.min(to, newest + 1);
    if (begin >= end) {
      return;
    }
    step = request.step().map(its -> its.toSeconds() * SECOND).orElseGet(() -> step(end - begin));
    boolean isShort = request.step().isEmpty() && step < Grain.MINUTE.micros();
    hasManyRows = (isShort || request.rolled()) && hasManyRows(begin, end);
    if (hasManyRows && isShort) {
      step = Grain.MINUTE.micros();
    }
    boolean hasStart = request.from().isPresent() || request.last().isPresent();
    long length = end - (hasStart ? from : begin);
    long wanted = step;
    if (!coversAll(steps(wanted), begin, end, length) && !isSnapshot) {
      maySample = true;
      coversAll(steps(wanted), begin, end, length);
    }
    step = ranges.get(0).span().step();
  }

  private boolean coversAll(List<Long> steps, long begin, long end, long length)
      throws SQLException {
    for (long each : steps) {
      step = each;
      List<SeriesRange> all = ranges(begin, end, length);
      long covering = covers(all.get(0)) ? 1 + all.stream().filter(this::covers).count() : 0;
      if (covering > covered) {
        ranges = all;
        covered = covering;
      }
      if (covering > all.size()) {
        return true;
      }
    }
    return false;
  }

  private boolean covers(SeriesRange range) {
    return range.isRolled()
        || range.plan().isSampled()
        || range.span().to() <= first
        || range.plan().from() >= rowsFrom;
  }

  private static List<Long> steps(long step) {
    List<Long> steps = new ArrayList<>(List.of(step));
    for (Grain grain : Grain.values()) {
      if (grain.micros() > step) {
        steps.add(grain.micros());
      }
    }
    return steps;
  }

  private long step(long length) {
    for (int seconds : STEPS) {
      if (length / (seconds * SECOND) <= request.points()) {
        return seconds * SECOND;
      }
    }
    long day = Grain.DAY.micros();
    int points = request.points();
    return Math.max(1, (length / day + points - 1) / points) * day;
  }

  private boolean hasManyRows(long from, long to) throws SQLException {
    if (isSnapshot) {
      return false;
    }
    Optional<RollupPlan> plan =
        facts.plan(
            new RollupQuery(Set.of(), from, open(to), accounting, false, Grain.MINUTE.micros()));
    long rows =
        plan.isPresent()
            ? facts.rows(plan.get())
            : facts.rows().parts().values().stream().mapToLong(part -> part.rows()).sum();
    return rows > choice.maxRows() / FEWER_ROWS;
  }

  private List<SeriesRange> ranges(long begin, long end, long length) throws SQLException {
    long from = Math.floorDiv(begin, step) * step;
    long to = Math.min(pointsOf(end) * step, newest + 1);
    long points = pointsOf(to - from);
    if (points > FlowQuery.MAX_POINTS || points * request.n() > MAX_VALUES) {
      throw new IllegalArgumentException(
          "series: %,d points are too many, ask for a longer step or fewer groups"
              .formatted(points));
    }
    List<SeriesRange> all = new ArrayList<>();
    all.add(range(forward, from, to));
    if (request.previous()) {
      long before = pointsOf(length) * step;
      all.add(range(forward, from - before, to - before));
    }
    if (reverse.isPresent()) {
      all.add(range(reverse.get(), from, to));
    }
    return all;
  }

  private long pointsOf(long micros) {
    return Math.floorDiv(micros + step - 1, step);
  }

  private SeriesRange range(Direction direction, long from, long to) throws SQLException {
    RollupPlan plan = plan(direction, from, to, step);
    boolean isKept = plan.kept() != null || plan.isSampled();
    long known = Math.max(first, isKept ? plan.from() : facts.rows().goneBefore());
    return new SeriesRange(direction, new Points.Span(from, to, step, known), plan);
  }

  private RollupPlan plan(Direction direction, long from, long to, long bucket)
      throws SQLException {
    if (isSnapshot) {
      return choice.scan(
          new RollupQuery(
              direction.used(), from, Math.min(to, newest + 1), accounting, false, bucket));
    }
    RollupQuery query = rollupQuery(direction, from, to, bucket);
    Optional<RollupPlan> fast = request.scan() ? Optional.empty() : choice.fast(query);
    if (fast.isEmpty() && !request.scan() && maySample) {
      fast = choice.sampled(query);
    }
    return fast.orElseGet(() -> choice.scan(query));
  }

  private RollupQuery rollupQuery(Direction direction, long from, long to, long bucket) {
    return new RollupQuery(direction.used(), from, open(to), accounting, false, bucket);
  }

  private long open(long to) {
    return to > newest ? Long.MAX_VALUE : to;
  }
}

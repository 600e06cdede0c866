package io.millrace.store.duckdb.top;

import io.millrace.store.Cancellation;
import io.millrace.store.FlowSchema;
import io.millrace.store.QueryResult;
import io.millrace.store.SeriesRequest;
import io.millrace.store.SeriesResult;
import io.millrace.store.SeriesResult.Group;
import io.millrace.store.SeriesResult.Period;
import io.millrace.store.TopRequest;
import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.plan.RollupPieces;
import io.millrace.store.duckdb.plan.RollupPlan;
import io.millrace.store.duckdb.plan.RollupPlan.Piece;
import io.millrace.store.duckdb.plan.RollupQuestion;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.duckdb.rollup.TableRollups;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.filter.Filter;
import io.millrace.store.filter.FilterParser;
import io.millrace.store.filter.Sides;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.duckdb.DuckDBConnection;

/**
 * The largest groups over time, from rollups where they have the answer, else from rows: the groups
 * are chosen over the whole window, from the coarsest buckets, and then summed up by points, from
 * the coarsest buckets that lie whole in one.
 */
public final class SeriesQuery {
  private static final long SECOND = 1_000_000;

  /** Lengths of points where nobody says, in seconds; longer ones are whole days. */
  private static final List<Integer> STEPS =
      List.of(
          1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200);

  /** Where nobody says how long points are, there are no more than these. */
  private static final int POINTS = 400;

  /** More sums than these are not read to choose groups by, if fewer tell almost the same. */
  private static final long MOST_RANKED_SUMS = 500_000;

  /** Of a bucket without sums, or one that has dropped no group. */
  private static final double[] NOTHING = {0, 0};

  private static final int MOST_POINTS = 10_000;
  private static final int MOST_VALUES = 1_000_000;

  /** Points shorter than a minute are made of rows; of more of them only if somebody wants it. */
  private static final long MOST_FINE_ROWS = 200_000;

  private final Queries queries;
  private final TopMemory memory;
  private final FlowView view;
  private final FlowSchema schema;
  private final Accounting accounting;
  private final long mostRows;

  /**
   * Questions about a view of a table with the schema.
   *
   * @param accounting when the counts of a long flow count
   */
  public SeriesQuery(
      Queries queries, TopMemory memory, FlowView view, FlowSchema schema, Accounting accounting) {
    this(queries, memory, view, schema, accounting, Choice.MOST_ROWS);
  }

  /**
   * The same.
   *
   * @param mostRows that are read for a window where buckets have dropped groups
   */
  SeriesQuery(
      Queries queries,
      TopMemory memory,
      FlowView view,
      FlowSchema schema,
      Accounting accounting,
      long mostRows) {
    this.queries = queries;
    this.memory = memory;
    this.view = view;
    this.schema = schema;
    this.accounting = accounting;
    this.mostRows = mostRows;
  }

  /**
   * The answer.
   *
   * @param limit of time
   */
  public SeriesResult run(SeriesRequest request, Duration limit, Cancellation cancellation) {
    return queries.shared(new Asked(request, Choice.rows(mostRows, limit)), limit, cancellation);
  }

  /** What is asked of one direction. */
  private final class Direction {
    private final List<ViewColumn> columns = new ArrayList<>();
    private final TopSql top;
    private final SeriesSql sql;
    private final GroupKeys keys;

    Direction(SeriesRequest request, List<ViewColumn> plain, Optional<Filter> filter) {
      String condition = filter.map(FilterSql::where).orElse("");
      columns.addAll(plain);
      plain.forEach(column -> columns.add(Dimensions.labelled(view, column, plain)));
      Set<String> grouped = new LinkedHashSet<>();
      columns.forEach(column -> grouped.addAll(column.stored()));
      Set<String> used = new LinkedHashSet<>(grouped);
      used.addAll(TopSql.columnsIn(condition));
      FlowLayout layout = FlowLayout.of(FlowPart.RECORDS, schema);
      keys =
          new GroupKeys(
              grouped.stream()
                  .map(name -> layout.columns().get(layout.place(name)))
                  .map(column -> new GroupKeys.Column(column.name(), column.sqlType()))
                  .toList());
      top = plain.isEmpty() ? null : new TopSql(view.table(), columns, top(request), condition);
      sql =
          new SeriesSql(
              view.table(), List.copyOf(grouped), used, condition, Counted.of(request.measure()));
    }

    private static TopRequest top(SeriesRequest request) {
      return new TopRequest(
          request.dimensions(),
          request.measure(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          request.n(),
          request.table());
    }

    private boolean isPlain() {
      return sql.condition().isEmpty();
    }
  }

  /** A direction over a stretch of time, and what answers. */
  private record Stretch(Direction direction, Points.Span span, RollupPlan plan) {
    boolean isRolled() {
      return plan.kept() != null;
    }

    /** The same as one point. */
    Points.Span whole() {
      return new Points.Span(span.from(), span.to(), span.to() - span.from(), span.known());
    }
  }

  /** One question, and what its transaction has found out. */
  private final class Asked implements Queries.Asking<SeriesResult> {
    private final SeriesRequest request;
    private final long mostRows;
    private final List<ViewColumn> columns = new ArrayList<>();
    private final List<String> separators = new ArrayList<>();
    private final Direction forward;
    private final Optional<Direction> reverse;
    private RollupFacts facts;
    private Choice choice;
    private long first;
    private long newest;
    private long rowsFrom;
    private long step;
    private List<Stretch> stretches = List.of();

    /** How much these tell of what is gone; −1 before there are any. */
    private long told;

    /** Whether estimates are wanted: what is exact, with longer points, comes first. */
    private boolean maySample;

    Asked(SeriesRequest request, long mostRows) {
      this.request = request;
      this.mostRows = mostRows;
      for (String dimension : request.dimensions()) {
        List<ViewColumn> its = Dimensions.columns(view, dimension, "series");
        String separator = " · ";
        for (ViewColumn column : its) {
          if (!canGroup(column)) {
            throw new IllegalArgumentException(
                "series: flows cannot be grouped by " + column.name());
          }
          separators.add(separator);
          separator = " → "; // in front of the other side
          columns.add(column);
        }
      }
      Optional<Filter> filter = request.filter().map(text -> FilterParser.parse(text, schema));
      forward = new Direction(request, columns, filter);
      reverse =
          request.reverse()
              ? Optional.of(
                  new Direction(
                      request,
                      columns.stream().map(this::other).toList(),
                      filter.map(its -> Sides.other(its, schema))))
              : Optional.empty();
    }

    private ViewColumn other(ViewColumn column) {
      return Objects.requireNonNullElse(view.dimension(Sides.other(column.name())), column);
    }

    /** By whole numbers; a time is one too, but no two flows have the same. */
    private boolean canGroup(ViewColumn column) {
      FlowLayout layout = FlowLayout.of(FlowPart.RECORDS, schema);
      return column.stored().stream()
          .map(layout::place)
          .allMatch(
              place -> place >= 0 && !layout.columns().get(place).sqlType().equals("TIMESTAMP"));
    }

    @Override
    public Queries.Shared compose(ReadTransaction transaction) throws SQLException {
      facts = RollupFacts.read(transaction, view.table(), queries.memory());
      choice = new Choice(facts, mostRows);
      newest = facts.newest();
      if (newest != Long.MIN_VALUE) {
        first = Math.min(facts.first(accounting), newest);
        rowsFrom = facts.rowsFrom(accounting);
        choose();
      }
      return new Queries.Shared(
          List.of(request, stretches.stream().map(Stretch::plan).toList()), facts.rows());
    }

    // ---- when

    private void choose() throws SQLException {
      long to = request.to().map(TopQuery::micros).orElse(Long.MAX_VALUE);
      long from = request.from().map(TopQuery::micros).orElse(Long.MIN_VALUE);
      if (request.last().isPresent()) {
        from = newest - TopQuery.micros(request.last().get()) + 1;
      }
      long begin = Math.max(from, first);
      long end = Math.min(to, newest + 1);
      if (begin >= end) {
        return;
      }
      step = request.step().map(its -> its.toSeconds() * SECOND).orElseGet(() -> step(end - begin));
      if (request.step().isEmpty() && step < Grain.MINUTE.micros() && hasManyRows(begin, end)) {
        step = Grain.MINUTE.micros();
      }
      boolean hasStart = request.from().isPresent() || request.last().isPresent();
      long length = end - (hasStart ? from : begin);
      long asked = step;
      told = -1;
      maySample = false;
      if (!tellsAll(steps(asked), begin, end, length)) {
        maySample = true;
        tellsAll(steps(asked), begin, end, length);
      }
      step = stretches.get(0).span.step();
    }

    /** Takes the first of some steps with which most is told, where that is more than before. */
    private boolean tellsAll(List<Long> steps, long begin, long end, long length)
        throws SQLException {
      for (long wanted : steps) {
        step = wanted;
        List<Stretch> all = stretches(begin, end, length);
        long telling = tells(all.get(0)) ? 1 + all.stream().filter(this::tells).count() : 0;
        if (telling > told) {
          stretches = all;
          told = telling;
        }
        if (telling > all.size()) {
          return true;
        }
      }
      return false;
    }

    /** Whether an answer misses no rows that are gone. */
    private boolean tells(Stretch stretch) {
      return stretch.isRolled()
          || stretch.plan.isSampled()
          || stretch.span.to() <= first
          || stretch.plan.from() >= rowsFrom;
    }

    /** The step, and longer ones for which coarser buckets can answer. */
    private static List<Long> steps(long step) {
      List<Long> steps = new ArrayList<>(List.of(step));
      for (Grain grain : Grain.values()) {
        if (grain.micros() > step) {
          steps.add(grain.micros());
        }
      }
      return steps;
    }

    private static long step(long length) {
      for (int seconds : STEPS) {
        if (length / (seconds * SECOND) <= POINTS) {
          return seconds * SECOND;
        }
      }
      long day = Grain.DAY.micros();
      return Math.max(1, (length / day + POINTS - 1) / POINTS) * day;
    }

    private boolean hasManyRows(long from, long to) throws SQLException {
      Optional<RollupPlan> plan =
          facts.plan(
              new RollupQuestion(Set.of(), from, to, accounting, false, Grain.MINUTE.micros()));
      long rows =
          plan.isPresent()
              ? facts.rows(plan.get())
              : facts.rows().parts().values().stream().mapToLong(part -> part.rows()).sum();
      return rows > MOST_FINE_ROWS;
    }

    private List<Stretch> stretches(long begin, long end, long length) throws SQLException {
      long from = Math.floorDiv(begin, step) * step;
      long to = Math.min(pointsOf(end) * step, newest + 1);
      long points = pointsOf(to - from);
      if (points > MOST_POINTS || points * request.n() > MOST_VALUES) {
        throw new IllegalArgumentException(
            "series: %,d points are too many, ask for a longer step or fewer groups"
                .formatted(points));
      }
      List<Stretch> all = new ArrayList<>();
      all.add(stretch(forward, from, to));
      if (request.previous()) {
        long before = pointsOf(length) * step;
        all.add(stretch(forward, from - before, to - before));
      }
      if (reverse.isPresent()) {
        all.add(stretch(reverse.get(), from, to));
      }
      return all;
    }

    /** Points that a length of time takes, the last of them perhaps not whole. */
    private long pointsOf(long micros) {
      return Math.floorDiv(micros + step - 1, step);
    }

    private Stretch stretch(Direction direction, long from, long to) throws SQLException {
      RollupPlan plan = plan(direction, from, to, step);
      boolean isKept = plan.kept() != null || plan.isSampled();
      long known = Math.max(first, isKept ? plan.from() : facts.rows().goneBefore());
      return new Stretch(direction, new Points.Span(from, to, step, known), plan);
    }

    private RollupPlan plan(Direction direction, long from, long to, long bucket)
        throws SQLException {
      RollupQuestion question = question(direction, from, to, bucket);
      Optional<RollupPlan> fast = request.scan() ? Optional.empty() : choice.fast(question);
      if (fast.isEmpty() && maySample && !request.scan()) {
        fast = choice.sampled(question);
      }
      return fast.orElseGet(() -> choice.scan(question));
    }

    private RollupQuestion question(Direction direction, long from, long to, long bucket) {
      return new RollupQuestion(
          direction.sql.used(), from, to > newest ? Long.MAX_VALUE : to, accounting, false, bucket);
    }

    // ---- who

    @Override
    public SeriesResult answer(ReadTransaction transaction, Queries.Running running)
        throws SQLException {
      if (stretches.isEmpty()) {
        return nothing();
      }
      DuckDBConnection connection = transaction.connection();
      List<long[]> groups = columns.isEmpty() ? List.of() : largest(connection, running);
      List<List<String>> texts =
          groups.isEmpty()
              ? List.of()
              : memory
                  .texts()
                  .of(
                      forward.columns,
                      forward.keys,
                      groups,
                      (keys, its) -> running.run(forward.top.texts(keys, its)));
      List<Integer> order = new ArrayList<>();
      boolean isScaled = false;
      List<Period> periods = new ArrayList<>();
      for (Stretch stretch : stretches) {
        Points points = points(stretch, groups, running);
        isScaled |= points.isScaled();
        if (periods.isEmpty()) {
          order = points.largestFirst();
        }
        periods.add(period(stretch, points, texts, order));
      }
      return new SeriesResult(
          names(),
          Duration.of(step, ChronoUnit.MICROS),
          TopQuery.instant(completeUntil()),
          isScaled,
          periods.get(0),
          request.previous() ? Optional.of(periods.get(1)) : Optional.empty(),
          reverse.isPresent() ? Optional.of(periods.get(periods.size() - 1)) : Optional.empty());
    }

    /** The largest groups over the whole window. */
    private List<long[]> largest(DuckDBConnection connection, Queries.Running running)
        throws SQLException {
      Points.Span span = stretches.get(0).span;
      RollupPlan plan = ranking(span);
      if (plan.kept() != null && forward.isPlain()) {
        Optional<HeldTop> held = HeldTop.of(connection, facts, plan, memory.buckets(), forward.top);
        if (held.isPresent()) {
          return held.get().largest(request.n()).stream().map(HeldTop.Group::key).toList();
        }
      }
      QueryResult rows =
          running.run(forward.top.largest(plan, facts.rows(), facts.rules(), forward.keys));
      List<long[]> groups = new ArrayList<>();
      while (rows.next()) {
        long[] key = new long[forward.keys.longs()];
        for (int i = 0; i < key.length; i++) {
          key[i] = (Long) rows.value(i);
        }
        groups.add(key);
      }
      return groups;
    }

    /** Where that would take too many sums, coarser buckets tell, in which the largest are too. */
    private RollupPlan ranking(Points.Span span) throws SQLException {
      RollupPlan plan = plan(forward, span.from(), span.to(), 0);
      if (plan.kept() == null || facts.sums(plan) <= MOST_RANKED_SUMS) {
        return plan;
      }
      return facts.plan(question(forward, span.from(), span.to(), 0)).orElse(plan);
    }

    // ---- how much

    private Points points(Stretch stretch, List<long[]> groups, Queries.Running running)
        throws SQLException {
      Points points = new Points(stretch.span, groups.size());
      RollupPlan plan = stretch.plan;
      if (plan.from() >= plan.to()) {
        return points;
      }
      SeriesSql sql = stretch.direction.sql;
      if (stretch.isRolled()) {
        for (HeldLines.Bucket bucket : buckets(stretch, groups, running)) {
          points.addBucket(bucket, sql.isWholeSet(plan), stretch.direction.isPlain());
        }
      }
      RollupPieces pieces = sql.pieces(plan, facts.rows(), facts.rules(), step);
      String selects = stretch.isRolled() ? pieces.loose() : pieces.select();
      if (!selects.isEmpty()) {
        QueryResult sums =
            running.run(
                pieces.with(sql.condition())
                    + sql.sums(
                        selects, false, stretch.span, stretch.direction.keys, groups, false));
        while (sums.next()) {
          points.add(
              Math.toIntExact((Long) sums.value(1)),
              (Long) sums.value(0),
              (Double) sums.value(2),
              (Double) sums.value(3),
              (Long) sums.value(4));
        }
      }
      if (plan.isSampled()) {
        addErrors(points, stretch, groups, running);
      }
      return points;
    }

    /** Of the whole stretch: a flow that lasts for several points is sampled once for all. */
    private void addErrors(
        Points points, Stretch stretch, List<long[]> groups, Queries.Running running)
        throws SQLException {
      SeriesSql sql = stretch.direction.sql;
      QueryResult most = running.run(sql.counted().largest(view.table(), stretch.plan));
      double largest = most.next() ? (Double) most.value(0) : 0;
      RollupPieces pieces = sql.pieces(stretch.plan, facts.rows(), facts.rules(), 0);
      QueryResult sums =
          running.run(
              pieces.with(sql.condition())
                  + sql.sums(
                      pieces.select(),
                      false,
                      stretch.whole(),
                      stretch.direction.keys,
                      groups,
                      true));
      while (sums.next()) {
        points.addUncertain(
            Math.toIntExact((Long) sums.value(1)),
            (Double) sums.value(5),
            (Double) sums.value(6),
            largest);
      }
    }

    /** The whole buckets of a plan, read where they are not held. */
    private List<HeldLines.Bucket> buckets(
        Stretch stretch, List<long[]> groups, Queries.Running running) throws SQLException {
      RollupPlan plan = stretch.plan;
      long version = facts.rows().version();
      HeldLines.Of of =
          new HeldLines.Of(stretch.direction.sql, plan.kept().set().name(), plan.accounting());
      List<HeldLines.Bucket> buckets = new ArrayList<>();
      List<Piece> missing = memory.lines().find(of, groups, plan, version, facts.late(), buckets);
      if (!missing.isEmpty()) {
        RollupPlan rest =
            new RollupPlan(plan.kept(), missing, plan.accounting(), plan.from(), plan.to());
        Map<Long, HeldLines.Bucket> read = read(stretch, rest, groups, running);
        if (HeldLines.canHold(plan)) {
          memory.lines().keep(of, stretch.direction.keys, groups, missing, read, version);
        }
        buckets.addAll(read.values());
      }
      return buckets;
    }

    /** Reads whole buckets; those without sums too. */
    private Map<Long, HeldLines.Bucket> read(
        Stretch stretch, RollupPlan buckets, List<long[]> groups, Queries.Running running)
        throws SQLException {
      SeriesSql sql = stretch.direction.sql;
      Map<Long, double[]> dropped = new HashMap<>();
      if (facts.hasRest(buckets)) {
        QueryResult rows = running.run(sql.dropped(buckets));
        while (rows.next()) {
          dropped.put(
              (Long) rows.value(0), new double[] {(Double) rows.value(1), (Double) rows.value(2)});
        }
      }
      Map<Long, double[]> volumes = new HashMap<>();
      Map<Long, double[]> sums = new HashMap<>();
      QueryResult rows =
          running.run(
              sql.sums(
                  sql.pieces(buckets, facts.rows(), facts.rules(), step).buckets(),
                  true,
                  stretch.span,
                  stretch.direction.keys,
                  groups,
                  false));
      while (rows.next()) {
        long start = (Long) rows.value(0);
        int place = Math.toIntExact((Long) rows.value(1));
        double[] its = sums.computeIfAbsent(start, any -> new double[2]);
        its[0] += (Double) rows.value(2);
        its[1] += (Double) rows.value(3);
        if (place >= 0) {
          volumes.computeIfAbsent(start, any -> absent(groups.size()))[place] =
              (Double) rows.value(2);
        }
      }
      Map<Long, HeldLines.Bucket> read = new HashMap<>();
      for (Piece piece : buckets.pieces()) {
        long micros = piece.source().grain().micros();
        for (long start = piece.from(); start < piece.to(); start += micros) {
          double[] its = sums.getOrDefault(start, NOTHING);
          double[] rest = dropped.getOrDefault(start, NOTHING);
          double[] groupsOf = volumes.getOrDefault(start, absent(groups.size()));
          read.put(start, new HeldLines.Bucket(start, groupsOf, its[0], its[1], rest[0], rest[1]));
        }
      }
      return read;
    }

    private static double[] absent(int groups) {
      double[] volumes = new double[groups];
      Arrays.fill(volumes, HeldLines.ABSENT);
      return volumes;
    }

    // ---- the answer

    private List<String> names() {
      return columns.stream().map(ViewColumn::name).toList();
    }

    private SeriesResult nothing() {
      long now = newest == Long.MIN_VALUE ? TopQuery.micros(Instant.now()) : newest;
      Points points = new Points(new Points.Span(now, now, SECOND, now), 0);
      Period empty =
          new Period(
              TopQuery.instant(now),
              TopQuery.instant(now),
              List.of(),
              points.others(1),
              points.total(1),
              "rows");
      return new SeriesResult(
          names(),
          request.step().orElse(Duration.ofSeconds(1)),
          TopQuery.instant(now),
          false,
          empty,
          request.previous() ? Optional.of(empty) : Optional.empty(),
          request.reverse() ? Optional.of(empty) : Optional.empty());
    }

    private Period period(
        Stretch stretch, Points points, List<List<String>> texts, List<Integer> order) {
      int units = stretch.direction.sql.counted().units();
      List<Group> groups = new ArrayList<>();
      for (int place : order) {
        List<String> its = texts.get(place);
        groups.add(
            new Group(
                its.subList(0, columns.size()),
                its.subList(columns.size(), its.size()),
                label(its.subList(columns.size(), its.size())),
                points.group(place, units)));
      }
      Points.Span span = stretch.span;
      return new Period(
          TopQuery.instant(span.from()),
          TopQuery.instant(span.to()),
          groups,
          points.others(units),
          points.total(units),
          stretch.plan.describe(points.edges(), Math.max(first, span.from()), span.to()));
    }

    private String label(List<String> values) {
      StringBuilder label = new StringBuilder();
      for (int i = 0; i < values.size(); i++) {
        label
            .append(i == 0 ? "" : separators.get(i))
            .append(Objects.requireNonNullElse(values.get(i), "unknown"));
      }
      return label.toString();
    }

    /** Records tell of minutes past; packets are told of when they pass. */
    private long completeUntil() {
      boolean tellsOfPast =
          accounting == Accounting.SPREAD
              && facts.rows().parts().get(FlowPart.RECORDS).mayHave(first, Long.MAX_VALUE);
      long lateness =
          tellsOfPast ? TableRollups.SPREAD_LATENESS_MICROS : TableRollups.LATENESS_MICROS;
      Points.Span span = stretches.get(0).span;
      return Math.max(span.from(), Math.min(span.to(), newest + 1 - lateness));
    }
  }
}

package io.millrace.store.duckdb.top;

import io.millrace.store.Cancellation;
import io.millrace.store.FlowQuery;
import io.millrace.store.QueryResult;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.filter.Filter;
import io.millrace.store.filter.FilterParser;
import io.millrace.store.query.GroupSql;
import io.millrace.store.query.Pieces;
import io.millrace.store.query.RollupPlan;
import io.millrace.store.query.RollupQuery;
import io.millrace.store.rollup.Grain;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The largest groups, from rollups if they have the result, else from rows. Names and addresses are
 * looked up as text only for the groups in the result.
 */
public final class TopQuery {
  private static final long SECOND = 1_000_000;

  private final TopSource source;
  private long manyRows = Choice.MANY_ROWS;

  private static final Instant FIRST_ROW = Instant.EPOCH;
  private static final Instant LAST_ROW = Instant.parse("2262-01-01T00:00:00Z");
  private static final Duration LONGEST = Duration.between(FIRST_ROW, LAST_ROW);

  /** Queries a table of flows. */
  public TopQuery(TopSource source) {
    this.source = source;
  }

  TopQuery choosingBeyond(long rows) {
    manyRows = rows;
    return this;
  }

  public TopResult run(FlowQuery request, Duration limit, Cancellation cancellation) {
    TopRun run =
        new TopRun(
            request,
            columns(request.dimensions()),
            Choice.rows(source.maxRows(), limit),
            limit,
            cancellation);
    return source.queries().shared(run, limit, cancellation);
  }

  static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  static long micros(Instant instant) {
    Instant within =
        instant.isBefore(FIRST_ROW) ? FIRST_ROW : instant.isAfter(LAST_ROW) ? LAST_ROW : instant;
    return ChronoUnit.MICROS.between(Instant.EPOCH, within);
  }

  static long micros(Duration last) {
    return (last.compareTo(LONGEST) > 0 ? LONGEST : last).toNanos() / 1_000;
  }

  private final class TopRun implements Queries.SharedQuery<TopResult> {
    private final List<ViewColumn> columns;
    private final Optional<Filter> filter;

    /** Rows that another engine reads, unless rollups give the exact result. */
    private Optional<SnapshotRows> snapshot = source.snapshot();

    private Direction direction;
    private final long maxRows;
    private final Duration limit;
    private final Cancellation cancellation;
    private FlowQuery request;
    private RollupFacts facts;
    private RollupPlan plan;
    private Optional<RollupPlan> candidates;
    private long newest;
    private long now;
    private long earliest;

    TopRun(
        FlowQuery request,
        List<ViewColumn> columns,
        long maxRows,
        Duration limit,
        Cancellation cancellation) {
      this.limit = limit;
      this.cancellation = cancellation;
      this.request = request;
      this.columns = columns;
      this.maxRows = maxRows;
      filter = request.filter().map(text -> FilterParser.parse(text, source.schema()));
      direction = direction();
    }

    private Direction direction() {
      return Direction.of(
          source.view(), source.schema(), columns, filter, request.measure(), snapshot);
    }

    @Override
    public Queries.QueryKey prepare(ReadTransaction transaction) throws SQLException {
      facts = RollupFacts.read(transaction, source.view().table(), source.queries().memory());
      Choice choice = new Choice(facts, maxRows);
      newest = facts.newest();
      now = facts.now();
      earliest = facts.earliest();
      if (snapshot.isPresent()) {
        newest = Math.min(newest, snapshot.get().version().newestMicros());
        now = Math.min(now, newest);
      }
      if (request.p95() && fives(rollupQuery()) == 0) { // no p95, and groups by volume
        request = request.withP95(false);
      }
      if (snapshot.isPresent()) {
        return prepare(choice);
      }
      RollupQuery query = rollupQuery();
      Optional<RollupPlan> fast = request.scan() ? Optional.empty() : choice.fast(query);
      boolean mayBeSampled = fast.isEmpty() && !request.scan() && !request.p95();
      Optional<RollupPlan> best = mayBeSampled ? choice.sampled(query) : fast;
      plan = best.orElseGet(() -> choice.scan(query));
      boolean mayChoose = !request.scan() && !plan.isSampled() && isByVolume();
      candidates = mayChoose ? choice.candidates(query, plan, manyRows) : Optional.empty();
      return new Queries.QueryKey(List.of(request, plan), facts.rows());
    }

    /** With another engine: chooses rollups if they have all groups. */
    private Queries.QueryKey prepare(Choice choice) throws SQLException {
      candidates = Optional.empty();
      Optional<SnapshotRows> engine = snapshot;
      snapshot = Optional.empty();
      direction = direction();
      Optional<RollupPlan> rolled =
          request.scan() ? Optional.empty() : choice.rolled(rollupQuery());
      if (rolled.isEmpty()) {
        snapshot = engine;
        direction = direction();
      }
      plan = rolled.orElseGet(() -> choice.scan(rollupQuery()));
      return new Queries.QueryKey(List.of(request, plan, snapshot), facts.rows());
    }

    private boolean isByVolume() {
      return !request.p95() && direction.isPlain() && !direction.hasReportedKeys();
    }

    @Override
    public TopResult execute(ReadTransaction transaction, Queries.RunningQuery running)
        throws SQLException {
      if (snapshot.isPresent()) {
        return fromSnapshot(
            snapshot.get(),
            new Ranking(transaction.connection(), running, source.memory(), facts, direction));
      }
      Predicate<RowExtent> files = direction.files(plan, facts);
      if (candidates.isPresent()) {
        files = files.or(direction.files(candidates.get(), facts));
      }
      var unused = transaction.rows().read(source.view().table(), files);
      Ranking ranking =
          new Ranking(transaction.connection(), running, source.memory(), facts, direction);
      Optional<CachedTop> held =
          candidates.isPresent() || request.p95() ? Optional.empty() : ranking.held(plan);
      Ranking.Ranked ranked =
          held.isPresent()
              ? held.get().ranked(request.n())
              : ranking.rank(plan, by(), chosen(ranking));
      return result(ranked, rows(ranked, ranking));
    }

    /** Lets another engine rank the groups; their texts are those of the database. */
    private TopResult fromSnapshot(SnapshotRows snapshot, Ranking ranking) throws SQLException {
      GroupSql.Ranking by = by();
      Pieces pieces = direction.rows(snapshot, plan, facts, by.percentileMicros());
      try (QueryResult groups =
          snapshot.run(direction.sql().rank(pieces, by, List.of()), limit, cancellation)) {
        Ranking.Ranked ranked = ranking.ranked(groups, plan);
        return result(ranked, rows(ranked, ranking));
      }
    }

    private List<TopResult.Row> rows(Ranking.Ranked ranked, Ranking ranking) throws SQLException {
      List<List<String>> texts = ranking.texts(ranked.keys());
      List<TopResult.Row> rows = new ArrayList<>();
      for (Ranking.Group group : ranked.groups()) {
        rows.add(
            new TopResult.Row(
                texts.get(rows.size()),
                group.volume(),
                group.flows(),
                group.bound(),
                group.p95(),
                group.error()));
      }
      return rows;
    }

    private GroupSql.Ranking by() {
      return request.p95()
          ? new GroupSql.Ranking(
              request.n(), Grain.FIVE.micros(), (plan.to() - plan.from()) / Grain.FIVE.micros())
          : new GroupSql.Ranking(request.n(), 0, 0);
    }

    private List<long[]> chosen(Ranking ranking) throws SQLException {
      Optional<CachedTop> buckets =
          candidates.isPresent() ? ranking.held(candidates.get()) : Optional.empty();
      return buckets.flatMap(top -> top.candidates(request.n())).orElse(List.of());
    }

    private RollupQuery rollupQuery() {
      long from = request.from().map(TopQuery::micros).orElse(Long.MIN_VALUE);
      long to = request.to().map(TopQuery::micros).orElse(Long.MAX_VALUE);
      if (request.last().isPresent() && newest != Long.MIN_VALUE) {
        from = now - micros(request.last().get()) + 1;
      }
      boolean endsNow = request.to().isEmpty() && from > Long.MIN_VALUE && from <= now;
      if (endsNow && now < newest) {
        to = now + 1;
      }
      if (source.snapshot().isPresent() && newest != Long.MIN_VALUE) {
        to = Math.min(to, newest + 1);
      }
      long five = Grain.FIVE.micros();
      if (request.p95()) {
        long clippedFrom = Math.max(from, Math.min(earliest, newest));
        from = Grain.FIVE.bucket(clippedFrom + five - 1);
        to = Math.max(from, Grain.FIVE.bucket(Math.min(to, newest + 1)));
      }
      return new RollupQuery(
          direction.used(), from, to, source.accounting(), false, request.p95() ? five : 0);
    }

    private int fives(RollupQuery query) {
      return (int) ((query.to() - query.from()) / Grain.FIVE.micros());
    }

    private TopResult result(Ranking.Ranked ranked, List<TopResult.Row> rows) {
      boolean isFiltered = request.filter().isPresent();
      return new TopResult(
          columns.stream().map(ViewColumn::name).toList(),
          rows,
          isFiltered ? ranked.volume() : ranked.volume() + ranked.rest(),
          isFiltered ? ranked.rest() : 0,
          ranked.error(),
          isFiltered ? 0 : ranked.rest(),
          seconds(),
          ranked.isEstimated(),
          snapshot
              .map(SnapshotRows::describe)
              .orElseGet(() -> plan.describe(ranked.edges(), first(), end())),
          instant(first()),
          instant(end()),
          request.p95() ? fives(rollupQuery()) : 0);
    }

    private long first() {
      return newest == Long.MIN_VALUE
          ? micros(Instant.now())
          : Math.max(plan.from(), Math.min(earliest, newest));
    }

    private long end() {
      return newest == Long.MIN_VALUE
          ? first()
          : Math.max(first(), Math.min(plan.to(), newest + 1));
    }

    private double seconds() {
      return (double) Math.max(0, end() - 1 - first()) / SECOND;
    }
  }

  private List<ViewColumn> columns(List<String> dimensions) {
    List<ViewColumn> columns = new ArrayList<>();
    dimensions.forEach(each -> columns.addAll(Dimensions.columns(source.view(), each, "top")));
    return columns.stream()
        .map(column -> Dimensions.labelled(source.view(), column, columns))
        .toList();
  }
}

package io.millrace.store.duckdb.top;

import io.millrace.store.Cancellation;
import io.millrace.store.FlowQuery;
import io.millrace.store.QueryResult;
import io.millrace.store.SeriesResult;
import io.millrace.store.SeriesResult.Group;
import io.millrace.store.SeriesResult.Period;
import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.ReportedKey;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.filter.Filter;
import io.millrace.store.filter.FilterParser;
import io.millrace.store.filter.Sides;
import io.millrace.store.query.GroupSql;
import io.millrace.store.query.Pieces;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The largest groups over time, from rollups if they have the result, else from rows. The groups
 * are chosen over the whole time range, from the longest buckets; then they are summed by point,
 * from the longest buckets that fit into a point.
 */
public final class SeriesQuery {
  private static final int MANY_SUMS = 50;

  private final TopSource source;

  /** Queries a table of flows. */
  public SeriesQuery(TopSource source) {
    this.source = source;
  }

  /**
   * Runs a query.
   *
   * @param limit time limit
   */
  public SeriesResult run(FlowQuery request, Duration limit, Cancellation cancellation) {
    return source
        .queries()
        .shared(
            new SeriesRun(request, Choice.rows(source.maxRows(), limit), limit, cancellation),
            limit,
            cancellation);
  }

  private final class SeriesRun implements Queries.SharedQuery<SeriesResult> {
    private final FlowQuery request;
    private final long maxRows;
    private final Duration limit;
    private final Cancellation cancellation;
    private final List<ViewColumn> columns = new ArrayList<>();
    private final List<String> separators = new ArrayList<>();
    private final Optional<Filter> filter;

    /** Rows that another engine reads, unless rollups give the exact result. */
    private Optional<SnapshotRows> snapshot = source.snapshot();

    private Direction forward;
    private Optional<Direction> reverse;
    private final RolledResults.Key key;
    private Optional<SeriesResult> cached = Optional.empty();
    private RollupFacts facts;

    private SeriesWindow window;

    SeriesRun(FlowQuery request, long maxRows, Duration limit, Cancellation cancellation) {
      this.limit = limit;
      this.cancellation = cancellation;
      this.request = request;
      this.maxRows = maxRows;
      key = new RolledResults.Key(request, source.accounting(), maxRows);
      for (String dimension : request.dimensions()) {
        List<ViewColumn> its = Dimensions.columns(source.view(), dimension, "series");
        String separator = " · ";
        for (ViewColumn column : its) {
          if (!canGroup(column)) {
            throw new IllegalArgumentException(
                "series: flows cannot be grouped by " + column.name());
          }
          separators.add(separator);
          separator = " → "; // before the other side
          columns.add(column);
        }
      }
      filter = request.filter().map(text -> FilterParser.parse(text, source.schema()));
      direct();
    }

    private void direct() {
      forward = direction(columns, filter);
      reverse =
          request.reverse()
              ? Optional.of(
                  direction(
                      columns.stream().map(this::other).toList(),
                      filter.map(its -> Sides.other(its, source.schema()))))
              : Optional.empty();
    }

    private Direction direction(List<ViewColumn> plain, Optional<Filter> filter) {
      List<ViewColumn> all = new ArrayList<>(plain);
      plain.forEach(column -> all.add(Dimensions.labelled(source.view(), column, plain)));
      return Direction.of(source.view(), source.schema(), all, filter, request.measure(), snapshot);
    }

    private ViewColumn other(ViewColumn column) {
      return Objects.requireNonNullElse(
          Dimensions.column(source.view(), Sides.other(column.name())), column);
    }

    private boolean canGroup(ViewColumn column) {
      FlowLayout layout = FlowLayout.of(FlowPart.RECORDS, source.schema());
      return ReportedKey.stored(column.stored()).stream()
          .map(layout::place)
          .allMatch(
              place -> place >= 0 && !layout.columns().get(place).sqlType().equals("TIMESTAMP"));
    }

    @Override
    public Queries.QueryKey prepare(ReadTransaction transaction) throws SQLException {
      if (!asOfNewestRoll(transaction)) {
        facts = RollupFacts.read(transaction, source.view().table(), source.queries().memory());
        window = facts.newest() == Long.MIN_VALUE ? null : chosen();
      }
      return new Queries.QueryKey(
          List.of(request, ranges().stream().map(SeriesRange::plan).toList(), snapshot),
          facts.rows());
    }

    private boolean asOfNewestRoll(ReadTransaction transaction) throws SQLException {
      Optional<RollupFacts> rolled =
          request.rolled() && snapshot.isEmpty()
              ? RollupFacts.rolled(transaction, source.view().table(), source.queries().memory())
              : Optional.empty();
      if (rolled.isEmpty()) {
        return false;
      }
      facts = rolled.get();
      cached = source.memory().results().find(key, facts.rows());
      if (cached.isPresent()) {
        return true;
      }
      window = window();
      return window.hasManyRows();
    }

    /** With another engine: chooses rollups if they have all groups. */
    private SeriesWindow chosen() throws SQLException {
      if (snapshot.isEmpty() || request.scan()) {
        return window();
      }
      snapshot = Optional.empty();
      direct();
      SeriesWindow rolled = window();
      if (!rolled.isExactlyRolled()) {
        snapshot = source.snapshot();
        direct();
        return window();
      }
      return rolled;
    }

    private SeriesWindow window() throws SQLException {
      return new SeriesWindow(
          request, forward, reverse, source.accounting(), facts, maxRows, snapshot);
    }

    private List<SeriesRange> ranges() {
      return window == null ? List.of() : window.ranges();
    }

    @Override
    public SeriesResult execute(ReadTransaction transaction, Queries.RunningQuery running)
        throws SQLException {
      if (cached.isPresent()) {
        return cached.get();
      }
      if (ranges().isEmpty()) {
        return nothing();
      }
      if (snapshot.isEmpty()) {
        Predicate<RowExtent> files = forward.files(window.ranking(), facts);
        for (SeriesRange range : ranges()) {
          files = files.or(range.direction().files(range.plan(), facts));
        }
        var unused = transaction.rows().read(source.view().table(), files);
      }
      Ranking ranking =
          new Ranking(transaction.connection(), running, source.memory(), facts, forward);
      List<long[]> groups = columns.isEmpty() ? List.of() : largest(ranking);
      List<List<String>> texts = ranking.texts(groups);
      SeriesSums sums = new SeriesSums(facts, source.memory().lines(), running, groups);
      SnapshotRows read = snapshot.orElse(null);
      List<Integer> order = new ArrayList<>();
      boolean isScaled = false;
      List<Period> periods = new ArrayList<>();
      for (SeriesRange range : ranges()) {
        Points points =
            read == null ? sums.points(range) : sums.points(range, read, limit, cancellation);
        isScaled |= points.isScaled();
        if (periods.isEmpty()) {
          order = points.largestFirst();
        }
        periods.add(period(range, points, texts, order));
      }
      SeriesResult result =
          new SeriesResult(
              names(),
              Duration.of(window.step(), ChronoUnit.MICROS),
              TopQuery.instant(window.completeUntil()),
              TopQuery.instant(window.newest()),
              isScaled,
              periods.get(0),
              request.previous() ? Optional.of(periods.get(1)) : Optional.empty(),
              reverse.isPresent()
                  ? Optional.of(periods.get(periods.size() - 1))
                  : Optional.empty());
      if (facts.rows().roll() != null) {
        source.memory().results().keep(key, facts.rows(), result);
      }
      return result;
    }

    private List<long[]> largest(Ranking ranking) throws SQLException {
      if (snapshot.isEmpty()) {
        return ranking.largest(window.ranking(), request.n(), maxRows / MANY_SUMS);
      }
      SnapshotRows read = snapshot.get();
      Pieces rows = forward.rows(read, window.ranking(), facts, 0);
      try (QueryResult keys =
          read.run(
              forward.sql().largest(rows, new GroupSql.Ranking(request.n(), 0, 0)),
              limit,
              cancellation)) {
        return ranking.keys(keys);
      }
    }

    private List<String> names() {
      return columns.stream().map(ViewColumn::name).toList();
    }

    private SeriesResult nothing() {
      long now = window == null ? TopQuery.micros(Instant.now()) : window.newest();
      Points points = new Points(new Points.Span(now, now, 1, now), 0);
      Period empty =
          new Period(
              TopQuery.instant(now),
              TopQuery.instant(now),
              List.of(),
              points.others(request.measure()),
              points.total(request.measure()),
              "rows");
      return new SeriesResult(
          names(),
          request.step().orElse(Duration.ofSeconds(1)),
          TopQuery.instant(now),
          TopQuery.instant(now),
          false,
          empty,
          request.previous() ? Optional.of(empty) : Optional.empty(),
          request.reverse() ? Optional.of(empty) : Optional.empty());
    }

    private Period period(
        SeriesRange range, Points points, List<List<String>> texts, List<Integer> order) {
      List<Group> groups = new ArrayList<>();
      for (int place : order) {
        List<String> its = texts.get(place);
        groups.add(
            new Group(
                its.subList(0, columns.size()),
                its.subList(columns.size(), its.size()),
                label(its.subList(columns.size(), its.size())),
                points.group(place, request.measure())));
      }
      Points.Span span = range.span();
      return new Period(
          TopQuery.instant(span.from()),
          TopQuery.instant(span.to()),
          groups,
          points.others(request.measure()),
          points.total(request.measure()),
          snapshot
              .map(SnapshotRows::describe)
              .orElseGet(
                  () ->
                      range
                          .plan()
                          .describe(
                              points.edges(), Math.max(window.first(), span.from()), span.to())));
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
  }
}

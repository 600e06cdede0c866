package io.millrace.store.duckdb.top;

import io.millrace.store.Cancellation;
import io.millrace.store.FlowSchema;
import io.millrace.store.QueryResult;
import io.millrace.store.TopRequest;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.plan.RollupPlan;
import io.millrace.store.duckdb.plan.RollupPlan.Piece;
import io.millrace.store.duckdb.plan.RollupPlan.Source;
import io.millrace.store.duckdb.plan.RollupQuestion;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.filter.FilterParser;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.duckdb.DuckDBConnection;

/**
 * The largest groups, from rollups where they have the answer, else from rows: names and addresses
 * become text for the groups in the answer only.
 */
public final class TopQuery {
  private static final long SECOND = 1_000_000;

  /** Beyond this many, reading groups takes longer than leaving them to the database. */
  private static final int MOST_LOOSE_GROUPS = 100_000;

  /**
   * Up to so many rows are read for a window where buckets have dropped groups, and so many for
   * each second that the question may take: a quarter to half a second on two cores.
   */
  private static final long MOST_ROWS = 5_000_000;

  private static final long ROWS_A_SECOND = 1_000_000;

  /** To read a sum that is not in memory takes as long as so many rows. */
  private static final int ROWS_A_SUM = 16;

  /** Each stretch of rows is a branch of the query, which is planned for longer than it is read. */
  private static final int MOST_STRETCHES = 8;

  private final Queries queries;
  private final TopMemory memory;
  private final FlowView view;
  private final FlowSchema schema;
  private final Accounting accounting;
  private final long mostRows;

  private static final Instant FIRST_ROW = Instant.EPOCH;
  private static final Instant LAST_ROW = Instant.parse("2262-01-01T00:00:00Z");
  private static final Duration LONGEST = Duration.between(FIRST_ROW, LAST_ROW);

  /**
   * Questions about a view of a table with the schema.
   *
   * @param accounting when the counts of a long flow count
   */
  public TopQuery(
      Queries queries, TopMemory memory, FlowView view, FlowSchema schema, Accounting accounting) {
    this(queries, memory, view, schema, accounting, MOST_ROWS);
  }

  /**
   * The same.
   *
   * @param mostRows that are read for a window where buckets have dropped groups
   */
  public TopQuery(
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

  public TopResult run(TopRequest request, Duration limit, Cancellation cancellation) {
    Asked asked =
        new Asked(
            request,
            columns(request.dimensions()),
            Math.min(mostRows, (long) (limit.toMillis() / 1e3 * ROWS_A_SECOND)));
    return queries.shared(asked, limit, cancellation);
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** Of an instant before or behind all rows that there can be, the first or the last of those. */
  private static long micros(Instant instant) {
    Instant within =
        instant.isBefore(FIRST_ROW) ? FIRST_ROW : instant.isAfter(LAST_ROW) ? LAST_ROW : instant;
    return ChronoUnit.MICROS.between(Instant.EPOCH, within);
  }

  private static long micros(Duration last) {
    return (last.compareTo(LONGEST) > 0 ? LONGEST : last).toNanos() / 1_000;
  }

  /** One question, and what its transaction has found out. */
  private final class Asked implements Queries.Asking<TopResult> {
    private final List<ViewColumn> columns;
    private final String condition;
    private final long mostRows;
    private TopRequest request;
    private TopSql sql;
    private RollupFacts facts;
    private RollupPlan plan;
    private boolean isRolled;
    private long oldest;
    private long newest;
    private long earliest;

    /**
     * @param mostRows that may be read for groups that buckets have dropped
     */
    Asked(TopRequest request, List<ViewColumn> columns, long mostRows) {
      this.request = request;
      this.columns = columns;
      this.mostRows = mostRows;
      condition =
          request
              .filter()
              .map(text -> FilterSql.where(FilterParser.parse(text, schema)))
              .orElse("");
      sql = new TopSql(view.table(), columns, request, condition);
    }

    @Override
    public Queries.Shared compose(ReadTransaction transaction) throws SQLException {
      facts = RollupFacts.read(transaction, view.table(), queries.memory());
      newest = facts.newest();
      oldest = facts.rows().oldest();
      earliest = facts.earliest();
      if (request.p95() && fives(question()) == 0) { // no value then, and the groups by volume
        request = request.withP95(false);
        sql = new TopSql(view.table(), columns, request, condition);
      }
      RollupQuestion question = question();
      Optional<RollupPlan> fast = request.scan() ? Optional.empty() : fast(question);
      isRolled = fast.isPresent();
      plan = fast.orElseGet(() -> scan(question.from(), question.to()));
      return new Queries.Shared(List.of(request, plan), facts.rows());
    }

    /**
     * From rollups; empty where rows answer. Where buckets have dropped groups, finer ones that
     * have not or else the rows tell exactly what they had, if they are there and not too many.
     */
    private Optional<RollupPlan> fast(RollupQuestion question) throws SQLException {
      Optional<RollupPlan> fast = facts.plan(question);
      if (fast.isEmpty() || !facts.hasRest(fast.get())) {
        return fast;
      }
      long rows = facts.rows(fast.get());
      if (rows > mostRows) {
        return fast;
      }
      Optional<RollupPlan> exact =
          facts.plan(question.exactly()).filter(plan -> plan.rolled().size() <= MOST_STRETCHES);
      if (question.from() < facts.rows().goneBefore()) {
        return exact.isPresent() ? exact : fast;
      }
      return exact.isPresent() && facts.sums(exact.get()) * ROWS_A_SUM <= rows
          ? exact
          : Optional.empty();
    }

    @Override
    public TopResult answer(ReadTransaction transaction, Queries.Running running)
        throws SQLException {
      if (isRolled && sql.isPlain()) {
        Optional<TopResult> held = held(transaction.connection(), running);
        if (held.isPresent()) {
          return held.get();
        }
      }
      boolean hasRest = isRolled && facts.hasRest(plan);
      return read(running.run(sql.of(plan, facts.rows(), facts.rules(), hasRest)));
    }

    /** From buckets in memory, if they have room there and few groups are in no bucket. */
    private Optional<TopResult> held(DuckDBConnection connection, Queries.Running running)
        throws SQLException {
      Optional<HeldBuckets.Held> held = memory.buckets().of(connection, facts, plan);
      if (held.isEmpty()) {
        return Optional.empty();
      }
      HeldSet set = held.get().set();
      HeldSet.Groups groups = set.by(sql.groupedColumns());
      String loose = sql.loose(plan, facts.rows(), facts.rules(), groups.keys());
      Optional<LooseGroups> others =
          LooseGroups.read(connection, set, groups, loose, MOST_LOOSE_GROUPS);
      if (others.isEmpty()) {
        return Optional.empty();
      }
      HeldTop top =
          new HeldTop(request.by(), held.get(), groups, sql.isWholeSet(plan), others.get());
      List<HeldTop.Group> largest = top.largest(request.n());
      List<List<String>> texts =
          memory
              .texts()
              .of(
                  columns,
                  groups.keys(),
                  largest,
                  (keys, its) -> running.run(sql.texts(keys, its)));
      List<TopResult.Row> rows = new ArrayList<>();
      for (int i = 0; i < texts.size(); i++) {
        HeldTop.Group group = largest.get(i);
        rows.add(
            new TopResult.Row(
                texts.get(i), group.volume(), (long) group.flows(), group.bound(), 0));
      }
      HeldTop.Totals totals = top.totals();
      return Optional.of(
          answer(rows, totals.volume(), totals.rest(), totals.edges(), totals.isEstimated()));
    }

    private RollupQuestion question() {
      long from = request.from().map(TopQuery::micros).orElse(Long.MIN_VALUE);
      long to = request.to().map(TopQuery::micros).orElse(Long.MAX_VALUE);
      if (request.last().isPresent() && newest != Long.MIN_VALUE) {
        from = newest - micros(request.last().get()) + 1;
      }
      long five = Grain.FIVE.micros();
      if (request.p95()) {
        long clippedFrom = Math.max(from, Math.min(earliest, newest));
        from = Grain.FIVE.bucket(clippedFrom + five - 1);
        to = Math.max(from, Grain.FIVE.bucket(Math.min(to, newest + 1)));
      }
      return new RollupQuestion(
          sql.usedColumns(), from, to, accounting, false, request.p95() ? five : 0);
    }

    private int fives(RollupQuestion question) {
      return (int) ((question.to() - question.from()) / Grain.FIVE.micros());
    }

    private RollupPlan scan(long from, long to) {
      long first = Math.max(from, Math.min(oldest, newest) - reach());
      long end = Math.max(first, Math.min(to, newest + 1));
      return new RollupPlan(
          null, List.of(new Piece(Source.ROWS, first, end)), accounting, first, end);
    }

    /** How far before the oldest arrival a flow may have begun. */
    private long reach() {
      return accounting == Accounting.SPREAD ? RollupFacts.REACH : 0;
    }

    private TopResult read(QueryResult groups) {
      List<TopResult.Row> rows = new ArrayList<>();
      double total = 0;
      double others = 0;
      long edges = 0;
      boolean estimated = false;
      while (groups.next()) {
        List<String> values = new ArrayList<>();
        int i = 0;
        while (i < columns.size()) {
          values.add((String) groups.value(i++));
        }
        rows.add(
            new TopResult.Row(
                Collections.unmodifiableList(values),
                (Double) groups.value(i++),
                (Long) groups.value(i++),
                (Double) groups.value(i++),
                (Double) groups.value(i++)));
        total = (Double) groups.value(i++);
        others = (Double) groups.value(i++);
        edges = (Long) groups.value(i++);
        estimated = (Boolean) groups.value(i);
      }
      return answer(rows, total, others, edges, estimated);
    }

    private TopResult answer(
        List<TopResult.Row> rows, double total, double others, long edges, boolean estimated) {
      return new TopResult(
          columns.stream().map(ViewColumn::name).toList(),
          rows,
          total,
          others,
          seconds(),
          estimated,
          plan.usesBuckets() ? plan.describe(edges, first(), end()) : "rows",
          instant(first()),
          instant(end()),
          request.p95() ? fives(question()) : 0);
    }

    /** Start of the time covered, as far as there is anything; of an empty table, now. */
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
    for (String dimension : dimensions) {
      String name = dimension.toLowerCase(Locale.ROOT);
      boolean both = view.column(name) == null;
      for (String side : both ? List.of("src_", "dst_") : List.of("")) {
        columns.add(column(side + name, dimension));
      }
    }
    return columns;
  }

  private ViewColumn column(String name, String dimension) {
    ViewColumn column = view.column(name);
    if (column == null) {
      throw new IllegalArgumentException(
          "top: unknown dimension %s; there are as, dns, domain, addr, port and the columns of %s"
              .formatted(dimension, view.name()));
    }
    ViewColumn text = view.column(name + "_name");
    if (text == null || text.nameOf() < 0) {
      return column;
    }
    return new ViewColumn(
        name,
        List.of(column.stored().get(0), text.stored().get(0)),
        1,
        "'AS' || {0} || coalesce(' ' || {n}, '')");
  }
}

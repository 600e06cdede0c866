package io.millrace.store.duckdb.top;

import io.millrace.store.Cancellation;
import io.millrace.store.QueryResult;
import io.millrace.store.TopRequest;
import io.millrace.store.TopResult;
import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.plan.RollupPlan;
import io.millrace.store.duckdb.plan.RollupQuestion;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.duckdb.sample.Estimate;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.filter.FilterParser;
import io.millrace.store.rollup.Grain;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.duckdb.DuckDBConnection;

/**
 * The largest groups, from rollups where they have the answer, else from rows: names and addresses
 * become text for the groups in the answer only.
 */
public final class TopQuery {
  private static final long SECOND = 1_000_000;

  private final TopSource source;
  private long manyRows = Choice.MANY_ROWS;

  private static final Instant FIRST_ROW = Instant.EPOCH;
  private static final Instant LAST_ROW = Instant.parse("2262-01-01T00:00:00Z");
  private static final Duration LONGEST = Duration.between(FIRST_ROW, LAST_ROW);

  /** Questions to a table of flows. */
  public TopQuery(TopSource source) {
    this.source = source;
  }

  TopQuery choosingBeyond(long rows) {
    manyRows = rows;
    return this;
  }

  public TopResult run(TopRequest request, Duration limit, Cancellation cancellation) {
    TopQuestion asked =
        new TopQuestion(
            request, columns(request.dimensions()), Choice.rows(source.mostRows(), limit));
    return source.queries().shared(asked, limit, cancellation);
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

  private final class TopQuestion implements Queries.Question<TopResult> {
    private final List<ViewColumn> columns;
    private final String condition;
    private final long mostRows;
    private TopRequest request;
    private TopSql sql;
    private RollupFacts facts;
    private RollupPlan plan;
    private Optional<RollupPlan> candidates;
    private boolean isRolled;
    private long newest;
    private long now;
    private long earliest;

    TopQuestion(TopRequest request, List<ViewColumn> columns, long mostRows) {
      this.request = request;
      this.columns = columns;
      this.mostRows = mostRows;
      condition =
          request
              .filter()
              .map(text -> FilterSql.where(FilterParser.parse(text, source.schema())))
              .orElse("");
      sql = new TopSql(source.view().table(), columns, request, condition);
    }

    @Override
    public Queries.SharedAnswer compose(ReadTransaction transaction) throws SQLException {
      facts = RollupFacts.read(transaction, source.view().table(), source.queries().memory());
      Choice choice = new Choice(facts, mostRows);
      newest = facts.newest();
      now = facts.now();
      earliest = facts.earliest();
      if (request.p95() && fives(question()) == 0) { // no value then, and the groups by volume
        request = request.withP95(false);
        sql = new TopSql(source.view().table(), columns, request, condition);
      }
      RollupQuestion question = question();
      Optional<RollupPlan> fast = request.scan() ? Optional.empty() : choice.fast(question);
      isRolled = fast.isPresent();
      boolean mayBeSampled = !isRolled && !request.scan() && !request.p95();
      Optional<RollupPlan> best = mayBeSampled ? choice.sampled(question) : fast;
      plan = best.orElseGet(() -> choice.scan(question));
      boolean mayChoose = !request.scan() && !plan.isSampled() && sql.isPlain();
      candidates = mayChoose ? choice.candidates(question, plan, manyRows) : Optional.empty();
      return new Queries.SharedAnswer(List.of(request, plan), facts.rows());
    }

    @Override
    public TopResult answer(ReadTransaction transaction, Queries.RunningQuery running)
        throws SQLException {
      if (candidates.isPresent()) {
        choose(transaction.connection(), candidates.get());
      } else if (isRolled && sql.isPlain()) {
        Optional<TopResult> held = held(transaction.connection(), running);
        if (held.isPresent()) {
          return held.get();
        }
      }
      boolean hasRest = isRolled && facts.hasRest(plan);
      TopResult result = read(running.run(sql.of(plan, facts.rows(), facts.rules(), hasRest)));
      return hasRest && result.rows().isEmpty() ? nothing(running.run(sql.dropped(plan))) : result;
    }

    private void choose(DuckDBConnection connection, RollupPlan buckets) throws SQLException {
      Optional<CachedTop> held =
          CachedTop.of(connection, facts, buckets, source.memory().buckets(), sql);
      if (held.isPresent()) {
        Optional<List<long[]>> groups = held.get().candidates(request.n());
        groups.ifPresent(keys -> sql.groupOnly(held.get().keys(), keys));
      }
    }

    private Optional<TopResult> held(DuckDBConnection connection, Queries.RunningQuery running)
        throws SQLException {
      Optional<CachedTop> held =
          CachedTop.of(connection, facts, plan, source.memory().buckets(), sql);
      if (held.isEmpty()) {
        return Optional.empty();
      }
      CachedTop top = held.get();
      List<CachedTop.Group> largest = top.largest(request.n());
      List<List<String>> texts =
          source
              .memory()
              .texts()
              .of(
                  columns,
                  top.keys(),
                  largest.stream().map(CachedTop.Group::key).toList(),
                  (keys, its) -> running.run(sql.texts(keys, its)));
      List<TopResult.Row> rows = new ArrayList<>();
      for (int i = 0; i < texts.size(); i++) {
        CachedTop.Group group = largest.get(i);
        rows.add(
            new TopResult.Row(
                texts.get(i), group.volume(), (long) group.flows(), group.bound(), 0, 0));
      }
      CachedTop.Totals totals = top.totals();
      return Optional.of(
          answer(rows, totals.volume(), 0, totals.rest(), totals.edges(), totals.isEstimated()));
    }

    private RollupQuestion question() {
      long from = request.from().map(TopQuery::micros).orElse(Long.MIN_VALUE);
      long to = request.to().map(TopQuery::micros).orElse(Long.MAX_VALUE);
      if (request.last().isPresent() && newest != Long.MIN_VALUE) {
        from = now - micros(request.last().get()) + 1;
      }
      boolean endsNow = request.to().isEmpty() && from > Long.MIN_VALUE && from <= now;
      if (endsNow && now < newest) {
        to = now + 1;
      }
      long five = Grain.FIVE.micros();
      if (request.p95()) {
        long clippedFrom = Math.max(from, Math.min(earliest, newest));
        from = Grain.FIVE.bucket(clippedFrom + five - 1);
        to = Math.max(from, Grain.FIVE.bucket(Math.min(to, newest + 1)));
      }
      return new RollupQuestion(
          sql.usedColumns(), from, to, source.accounting(), false, request.p95() ? five : 0);
    }

    private int fives(RollupQuestion question) {
      return (int) ((question.to() - question.from()) / Grain.FIVE.micros());
    }

    private TopResult read(QueryResult groups) {
      List<TopResult.Row> rows = new ArrayList<>();
      double volume = 0;
      double error = 0;
      double rest = 0;
      long edges = 0;
      boolean estimated = false;
      while (groups.next()) {
        List<String> values = new ArrayList<>();
        int i = 0;
        while (i < columns.size()) {
          values.add((String) groups.value(i++));
        }
        int sums = i + 8;
        boolean isSampled = plan.isSampled();
        rows.add(
            new TopResult.Row(
                Collections.unmodifiableList(values),
                (Double) groups.value(i++),
                (Long) groups.value(i++),
                (Double) groups.value(i++),
                (Double) groups.value(i++),
                isSampled ? error(groups, sums, sums + 4) : 0));
        volume = (Double) groups.value(i++);
        rest = (Double) groups.value(i++);
        edges = (Long) groups.value(i++);
        estimated = (Boolean) groups.value(i);
        error = isSampled ? error(groups, sums + 2, sums + 4) : 0;
      }
      return answer(rows, volume, error, rest, edges, estimated);
    }

    private TopResult nothing(QueryResult dropped) {
      double rest = dropped.next() ? (Double) dropped.value(0) : 0;
      return answer(List.of(), 0, 0, rest, 0, false);
    }

    private static double error(QueryResult groups, int sums, int largest) {
      return Estimate.halfWidth(
          (Double) groups.value(sums),
          (Double) groups.value(sums + 1),
          (Double) groups.value(largest));
    }

    private TopResult answer(
        List<TopResult.Row> rows,
        double volume,
        double error,
        double rest,
        long edges,
        boolean estimated) {
      boolean isFiltered = request.filter().isPresent();
      return new TopResult(
          columns.stream().map(ViewColumn::name).toList(),
          rows,
          isFiltered ? volume : volume + rest,
          isFiltered ? rest : 0,
          error,
          isFiltered ? 0 : rest,
          seconds(),
          estimated,
          plan.describe(edges, first(), end()),
          instant(first()),
          instant(end()),
          request.p95() ? fives(question()) : 0);
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

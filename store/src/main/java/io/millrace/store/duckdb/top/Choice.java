package io.millrace.store.duckdb.top;

import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.rollup.RollupCatalog;
import io.millrace.store.duckdb.sample.SampleState;
import io.millrace.store.duckdb.sample.SampleTables;
import io.millrace.store.query.RollupPlan;
import io.millrace.store.query.RollupPlan.Piece;
import io.millrace.store.query.RollupPlan.Source;
import io.millrace.store.query.RollupQuery;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Chooses between rollups, rows and the sample.
 *
 * @param facts facts of the query's transaction
 * @param maxRows maximum rows to read for groups that buckets have dropped
 */
record Choice(RollupFacts facts, long maxRows) {
  static final long MAX_ROWS = 5_000_000;

  private static final long MAX_SAMPLED_ROWS = 3_000_000;

  private static final long ROWS_A_SECOND = 1_000_000;

  private static final int ROWS_A_SUM = 16;

  private static final int ASKS_AGAIN = 4;

  static final long MANY_ROWS = 100_000;

  private static final int MAX_PIECES = 8;

  static long rows(long maxRows, Duration limit) {
    return Math.min(maxRows, (long) (limit.toMillis() / 1e3 * ROWS_A_SECOND));
  }

  Optional<RollupPlan> fast(RollupQuery query) throws SQLException {
    Optional<RollupPlan> fast = facts.plan(query);
    if (fast.isEmpty() || !facts.hasRest(fast.get())) {
      return fast;
    }
    long rows = facts.rows(fast.get());
    if (rows > maxRows) {
      return fast;
    }
    Optional<RollupPlan> exact =
        facts.plan(query.exactly()).filter(plan -> plan.rolled().size() <= MAX_PIECES);
    if (query.from() < facts.rows().goneBefore()) {
      return exact.isPresent() ? exact : fast;
    }
    return exact.isPresent() && inRows(exact.get()) <= rows ? exact : Optional.empty();
  }

  /** Plan by which rollups give the exact result; empty if rows must be read. */
  Optional<RollupPlan> rolled(RollupQuery query) throws SQLException {
    Optional<RollupPlan> plan = facts.plan(query);
    return plan.isPresent() && isExact(plan.get()) ? plan : Optional.empty();
  }

  /** Whether a plan reads rollups in which no group is missing. */
  boolean isExact(RollupPlan plan) throws SQLException {
    return plan.kept() != null
        && plan.kept().newest() != RollupCatalog.ALWAYS
        && !facts.hasRest(plan);
  }

  private long inRows(RollupPlan plan) throws SQLException {
    long open = facts.openSums(plan);
    return open + (facts.sums(plan) - open) * ROWS_A_SUM;
  }

  Optional<RollupPlan> candidates(RollupQuery query, RollupPlan plan, long manyRows)
      throws SQLException {
    Optional<RollupPlan> coarse = facts.plan(query).filter(its -> !its.equals(plan));
    if (coarse.isEmpty()) {
      return coarse;
    }
    long rows = facts.rows(coarse.get());
    long rolled = plan.kept() == null ? 0 : facts.rows(plan);
    return rows - rolled > manyRows && facts.sums(coarse.get()) * ROWS_A_SUM <= ASKS_AGAIN * rows
        ? coarse
        : Optional.empty();
  }

  Optional<RollupPlan> sampled(RollupQuery query) throws SQLException {
    long rows = facts.rows().parts().values().stream().mapToLong(part -> part.rows()).sum();
    boolean readsRows = rows <= maxRows;
    long rowsFrom = facts.rowsFrom(query.accounting());
    Optional<SampleState> sample = facts.sample();
    if (sample.isEmpty() || facts.newest() == Long.MIN_VALUE) {
      return Optional.empty();
    }
    long from = Math.max(query.from(), facts.first(query.accounting()));
    long end = Math.min(query.to(), facts.newest() + 1);
    Grain grain = grain(sample.get(), from, end);
    long first = Math.max(from, sample.get().from().get(grain));
    if (first >= Math.min(rowsFrom, end)) {
      return Optional.empty();
    }
    long to = readsRows ? Math.min(rowsFrom, end) : end;
    List<SampleTables> tables = sample.get().tables(grain, first);
    return Optional.of(
        new RollupPlan(
            null,
            List.of(new Piece(Source.ROWS, to, end)),
            query.accounting(),
            first,
            end,
            new RollupPlan.SampledRange(
                grain,
                sample.get().rolled(),
                first,
                to,
                tables.stream().map(SampleTables::name).toList(),
                facts.hasSampledRecords(tables))));
  }

  private Grain grain(SampleState sample, long from, long to) throws SQLException {
    for (Grain grain : List.of(Grain.MINUTE, Grain.HOUR)) {
      if (sample.from().get(grain) <= from
          && facts.sampled(sample, grain, from, to) <= MAX_SAMPLED_ROWS) {
        return grain;
      }
    }
    return Grain.DAY;
  }

  RollupPlan scan(RollupQuery query) {
    long newest = facts.newest();
    long reach = query.accounting() == Accounting.SPREAD ? RollupFacts.REACH : 0;
    long first = Math.max(query.from(), Math.min(facts.rows().oldest(), newest) - reach);
    long end = Math.max(first, Math.min(query.to(), newest + 1));
    return new RollupPlan(
        null, List.of(new Piece(Source.ROWS, first, end)), query.accounting(), first, end);
  }
}

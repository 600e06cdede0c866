package io.millrace.store.duckdb.top;

import io.millrace.store.QueryResult;
import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.duckdb.sample.Estimate;
import io.millrace.store.query.Dialect;
import io.millrace.store.query.GroupSql;
import io.millrace.store.query.Relation;
import io.millrace.store.query.RollupPlan;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.duckdb.DuckDBConnection;

/** Finds the largest groups of a plan, in memory if its buckets are cached, and their texts. */
record Ranking(
    DuckDBConnection connection,
    Queries.RunningQuery running,
    TopMemory memory,
    RollupFacts facts,
    Direction direction) {

  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Group(long[] key, double volume, long flows, double bound, double p95, double error) {}

  record Ranked(
      List<Group> groups,
      double volume,
      double error,
      double rest,
      long edges,
      boolean isEstimated) {
    List<long[]> keys() {
      return groups.stream().map(Group::key).toList();
    }
  }

  static QueryResult run(Queries.RunningQuery running, Relation query) throws SQLException {
    return running.run(query.in(Dialect.DUCKDB));
  }

  boolean isHeld(RollupPlan plan) {
    return plan.kept() != null && direction.isPlain() && !direction.hasReportedKeys();
  }

  Optional<CachedTop> held(RollupPlan plan) throws SQLException {
    return isHeld(plan)
        ? CachedTop.of(connection, facts, plan, memory.buckets(), direction)
        : Optional.empty();
  }

  /**
   * @param only groups to choose from; empty for all
   */
  Ranked rank(RollupPlan plan, GroupSql.Ranking ranking, List<long[]> only) throws SQLException {
    return ranked(
        run(
            running,
            direction
                .sql()
                .rank(direction.pieces(plan, facts, ranking.percentileMicros()), ranking, only)),
        plan);
  }

  /** Reads the result of {@link GroupSql#rank}. */
  Ranked ranked(QueryResult rows, RollupPlan plan) throws SQLException {
    int longs = direction.sql().keys().longs();
    List<Group> groups = new ArrayList<>();
    Ranked last = null;
    while (rows.next()) {
      int at = longs;
      groups.add(
          new Group(
              key(rows, longs),
              (Double) rows.value(at),
              (Long) rows.value(at + 1),
              (Double) rows.value(at + 2),
              (Double) rows.value(at + 3),
              plan.isSampled() ? error(rows, at + 8, at + 12) : 0));
      if (last == null) {
        last =
            new Ranked(
                groups,
                (Double) rows.value(at + 4),
                plan.isSampled() ? error(rows, at + 10, at + 12) : 0,
                (Double) rows.value(at + 5),
                (Long) rows.value(at + 6),
                (Boolean) rows.value(at + 7));
      }
    }
    return last == null ? new Ranked(groups, 0, 0, rest(plan), 0, false) : last;
  }

  private double rest(RollupPlan plan) throws SQLException {
    if (!facts.hasRest(plan)) {
      return 0;
    }
    QueryResult dropped = run(running, GroupSql.dropped(direction.dropped(plan)));
    return dropped.next() ? (Double) dropped.value(0) : 0;
  }

  private static double error(QueryResult rows, int sums, int largest) {
    return Estimate.halfWidth(
        (Double) rows.value(sums), (Double) rows.value(sums + 1), (Double) rows.value(largest));
  }

  private static long[] key(QueryResult row, int longs) {
    long[] key = new long[longs];
    for (int i = 0; i < longs; i++) {
      key[i] = (Long) row.value(i);
    }
    return key;
  }

  /**
   * Keys of the largest groups by volume.
   *
   * @param manyLoose number of sums outside of whole buckets above which only some of them are read
   */
  List<long[]> largest(RollupPlan plan, int n, long manyLoose) throws SQLException {
    if (isHeld(plan)) {
      Optional<List<long[]>> held =
          CachedTop.largest(connection, facts, plan, memory.buckets(), direction, n, manyLoose);
      if (held.isPresent()) {
        return held.get();
      }
    }
    QueryResult rows =
        run(
            running,
            direction
                .sql()
                .largest(direction.pieces(plan, facts, 0), new GroupSql.Ranking(n, 0, 0)));
    return keys(rows);
  }

  /** Reads the result of {@link GroupSql#largest}. */
  List<long[]> keys(QueryResult rows) {
    List<long[]> keys = new ArrayList<>();
    while (rows.next()) {
      keys.add(key(rows, direction.sql().keys().longs()));
    }
    return keys;
  }

  List<List<String>> texts(List<long[]> groups) throws SQLException {
    return groups.isEmpty()
        ? List.of()
        : memory
            .texts()
            .of(direction.columns(), groups, missing -> run(running, direction.texts(missing)));
  }
}

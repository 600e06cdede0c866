package io.millrace.store.duckdb.top;

import io.millrace.store.QueryResult;
import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.plan.RollupPieces;
import io.millrace.store.duckdb.plan.RollupPlan;
import io.millrace.store.duckdb.plan.RollupPlan.Piece;
import io.millrace.store.duckdb.query.Queries;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sums up chosen groups and everything by points of time: whole buckets from memory where they are
 * held, all else by one statement. Of one transaction.
 *
 * @param lines of groups in whole buckets that are held
 * @param groups that are wanted, by {@link SeriesDirection#keys}
 */
record SeriesSums(
    RollupFacts facts, CachedLines lines, Queries.RunningQuery running, List<long[]> groups) {
  private static final double[] NOTHING = {0, 0};

  Points points(SeriesStretch stretch) throws SQLException {
    Points points = new Points(stretch.span(), groups.size());
    RollupPlan plan = stretch.plan();
    if (plan.from() >= plan.to()) {
      return points;
    }
    SeriesSql sql = stretch.direction().sql();
    if (stretch.isRolled()) {
      for (CachedLines.Bucket bucket : buckets(stretch)) {
        points.addBucket(bucket, sql.isWholeSet(plan), stretch.direction().isPlain());
      }
    }
    RollupPieces pieces = sql.pieces(plan, facts.rows(), facts.rules(), stretch.span().step());
    String selects = stretch.isRolled() ? pieces.loose() : pieces.select();
    if (!selects.isEmpty()) {
      QueryResult sums =
          running.run(
              pieces.with(sql.condition())
                  + sql.sums(
                      selects,
                      false,
                      stretch.span(),
                      stretch.direction().keys(),
                      groups,
                      plan.isSampled()));
      while (sums.next()) {
        int place = Math.toIntExact((Long) sums.value(1));
        long time = (Long) sums.value(0);
        points.add(
            place, time, (Double) sums.value(2), (Double) sums.value(3), (Long) sums.value(4));
        if (plan.isSampled()) {
          double volume = (Double) sums.value(5);
          double variance = (Double) sums.value(6);
          points.addUncertain(place, time, volume, variance);
          if (!plan.cutsSampled()) {
            points.addUncertain(place, volume, variance);
          }
        }
      }
    }
    if (plan.isSampled()) {
      points.sampled(plan.sampled().to(), facts.real(sql.counted().largest(sql.table(), plan)));
      if (plan.cutsSampled()) {
        addErrors(points, stretch);
      }
    }
    return points;
  }

  private void addErrors(Points points, SeriesStretch stretch) throws SQLException {
    SeriesSql sql = stretch.direction().sql();
    RollupPieces pieces = sql.pieces(stretch.plan(), facts.rows(), facts.rules(), 0);
    QueryResult sums =
        running.run(
            pieces.with(sql.condition())
                + sql.sums(
                    pieces.select(),
                    false,
                    stretch.whole(),
                    stretch.direction().keys(),
                    groups,
                    true));
    while (sums.next()) {
      points.addUncertain(
          Math.toIntExact((Long) sums.value(1)), (Double) sums.value(5), (Double) sums.value(6));
    }
  }

  private List<CachedLines.Bucket> buckets(SeriesStretch stretch) throws SQLException {
    RollupPlan plan = stretch.plan();
    long version = facts.rows().version();
    CachedLines.Of of =
        new CachedLines.Of(stretch.direction().sql(), plan.kept().set().name(), plan.accounting());
    List<CachedLines.Bucket> buckets = new ArrayList<>();
    List<Piece> missing = lines.find(of, groups, plan, version, facts.late(), buckets);
    if (!missing.isEmpty()) {
      RollupPlan rest =
          new RollupPlan(plan.kept(), missing, plan.accounting(), plan.from(), plan.to());
      Map<Long, CachedLines.Bucket> read = read(stretch, rest);
      if (CachedLines.canHold(plan) && !of.sql().isReported()) {
        lines.keep(of, stretch.direction().keys(), groups, missing, read, version);
      }
      buckets.addAll(read.values());
    }
    return buckets;
  }

  private Map<Long, CachedLines.Bucket> read(SeriesStretch stretch, RollupPlan buckets)
      throws SQLException {
    SeriesSql sql = stretch.direction().sql();
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
                sql.pieces(buckets, facts.rows(), facts.rules(), stretch.span().step()).buckets(),
                true,
                stretch.span(),
                stretch.direction().keys(),
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
    Map<Long, CachedLines.Bucket> read = new HashMap<>();
    for (Piece piece : buckets.pieces()) {
      long micros = piece.source().grain().micros();
      for (long start = piece.from(); start < piece.to(); start += micros) {
        double[] its = sums.getOrDefault(start, NOTHING);
        double[] rest = dropped.getOrDefault(start, NOTHING);
        double[] groupsOf = volumes.getOrDefault(start, absent(groups.size()));
        read.put(start, new CachedLines.Bucket(start, groupsOf, its[0], its[1], rest[0], rest[1]));
      }
    }
    return read;
  }

  private static double[] absent(int groups) {
    double[] volumes = new double[groups];
    Arrays.fill(volumes, CachedLines.ABSENT);
    return volumes;
  }
}

package io.millrace.store.duckdb.top;

import io.millrace.store.Cancellation;
import io.millrace.store.QueryResult;
import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.plan.RollupPieces;
import io.millrace.store.duckdb.query.Queries;
import io.millrace.store.query.Expr;
import io.millrace.store.query.GroupSql;
import io.millrace.store.query.Pieces;
import io.millrace.store.query.Relation;
import io.millrace.store.query.RollupPlan;
import io.millrace.store.query.RollupPlan.Piece;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Sums chosen groups and everything by points of time, in one transaction: whole buckets from the
 * cache if it has them, all else with one statement.
 *
 * @param lines cache of groups in whole buckets
 * @param groups wanted groups, by the keys of a {@link Direction}
 */
record SeriesSums(
    RollupFacts facts, CachedLines lines, Queries.RunningQuery running, List<long[]> groups) {
  private static final double[] NOTHING = {0, 0};

  Points points(SeriesRange range) throws SQLException {
    Points points = new Points(range.span(), groups.size());
    RollupPlan plan = range.plan();
    if (plan.from() >= plan.to()) {
      return points;
    }
    Direction direction = range.direction();
    if (range.isRolled()) {
      for (CachedLines.Bucket bucket : buckets(range)) {
        points.addBucket(bucket, direction.isWholeSet(plan), direction.isPlain());
      }
    }
    RollupPieces sources = direction.sources(plan, facts, range.span().step());
    Optional<Relation> rows = range.isRolled() ? sources.loose() : Optional.of(sources.select());
    if (rows.isPresent()) {
      QueryResult sums = sums(range, sources, rows.get(), point(range.span()));
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
      points.sampled(plan.sampled().to(), facts.real(direction.largest(plan)));
      if (plan.cutsSampled()) {
        addErrors(points, range);
      }
    }
    return points;
  }

  /** Sums the rows of a snapshot. */
  Points points(SeriesRange range, SnapshotRows snapshot, Duration limit, Cancellation cancellation)
      throws SQLException {
    Points points = new Points(range.span(), groups.size());
    RollupPlan plan = range.plan();
    if (plan.from() >= plan.to()) {
      return points;
    }
    Direction direction = range.direction();
    Pieces rows = direction.rows(snapshot, plan, facts, range.span().step());
    try (QueryResult sums =
        snapshot.run(
            direction.sql().sums(rows, point(range.span()), groups), limit, cancellation)) {
      while (sums.next()) {
        points.add(
            Math.toIntExact((Long) sums.value(1)),
            (Long) sums.value(0),
            (Double) sums.value(2),
            (Double) sums.value(3),
            (Long) sums.value(4));
      }
    }
    return points;
  }

  private void addErrors(Points points, SeriesRange range) throws SQLException {
    RollupPieces sources = range.direction().sources(range.plan(), facts, 0);
    QueryResult sums = sums(range, sources, sources.select(), point(range.whole()));
    while (sums.next()) {
      points.addUncertain(
          Math.toIntExact((Long) sums.value(1)), (Double) sums.value(5), (Double) sums.value(6));
    }
  }

  private static Expr point(Points.Span span) {
    return GroupSql.interval(span.from(), span.step());
  }

  private QueryResult sums(SeriesRange range, RollupPieces sources, Relation rows, Expr time)
      throws SQLException {
    Direction direction = range.direction();
    RollupPlan plan = range.plan();
    Pieces pieces =
        new Pieces(
            sources.with(direction.sql().condition()),
            direction.reported(rows),
            null,
            null,
            false,
            plan.isSampled() ? direction.largest(plan) : null);
    return Ranking.run(running, direction.sql().sums(pieces, time, groups));
  }

  private List<CachedLines.Bucket> buckets(SeriesRange range) throws SQLException {
    RollupPlan plan = range.plan();
    Direction direction = range.direction();
    long version = facts.rows().version();
    CachedLines.Of of =
        new CachedLines.Of(
            facts.table(), direction.sql(), plan.kept().set().name(), plan.accounting());
    List<CachedLines.Bucket> buckets = new ArrayList<>();
    List<Piece> missing = lines.find(of, groups, plan, version, facts.late(), buckets);
    if (!missing.isEmpty()) {
      RollupPlan rest =
          new RollupPlan(plan.kept(), missing, plan.accounting(), plan.from(), plan.to());
      Map<Long, CachedLines.Bucket> read = read(range, rest);
      if (CachedLines.canHold(plan) && !direction.isReported()) {
        lines.keep(of, direction.sql().keys(), groups, missing, read, version);
      }
      buckets.addAll(read.values());
    }
    return buckets;
  }

  private Map<Long, CachedLines.Bucket> read(SeriesRange range, RollupPlan buckets)
      throws SQLException {
    Direction direction = range.direction();
    Map<Long, double[]> dropped = new HashMap<>();
    if (facts.hasRest(buckets)) {
      QueryResult rows = Ranking.run(running, GroupSql.byBucket(direction.dropped(buckets)));
      while (rows.next()) {
        dropped.put(
            (Long) rows.value(0), new double[] {(Double) rows.value(1), (Double) rows.value(2)});
      }
    }
    Map<Long, double[]> volumes = new HashMap<>();
    Map<Long, double[]> sums = new HashMap<>();
    RollupPieces sources = direction.sources(buckets, facts, range.span().step());
    QueryResult rows = sums(range, sources, sources.buckets(), GroupSql.start());
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

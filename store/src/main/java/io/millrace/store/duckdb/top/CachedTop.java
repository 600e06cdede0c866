package io.millrace.store.duckdb.top;

import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.top.Ranking.Group;
import io.millrace.store.duckdb.top.Ranking.Ranked;
import io.millrace.store.query.Relation;
import io.millrace.store.query.RollupPlan;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import org.duckdb.DuckDBConnection;

/** The largest groups of cached buckets and loose rows, added up in arrays. */
final class CachedTop {
  private static final int MAX_LOOSE_GROUPS = 100_000;

  private static final int MAX_CANDIDATES = 1_000;

  private final Measure measure;
  private final List<CachedBucket> buckets;
  private final CachedSet set;
  private final CachedSet.Groups groups;
  private final boolean isWholeSet;
  private final LooseGroups loose;
  private final double[] volumes;
  private final double[] flows;
  private double rest;
  private double bound;

  static Optional<CachedTop> of(
      DuckDBConnection connection,
      RollupFacts facts,
      RollupPlan plan,
      CachedBuckets buckets,
      Direction direction)
      throws SQLException {
    Optional<CachedBuckets.SetBuckets> held = buckets.of(connection, facts, plan);
    if (held.isEmpty()) {
      return Optional.empty();
    }
    CachedSet set = held.get().set();
    CachedSet.Groups groups = set.by(direction.sql().keys().names());
    Optional<Relation> loose =
        direction
            .sources(plan, facts, 0)
            .loose()
            .map(pieces -> direction.sql().loose(pieces, MAX_LOOSE_GROUPS + 1));
    return LooseGroups.read(connection, set, groups, loose, MAX_LOOSE_GROUPS)
        .map(
            its ->
                new CachedTop(
                    direction.sql().by(), held.get(), groups, direction.isWholeSet(plan), its));
  }

  static Optional<List<long[]>> largest(
      DuckDBConnection connection,
      RollupFacts facts,
      RollupPlan plan,
      CachedBuckets buckets,
      Direction direction,
      int n,
      long manyLoose)
      throws SQLException {
    if (facts.openSums(plan) <= manyLoose) {
      return of(connection, facts, plan, buckets, direction).map(top -> keys(top.largest(n)));
    }
    Optional<CachedBuckets.SetBuckets> held = buckets.of(connection, facts, plan);
    if (held.isEmpty()) {
      return Optional.empty();
    }
    CachedSet.Groups groups = held.get().set().by(direction.sql().keys().names());
    boolean isWholeSet = direction.isWholeSet(plan);
    List<Group> known =
        new CachedTop(
                direction.sql().by(), held.get(), groups, isWholeSet, LooseGroups.none(groups))
            .largest(n + MAX_CANDIDATES);
    double least = known.size() < n ? 0 : known.get(n - 1).volume();
    List<Group> large = known.stream().filter(group -> group.volume() >= least / 2).toList();
    if (least <= 0 || large.size() == n + MAX_CANDIDATES) {
      return Optional.empty();
    }
    Optional<Relation> loose =
        direction
            .sources(plan, facts, 0)
            .loose()
            .map(
                pieces ->
                    direction.sql().loose(pieces, keys(large), least / 2, MAX_LOOSE_GROUPS + 1));
    return LooseGroups.read(connection, held.get().set(), groups, loose, MAX_LOOSE_GROUPS)
        .map(
            its ->
                new CachedTop(direction.sql().by(), held.get(), groups, isWholeSet, its).largest(n))
        .filter(
            its ->
                its.size() == n
                    && its.get(n - 1).volume() >= least) // false if negative sums reduced it
        .map(CachedTop::keys);
  }

  private static List<long[]> keys(List<Group> groups) {
    return groups.stream().map(Group::key).toList();
  }

  private CachedTop(
      Measure measure,
      CachedBuckets.SetBuckets held,
      CachedSet.Groups groups,
      boolean isWholeSet,
      LooseGroups loose) {
    this.measure = measure;
    this.groups = groups;
    this.isWholeSet = isWholeSet;
    this.loose = loose;
    set = held.set();
    buckets = held.buckets();
    volumes = Arrays.copyOf(loose.volumes(), groups.size() + loose.others());
    flows = Arrays.copyOf(loose.flows(), volumes.length);
    for (CachedBucket bucket : buckets) {
      CachedBucket.Measures its = bucket.of(measure);
      if (groups.of() == null) {
        add(bucket.groups(), its.scaled(), bucket.flows().scaled());
      } else {
        add(groups.of(), bucket.groups(), its.scaled(), bucket.flows().scaled());
      }
      rest += its.rest();
      bound += its.bound();
    }
  }

  private void add(int[] its, double[] scaled, double[] rows) {
    double[] v = volumes;
    double[] f = flows;
    for (int i = 0; i < its.length; i++) {
      int group = its[i];
      v[group] += scaled[i];
      f[group] += rows[i];
    }
  }

  private void add(int[] of, int[] its, double[] scaled, double[] rows) {
    double[] v = volumes;
    double[] f = flows;
    for (int i = 0; i < its.length; i++) {
      int group = of[its[i]];
      v[group] += scaled[i];
      f[group] += rows[i];
    }
  }

  Ranked ranked(int n) {
    double volume = loose.volume();
    double unscaled = loose.unscaled();
    for (CachedBucket bucket : buckets) {
      CachedBucket.Measures its = bucket.of(measure);
      volume += its.total();
      unscaled += its.unscaled();
    }
    return new Ranked(largest(n), volume, 0, rest, loose.rows(), volume != unscaled);
  }

  List<Group> largest(int n) {
    Comparator<Integer> order =
        Comparator.<Integer>comparingDouble(group -> volumes[group])
            .thenComparing((a, b) -> groups.keys().compare(key(b), key(a)));
    PriorityQueue<Integer> smallestFirst = new PriorityQueue<>(Math.min(n, 1_000) + 1, order);
    double least = Double.NEGATIVE_INFINITY;
    for (int group = 0; group < volumes.length; group++) {
      double volume = volumes[group];
      if (volume < least || (volume == 0 && flows[group] == 0)) {
        continue;
      }
      smallestFirst.add(group);
      if (smallestFirst.size() > n) {
        smallestFirst.remove();
        least = volumes[smallestFirst.element()];
      }
    }
    int[] largest = new int[smallestFirst.size()];
    for (int i = largest.length - 1; i >= 0; i--) {
      largest[i] = smallestFirst.remove();
    }
    double[] bounds = bounds(largest);
    List<Group> all = new ArrayList<>();
    for (int i = 0; i < largest.length; i++) {
      all.add(
          new Group(
              key(largest[i]), volumes[largest[i]], (long) flows[largest[i]], bounds[i], 0, 0));
    }
    return all;
  }

  Optional<List<long[]>> candidates(int n) {
    List<Group> largest = largest(n + MAX_CANDIDATES);
    if (largest.size() < n) {
      return Optional.empty();
    }
    double least = largest.get(n - 1).volume();
    double missing = isWholeSet ? bound : rest;
    boolean areAll = largest.size() < n + MAX_CANDIDATES;
    double others = areAll ? 0 : largest.get(largest.size() - 1).volume();
    return others + missing < least
        ? Optional.of(
            largest.stream()
                .filter(group -> group.volume() + missing >= least)
                .map(Group::key)
                .toList())
        : Optional.empty();
  }

  private long[] key(int group) {
    return loose.key(set, group);
  }

  private double[] bounds(int[] largest) {
    double[] bounds = new double[largest.length];
    Arrays.fill(bounds, isWholeSet ? bound : rest);
    if (!isWholeSet || bound == 0) {
      return bounds;
    }
    int[] places = new int[volumes.length]; // position among the largest, from 1
    for (int i = 0; i < largest.length; i++) {
      places[largest[i]] = i + 1;
    }
    int[] seen = new int[largest.length]; // number of the last bucket with the group, from 1
    int number = 0;
    for (CachedBucket bucket : buckets) {
      number++;
      double its = bucket.of(measure).bound();
      if (its == 0) {
        continue;
      }
      for (int group : bucket.groups()) {
        int place = places[groups.of() == null ? group : groups.of()[group]] - 1;
        if (place >= 0 && seen[place] < number) {
          seen[place] = number;
          bounds[place] = Math.max(0, bounds[place] - its);
        }
      }
    }
    return bounds;
  }
}

package io.millrace.store.duckdb.top;

import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.rollup.LateBuckets;
import io.millrace.store.query.RollupPlan;
import io.millrace.store.query.RollupPlan.Piece;
import io.millrace.store.query.RollupPlan.Source;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.duckdb.DuckDBConnection;

/**
 * Cache of whole buckets of rollups, the most recently used. Adding up their sums in arrays takes a
 * few nanoseconds per group; grouping them in SQL takes twenty times as long.
 *
 * <p>A closed bucket changes only when late rows arrive. Such buckets are in {@code
 * RollupCatalog.LATE} with the version of the change. So a bucket that was read in one version is
 * valid in a later one unless a version in between changed it. Thread-safe.
 */
final class CachedBuckets {
  private static final int MAX_BUCKETS = 20_000;

  private static final int FEW_BUCKETS = 50;

  private final long budget;
  private final Map<Of, CachedSet> sets = new HashMap<>();
  private final LinkedHashMap<Key, Entry> entries = new LinkedHashMap<>(64, 0.75f, true);
  private long bytes;

  CachedBuckets(long budget) {
    this.budget = budget;
  }

  private record Of(String table, String set, Accounting accounting) {}

  private record Key(Of of, Grain grain, long start) {}

  private static final class Entry {
    private final CachedBucket bucket;
    private final long from;
    private long to;

    Entry(CachedBucket bucket, long version) {
      this.bucket = bucket;
      from = version;
      to = version;
    }

    boolean holds(long version) {
      return from <= version && version <= to;
    }
  }

  record SetBuckets(CachedSet set, List<CachedBucket> buckets) {}

  static boolean isHeld(Source source) {
    return source != Source.ROWS && source != Source.OPEN;
  }

  Optional<SetBuckets> of(DuckDBConnection connection, RollupFacts facts, RollupPlan plan)
      throws SQLException {
    Of of = new Of(facts.table(), plan.kept().set().name(), plan.accounting());
    List<Key> keys = keys(of, plan);
    if (keys.size() > MAX_BUCKETS) {
      return Optional.empty();
    }
    BucketReader reader = new BucketReader(connection, facts, plan.kept(), of.accounting);
    CachedSet set = set(of, reader);
    Map<Key, CachedBucket> there = held(set, keys, facts.rows().version(), facts.late());
    List<Key> missing = new ArrayList<>(keys);
    missing.removeAll(there.keySet());
    if (!missing.isEmpty()) {
      long size = there.values().stream().mapToLong(CachedBucket::size).sum();
      Map<Grain, List<Piece>> wanted = pieces(missing);
      // A few are read without a check of their size, which would take as long as reading them.
      long rows = missing.size() <= FEW_BUCKETS ? 0 : reader.count(wanted);
      if (size + rows * CachedBucket.GROUP_BYTES > budget / 2) {
        return Optional.empty();
      }
      for (Map.Entry<Grain, List<Piece>> pieces : wanted.entrySet()) {
        Grain grain = pieces.getKey();
        reader
            .read(set, grain, pieces.getValue())
            .forEach((start, bucket) -> there.put(new Key(of, grain, start), bucket));
      }
      keep(set, missing, there, facts.rows().version());
    }
    return Optional.of(new SetBuckets(set, List.copyOf(there.values())));
  }

  synchronized long size() {
    return bytes + groupBytes();
  }

  private long groupBytes() {
    return sets.values().stream().mapToLong(CachedSet::size).sum();
  }

  private static List<Key> keys(Of of, RollupPlan plan) {
    List<Key> keys = new ArrayList<>();
    for (Piece piece : plan.pieces()) {
      if (isHeld(piece.source())) {
        Grain grain = piece.source().grain();
        for (long start = piece.from();
            start < piece.to() && keys.size() <= MAX_BUCKETS;
            start += grain.micros()) {
          keys.add(new Key(of, grain, start));
        }
      }
    }
    return keys;
  }

  private static Map<Grain, List<Piece>> pieces(List<Key> keys) {
    Map<Grain, List<Piece>> pieces = new LinkedHashMap<>();
    for (Key key : keys) {
      List<Piece> its = pieces.computeIfAbsent(key.grain, grain -> new ArrayList<>());
      Piece last = its.isEmpty() ? null : its.get(its.size() - 1);
      long end = key.start + key.grain.micros();
      if (last != null && last.to() == key.start) {
        its.set(its.size() - 1, new Piece(last.source(), last.from(), end));
      } else {
        its.add(new Piece(Source.valueOf(key.grain.name()), key.start, end));
      }
    }
    return pieces;
  }

  private CachedSet set(Of of, BucketReader reader) throws SQLException {
    synchronized (this) {
      CachedSet set = sets.get(of);
      if (set != null) {
        return set;
      }
    }
    CachedSet made = new CachedSet(reader.keys());
    synchronized (this) {
      return sets.computeIfAbsent(of, any -> made);
    }
  }

  private synchronized Map<Key, CachedBucket> held(
      CachedSet set, List<Key> keys, long version, LateBuckets late) {
    Map<Key, CachedBucket> there = new LinkedHashMap<>();
    if (keys.isEmpty() || sets.get(keys.get(0).of) != set) {
      return there;
    }
    for (Key key : keys) {
      Entry entry = entries.get(key);
      if (entry == null) {
        continue;
      }
      if (entry.to < version
          && late.isUnchanged(key.of.set, key.grain, key.start, entry.to, version)) {
        entry.to = version;
      }
      if (entry.holds(version)) {
        there.put(key, entry.bucket);
      }
    }
    return there;
  }

  private synchronized void keep(
      CachedSet set, List<Key> read, Map<Key, CachedBucket> buckets, long version) {
    Of of = read.get(0).of;
    if (sets.get(of) != set) {
      return; // evicted meanwhile
    }
    for (Key key : read) {
      Entry before = entries.get(key);
      if (before == null || before.to < version) {
        remove(entries.remove(key));
        CachedBucket bucket = buckets.get(key);
        entries.put(key, new Entry(bucket, version));
        bytes += bucket.size();
      }
    }
    // Numbers of evicted groups are not reused, so a set with many numbers is evicted as a whole.
    if (groupBytes() > budget / 2) {
      sets.remove(of);
      entries
          .entrySet()
          .removeIf(entry -> entry.getKey().of.equals(of) && remove(entry.getValue()));
    }
    Iterator<Entry> oldest = entries.values().iterator();
    while (bytes > budget / 2 && oldest.hasNext()) {
      remove(oldest.next());
      oldest.remove();
    }
  }

  private boolean remove(Entry entry) {
    if (entry != null) {
      bytes -= entry.bucket.size();
    }
    return true;
  }
}

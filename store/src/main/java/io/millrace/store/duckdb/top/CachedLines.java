package io.millrace.store.duckdb.top;

import io.millrace.store.duckdb.rollup.LateBuckets;
import io.millrace.store.query.GroupKeys;
import io.millrace.store.query.GroupSql;
import io.millrace.store.query.RollupPlan;
import io.millrace.store.query.RollupPlan.Piece;
import io.millrace.store.query.RollupPlan.Source;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Cache of the volumes of chosen groups, and of everything, in whole buckets: a chart is requested
 * repeatedly with the same few groups, while a month has millions of sums.
 *
 * <p>What was read in one version is valid in a later one unless the bucket changed in between, as
 * in {@link CachedBuckets}. Thread-safe.
 */
final class CachedLines {
  static final double ABSENT = Double.NEGATIVE_INFINITY;

  private static final int MAX_BUCKETS = 20_000;

  private static final int MAX_GROUPS = 2_000;

  private static final int BUCKET_BYTES = 200;

  private final long budget;
  private final LinkedHashMap<Of, Lines> lines = new LinkedHashMap<>(16, 0.75f, true);

  CachedLines(long budget) {
    this.budget = budget;
  }

  record Of(String table, GroupSql sql, String set, Accounting accounting) {}

  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Bucket(
      long start, double[] groups, double scaled, double plain, double rest, double bound) {}

  private record Key(Grain grain, long start) {}

  private static final class Entry {
    private final Bucket whole; // groups by number, NaN for unknown ones
    private final long from;
    private long to;

    Entry(Bucket whole, long version) {
      this.whole = whole;
      from = version;
      to = version;
    }

    boolean holds(long version) {
      return from <= version && version <= to;
    }
  }

  private static final class Lines {
    private final Map<Key, Entry> entries = new HashMap<>();
    private final GroupNumbers numbers;

    Lines(int longs) {
      numbers = new GroupNumbers(longs);
    }

    long bytes() {
      return numbers.bytes()
          + entries.size() * (BUCKET_BYTES + (long) numbers.size() * Double.BYTES);
    }
  }

  static boolean canHold(RollupPlan plan) {
    long buckets = 0;
    for (Piece piece : plan.pieces()) {
      if (CachedBuckets.isHeld(piece.source())) {
        buckets += (piece.to() - piece.from()) / piece.source().grain().micros();
      }
    }
    return buckets <= MAX_BUCKETS;
  }

  synchronized List<Piece> find(
      Of of,
      List<long[]> groups,
      RollupPlan plan,
      long version,
      LateBuckets late,
      List<Bucket> found) {
    Lines held = lines.get(of);
    int[] numbers = new int[groups.size()];
    for (int place = 0; place < numbers.length; place++) {
      numbers[place] = held == null ? -1 : held.numbers.find(groups.get(place));
    }
    List<Piece> missing = new ArrayList<>();
    for (Piece piece : plan.pieces()) {
      if (!CachedBuckets.isHeld(piece.source())) {
        continue;
      }
      Grain grain = piece.source().grain();
      for (long start = piece.from(); start < piece.to(); start += grain.micros()) {
        Entry entry = held == null ? null : held.entries.get(new Key(grain, start));
        if (entry != null
            && entry.to < version
            && late.isUnchanged(of.set, grain, start, entry.to, version)) {
          entry.to = version;
        }
        Bucket bucket = entry != null && entry.holds(version) ? of(entry.whole, numbers) : null;
        if (bucket == null) {
          add(missing, piece.source(), start);
        } else {
          found.add(bucket);
        }
      }
    }
    return missing;
  }

  /** The groups in the order of {@code numbers}; null if one is unknown. */
  private static Bucket of(Bucket whole, int[] numbers) {
    double[] its = new double[numbers.length];
    for (int place = 0; place < its.length; place++) {
      int number = numbers[place];
      if (number < 0 || number >= whole.groups.length || Double.isNaN(whole.groups[number])) {
        return null;
      }
      its[place] = whole.groups[number];
    }
    return new Bucket(whole.start, its, whole.scaled, whole.plain, whole.rest, whole.bound);
  }

  private static void add(List<Piece> pieces, Source source, long start) {
    long end = start + source.grain().micros();
    int last = pieces.size() - 1;
    if (last >= 0 && pieces.get(last).source() == source && pieces.get(last).to() == start) {
      pieces.set(last, new Piece(source, pieces.get(last).from(), end));
    } else {
      pieces.add(new Piece(source, start, end));
    }
  }

  synchronized void keep(
      Of of,
      GroupKeys keys,
      List<long[]> groups,
      List<Piece> pieces,
      Map<Long, Bucket> read,
      long version) {
    Lines held = lines.computeIfAbsent(of, any -> new Lines(keys.longs()));
    if (held.numbers.size() + groups.size() > MAX_GROUPS) {
      held = new Lines(keys.longs());
      lines.put(of, held);
    }
    int[] numbers = groups.stream().mapToInt(held.numbers::number).toArray();
    for (Piece piece : pieces) {
      Grain grain = piece.source().grain();
      for (long start = piece.from(); start < piece.to(); start += grain.micros()) {
        keep(held, new Key(grain, start), numbers, read.get(start), version);
      }
    }
    long bytes = lines.values().stream().mapToLong(Lines::bytes).sum();
    Iterator<Lines> oldest = lines.values().iterator();
    while (bytes > budget && oldest.hasNext()) {
      bytes -= oldest.next().bytes();
      oldest.remove();
    }
  }

  private static void keep(Lines held, Key key, int[] numbers, Bucket bucket, long version) {
    Entry before = held.entries.get(key);
    if (before != null && before.from > version) {
      return; // read by a transaction that began later
    }
    boolean isSame = before != null && before.holds(version);
    double[] known = isSame ? before.whole.groups : new double[0];
    double[] its = Arrays.copyOf(known, Math.max(known.length, held.numbers.size()));
    Arrays.fill(its, known.length, its.length, Double.NaN);
    for (int place = 0; place < numbers.length; place++) {
      its[numbers[place]] = bucket.groups[place];
    }
    Entry entry =
        new Entry(
            new Bucket(bucket.start, its, bucket.scaled, bucket.plain, bucket.rest, bucket.bound),
            isSame ? before.from : version);
    entry.to = isSame ? before.to : version;
    held.entries.put(key, entry);
  }
}

package io.millrace.analytics.trend;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.wire.block.BlockInput;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Keywords of the last buckets, and the evaluation of each closed bucket: keyword → counts of the
 * last k buckets, their sum, the bucket seen last; and keyword → {@link UsualHours}, if that is the
 * baseline. Not thread-safe.
 */
final class KnownKeywords {
  private static final int PLACE_BYTES = 128;

  private static final int MAX_PLACES = 15;

  private final KeyGroups groups;
  private final TrendSettings settings;
  private final TrendModel model;
  private final boolean isEachWanted;
  private final int groupRoom;
  private final int buckets;

  private final int sum;

  private final int seen;

  private final ByteKeyTable table;
  private final UsualHours usual;
  private final Judgement judged;
  private long forgotten;

  /** Blackhole that keeps the reads of {@code touch} from being eliminated. */
  @SuppressWarnings("UnusedVariable")
  private int touched;

  KnownKeywords(
      KeyGroups groups,
      TrendSettings settings,
      TrendModel model,
      boolean isEachWanted,
      int groupRoom) {
    this.groups = groups;
    this.settings = settings;
    this.model = model;
    this.isEachWanted = isEachWanted;
    this.groupRoom = groupRoom;
    buckets = settings.buckets();
    sum = buckets;
    seen = buckets + 1;
    table = new ByteKeyTable(groups, buckets + 2);
    boolean isUsual = settings.baseline() == TrendSettings.Baseline.USUAL;
    usual = isUsual ? new UsualHours(groups, settings.bucketMicros(), groupRoom) : null;
    judged = new Judgement(buckets, settings.bucketMicros());
  }

  static int places(int length) {
    return Math.min(MAX_PLACES, 1 + length / PLACE_BYTES);
  }

  ByteKeyTable table() {
    return table;
  }

  ByteKeyTable usualTable() {
    return usual == null ? null : usual.table();
  }

  long forgotten() {
    return forgotten;
  }

  /**
   * @param counts of the bucket's keywords; null for none
   * @param isJudged false if the bucket only trains the baseline
   */
  void close(long bucket, ByteKeyTable counts, boolean isJudged, TrendState.Handler handler)
      throws Exception {
    int slot = (int) Math.floorMod(bucket, (long) buckets);
    judged.begin = bucket * settings.bucketMicros();
    if (usual != null) {
      usual.enter(judged.begin);
    }
    for (int i = 0; counts != null && i < counts.size(); i++) {
      if (i % TrendState.TOUCHED == 0) {
        touched += table.touch(counts, i, Math.min(counts.size(), i + TrendState.TOUCHED));
      }
      take(counts, i, bucket, slot, isJudged, handler);
    }
    roll(bucket, slot, isJudged, handler);
    if (table.size() > groupRoom) {
      evictSmallest();
    }
  }

  void pass(long bucket, ByteKeyTable counts, TrendState.Handler handler) throws Exception {
    judged.begin = bucket * settings.bucketMicros();
    judged.kind = null;
    for (int i = 0; i < counts.size(); i++) {
      judged.counts(counts, i);
      handler.judged(judged);
    }
  }

  private void take(
      ByteKeyTable counts,
      int from,
      long bucket,
      int slot,
      boolean isJudged,
      TrendState.Handler handler)
      throws Exception {
    long count = counts.values(OpenBuckets.COUNT)[from];
    int entry = table.find(counts, from);
    boolean isNew = entry < 0;
    if (isNew && count > settings.prior()) {
      entry = table.entry(counts, from);
    }
    long sumBefore = entry < 0 ? 0 : table.values(sum)[entry];
    double expectation = expectation(counts, from, sumBefore, count, entry >= 0);
    TrendKind kind = null;
    if (isJudged && model.isRise(count, expectation)) {
      kind = isNew ? TrendKind.NEW : TrendKind.RISE;
    } else if (isJudged && model.isFall(count, expectation)) {
      kind = TrendKind.FALL;
    }
    if (kind != null || isEachWanted) {
      judged.counts(counts, from);
      emit(kind, entry, slot, expectation, handler);
    }
    if (entry >= 0) {
      long[] column = table.values(slot);
      table.values(sum)[entry] = sumBefore + count - column[entry];
      column[entry] = count;
      table.values(seen)[entry] = bucket;
    }
  }

  private double expectation(
      ByteKeyTable counts, int from, long sumBefore, long count, boolean isKnown) {
    if (usual != null) {
      double hour = usual.take(counts, from, count, isKnown);
      if (hour >= 0) {
        return model.atLeastPrior(hour);
      }
    }
    return model.expectation(sumBefore);
  }

  private void emit(
      TrendKind kind, int entry, int slot, double expectation, TrendState.Handler handler)
      throws Exception {
    judged.kind = kind;
    if (kind != null) {
      judged.expectation = expectation;
      judged.lower = model.lower(expectation);
      judged.upper = model.upper(expectation);
      judged.score = model.score(judged.count, expectation);
      for (int i = 0; i < buckets; i++) {
        judged.series[i] = entry < 0 ? 0 : table.values((slot + i) % buckets)[entry];
      }
      judged.series[buckets] = judged.count;
    }
    handler.judged(judged);
  }

  private void roll(long bucket, int slot, boolean isJudged, TrendState.Handler handler)
      throws Exception {
    for (int entry = table.size() - 1; entry >= 0; entry--) {
      if (table.values(seen)[entry] == bucket) {
        continue;
      }
      if (isJudged && settings.falls()) {
        judgeAbsent(entry, slot, handler);
      }
      long[] column = table.values(slot);
      long left = table.values(sum)[entry] - column[entry];
      column[entry] = 0;
      table.values(sum)[entry] = left;
      if (left == 0) {
        table.remove(entry);
      }
    }
  }

  private void judgeAbsent(int entry, int slot, TrendState.Handler handler) throws Exception {
    double hour = usual == null ? -1 : usual.expected(table, entry);
    double expectation =
        hour >= 0 ? model.atLeastPrior(hour) : model.expectation(table.values(sum)[entry]);
    if (model.isFall(0, expectation)) {
      table.key(entry, judged.keyword);
      judged.count = 0;
      judged.marks = 0;
      emit(TrendKind.FALL, entry, slot, expectation, handler);
    }
  }

  private int group(int hash) {
    return groups.groupOf(hash) - groups.first();
  }

  private void evictSmallest() {
    int[] sizes = new int[groups.size()];
    for (int entry = 0; entry < table.size(); entry++) {
      sizes[group(table.hash(entry))] += places(table.keyLength(entry));
    }
    long[] min = new long[groups.size()];
    Arrays.fill(min, Long.MIN_VALUE);
    boolean isFull = false;
    for (int group = 0; group < sizes.length; group++) {
      if (sizes[group] > groupRoom) {
        min[group] = leastRank(group);
        isFull = true;
      }
    }
    for (int entry = table.size() - 1; isFull && entry >= 0; entry--) {
      if (rank(entry) <= min[group(table.hash(entry))]) {
        table.remove(entry);
        forgotten++;
      }
    }
  }

  private long leastRank(int group) {
    long[] ranks =
        IntStream.range(0, table.size())
            .filter(entry -> group(table.hash(entry)) == group)
            .mapToLong(this::rank)
            .sorted()
            .toArray();
    int left = groupRoom - groupRoom / 4;
    int greatest = ranks.length;
    do {
      left -= (int) ranks[--greatest] & MAX_PLACES;
    } while (left >= 0);
    return ranks[greatest];
  }

  /**
   * Sort key: sum, then hash, so that the order does not depend on the layout; the lowest bits are
   * the keyword's places.
   */
  private long rank(int entry) {
    long count = Math.min(Integer.MAX_VALUE, table.values(sum)[entry]);
    long hash = table.hash(entry) & 0xFFFF_FFFFL & ~MAX_PLACES;
    return count << 32 | hash | places(table.keyLength(entry));
  }

  void clear() {
    table.clear();
    if (usual != null) {
      usual.clear();
    }
  }

  void restore(BlockInput in) {
    table.restore(in);
    if (usual != null) {
      usual.table().restore(in);
    }
  }

  /**
   * Merges the counts of other rows of the same keywords; usual hours only of keywords that have
   * none here.
   */
  void addAll(KnownKeywords other) {
    for (int entry = 0; entry < other.table.size(); entry++) {
      int own = table.entry(other.table, entry);
      for (int column = 0; column <= sum; column++) {
        table.values(column)[own] += other.table.values(column)[entry];
      }
      table.values(seen)[own] = Math.max(table.values(seen)[own], other.table.values(seen)[entry]);
    }
    if (usual != null) {
      usual.addAll(other.usual);
    }
  }
}

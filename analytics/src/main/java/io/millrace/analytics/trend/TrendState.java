package io.millrace.analytics.trend;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.TreeMap;

/**
 * Counts of keywords in buckets of time, and the judgement of each bucket when time has passed it.
 *
 * <pre>
 *   open buckets      a table each: keyword → count, marks
 *   known keywords    keyword → counts of the last k buckets, their sum, the bucket seen last
 *   usual hours       keyword → what {@link UsualHours} keeps, where that is the baseline
 *   sketches          one for each key group that is full
 * </pre>
 *
 * <p>A keyword is known from the first bucket on in which it is counted more often than the prior.
 * Before, the prior is what is expected of it anyway; what it had then is missing in its mean,
 * which is less than the prior, and saves the look-ups of all that are seen once. One that was in
 * none of the last k buckets is forgotten, which loses nothing: it is judged as one never seen.
 *
 * <p>Each key group has room for its share of the keywords. While they fit, all counts are exact.
 * In a group that is full, keywords that are known are counted on, and others pass an {@link
 * AdmissionSketch}: whoever was certainly counted so often that it would be a trend gets a place,
 * with that count. What does not, is counted as crowded out. When a bucket is over, the least of a
 * group that is too full are forgotten until a quarter of it is free. All that depends on the
 * group's own rows and their order alone: neither the number of threads nor a restart changes it.
 *
 * <p>The first buckets only teach: judged is from the bucket on before which k are whole, counted
 * from where time was when it was first told, or from the first row where that is before.
 *
 * <p>Memory: for each keyword some 32 bytes and its own, twice, and 8 for each bucket of the mean;
 * three times the keywords at most are in all tables. A row touches four lines of the open bucket's
 * table: its index, hash and place, the keyword's bytes, and the count. Not thread-safe.
 */
public final class TrendState {
  /** What became of a row. */
  public enum Outcome {
    /** It counts. */
    COUNTED,
    /** Its bucket was judged before. */
    LATE,
    /** There was no room for its keyword. */
    CROWDED_OUT
  }

  /** Takes what a bucket that is over has come to. */
  @FunctionalInterface
  public interface Handler {
    /**
     * A keyword in a bucket that is over.
     *
     * @param judged to be read during the call
     */
    void judged(Judged judged) throws Exception;
  }

  /** Neither a bucket nor a moment. */
  static final long NONE = Long.MIN_VALUE;

  static final int COUNT = 0;
  private static final int MARKS = 1;
  static final int OPEN_COLUMNS = 2;

  /** Rows whose lines are fetched at once. */
  public static final int TOUCHED = 64;

  /** Buckets that are open at once where rows are late by less than one. */
  private static final int MOST_SPARES = 2;

  private static final int WIDEST_SKETCH = 1 << 14;

  private final TrendSettings settings;
  private final TrendModel model;
  private final KeyGroups groups;
  private final long length;
  private final int buckets;
  private final boolean isEachWanted;

  /** Columns of the known keywords behind their counts. */
  private final int sum;

  private final int seen;

  private final TreeMap<Long, ByteKeyTable> open = new TreeMap<>();
  private final ByteKeyTable known;
  private final UsualHours usual;
  private final AdmissionSketch[] sketches;
  private final int groupRoom;
  private final long leastNew;
  private final Judged judged;

  /** Entries of all open buckets, by group. */
  private final int[] openEntries;

  private int fullest;
  private long first = NONE;
  private long closed = NONE;
  private long behindMicros;

  /** The table of the last row's bucket: the next one is mostly of the same. */
  private ByteKeyTable current;

  private long currentBegin;

  /** Tables that were used, with their room. */
  private final ArrayDeque<ByteKeyTable> spares = new ArrayDeque<>();

  private long forgotten;
  private boolean isRestored;

  /** Without meaning, and kept so that what {@link #touch} reads is not left out. */
  @SuppressWarnings("UnusedVariable")
  private int touched;

  /**
   * No counts.
   *
   * @param groups whose keywords come here
   * @param isEachWanted whether handlers are given each keyword of a bucket, or trends alone
   */
  public TrendState(KeyGroups groups, TrendSettings settings, boolean isEachWanted) {
    this.groups = groups;
    this.settings = settings;
    this.isEachWanted = isEachWanted;
    model = new TrendModel(settings);
    length = settings.bucketMicros();
    buckets = settings.buckets();
    sum = buckets;
    seen = buckets + 1;
    known = new ByteKeyTable(groups, buckets + 2);
    groupRoom = settings.keywords() / groups.max();
    boolean isUsual = settings.baseline() == TrendSettings.Baseline.USUAL;
    usual = isUsual ? new UsualHours(groups, length, groupRoom) : null;
    sketches = new AdmissionSketch[groups.size()];
    openEntries = new int[groups.size()];
    leastNew = model.leastNew();
    judged = new Judged(buckets, length);
  }

  /** Keywords that were in one of the last buckets. */
  public int keywords() {
    return known.size();
  }

  /** Keywords of buckets that are open, counted once a bucket. */
  public int waiting() {
    return Arrays.stream(openEntries).sum();
  }

  /** Keywords that were forgotten for want of room since the start. */
  public long forgotten() {
    return forgotten;
  }

  /**
   * Counts a row.
   *
   * @param hash of the keyword, as of {@link TrendRows#hash}
   * @param indexHash of the keyword, as of {@link ByteKeyTable#indexHash}
   * @param bytes has the keyword from {@code offset} on, in UTF-8
   * @param micros when it was
   * @param count how often, above 0
   * @param marks what else is added up; 0 for nothing
   */
  public Outcome add(
      int hash,
      int indexHash,
      byte[] bytes,
      int offset,
      int size,
      long micros,
      long count,
      long marks) {
    if (current == null || micros < currentBegin || micros - currentBegin >= length) {
      long bucket = Math.floorDiv(micros, length);
      if (closed != NONE && bucket <= closed) {
        return Outcome.LATE;
      }
      settle();
      current = open.computeIfAbsent(bucket, b -> take());
      first = first == NONE ? NONE : Math.min(first, bucket); // time was told before this row
      currentBegin = bucket * length;
    }
    long added = count;
    if (fullest >= groupRoom && current.find(indexHash, bytes, offset, size) < 0) {
      added = admit(hash, indexHash, bytes, offset, size, count);
      if (added == 0) {
        return Outcome.CROWDED_OUT;
      }
    }
    int before = current.size();
    int entry = current.entry(hash, indexHash, bytes, offset, size);
    if (entry == before) {
      fullest = Math.max(fullest, ++openEntries[group(hash)]);
    }
    current.values(COUNT)[entry] += added;
    if (marks != 0) {
      current.values(MARKS)[entry] += marks;
    }
    return Outcome.COUNTED;
  }

  /**
   * Brings what rows will need into the caches: for whoever has several at once, before each few
   * dozen of them.
   *
   * @param indexHashes of their keywords, as of {@link ByteKeyTable#indexHash}
   * @param rows how many
   */
  public void touch(int[] indexHashes, int rows) {
    if (current != null) {
      touched += current.touch(indexHashes, 0, rows);
    }
  }

  private ByteKeyTable take() {
    ByteKeyTable table = spares.poll();
    return table == null ? new ByteKeyTable(groups, OPEN_COLUMNS) : table;
  }

  private int group(int hash) {
    return groups.groupOf(hash) - groups.first();
  }

  /** With which count a keyword gets a place in the current bucket; 0 if it gets none. */
  private long admit(int hash, int indexHash, byte[] bytes, int offset, int size, long count) {
    int group = group(hash);
    int taken = openEntries[group];
    if (taken < groupRoom
        || (taken < 2 * groupRoom && known.find(indexHash, bytes, offset, size) >= 0)) {
      return count;
    }
    if (sketches[group] == null) {
      int width = Math.min(WIDEST_SKETCH, Math.max(64, Integer.highestOneBit(groupRoom)));
      sketches[group] = new AdmissionSketch(width, settings.seed());
    }
    long certain = sketches[group].add(currentBegin, bytes, offset, size, count);
    return certain >= leastNew && taken < groupRoom + groupRoom / 2 ? certain : 0;
  }

  /**
   * Time has passed {@code micros}: the buckets that end there are judged, in their order, and rows
   * of theirs are late from now on. With {@link Long#MAX_VALUE} the input is over, and nothing is
   * left.
   */
  public void advance(long micros, Handler handler) throws Exception {
    settle();
    boolean isEnd = micros == Long.MAX_VALUE;
    if (isEnd && open.isEmpty()) {
      clear();
      return;
    }
    long last = isEnd ? open.lastKey() : Math.floorDiv(micros + 1, length) - 1;
    if (first == NONE) {
      first = firstBucket(micros);
    }
    while (closed == NONE || closed < last) {
      long next = closed == NONE || known.size() == 0 ? nextOpen(last) : closed + 1;
      if (next > last) {
        closed = last;
      } else {
        close(next, handler);
        closed = next;
      }
    }
    if (isEnd) {
      clear();
    }
  }

  /**
   * Says how far time stays behind the newest row, as {@link #advance} tells it: a bucket in which
   * rows have begun to come is not whole, however late time is told for the first time. Without it
   * that time counts alone.
   */
  void staysBehind(long micros) {
    behindMicros = micros;
  }

  private long firstBucket(long micros) {
    if (micros == Long.MAX_VALUE) {
      return behindMicros > 0 ? open.firstKey() : open.firstKey() - 1;
    }
    long newest = Math.floorDiv(micros + behindMicros, length);
    return open.isEmpty() ? newest : Math.min(newest, open.firstKey());
  }

  /** The first open bucket, or one behind the last that is over. */
  private long nextOpen(long last) {
    return open.isEmpty() ? last + 1 : Math.min(open.firstKey(), last + 1);
  }

  private void clear() {
    known.clear();
    open.clear();
    current = null;
    Arrays.fill(openEntries, 0);
    Arrays.fill(sketches, null);
    fullest = 0;
    if (usual != null) {
      usual.clear();
    }
    first = NONE;
    closed = NONE;
  }

  private void close(long bucket, Handler handler) throws Exception {
    boolean isJudged = bucket > first + buckets;
    int slot = (int) Math.floorMod(bucket, (long) buckets);
    judged.begin = bucket * length;
    if (usual != null) {
      usual.enter(judged.begin);
    }
    ByteKeyTable counts = open.remove(bucket);
    if (counts != null) {
      for (int i = 0; i < counts.size(); i++) {
        if (i % TOUCHED == 0) {
          touched += known.touch(counts, i, Math.min(counts.size(), i + TOUCHED));
        }
        take(counts, i, bucket, slot, isJudged, handler);
      }
      recycle(counts);
    }
    roll(bucket, slot, isJudged, handler);
    if (known.size() > groupRoom) {
      forgetLeast();
    }
    for (AdmissionSketch sketch : sketches) {
      if (sketch != null) {
        sketch.clear();
      }
    }
  }

  /** Judges a keyword's count and puts it into the place of the oldest. */
  private void take(
      ByteKeyTable counts, int from, long bucket, int slot, boolean isJudged, Handler handler)
      throws Exception {
    long count = counts.values(COUNT)[from];
    int entry = known.find(counts, from);
    boolean isNew = entry < 0;
    if (isNew && count > settings.prior()) {
      entry = known.entry(counts, from);
    }
    long sumBefore = entry < 0 ? 0 : known.values(sum)[entry];
    double expectation = expectation(counts, from, sumBefore, count);
    TrendKind kind = null;
    if (isJudged && model.isRise(count, expectation)) {
      kind = isNew ? TrendKind.NEW : TrendKind.RISE;
    } else if (isJudged && model.isFall(count, expectation)) {
      kind = TrendKind.FALL;
    }
    if (kind != null || isEachWanted) {
      counts.key(from, judged.keyword);
      judged.count = count;
      judged.marks = counts.values(MARKS)[from];
      give(kind, entry, slot, expectation, handler);
    }
    if (entry >= 0) {
      long[] column = known.values(slot);
      known.values(sum)[entry] = sumBefore + count - column[entry];
      column[entry] = count;
      known.values(seen)[entry] = bucket;
    }
  }

  private double expectation(ByteKeyTable counts, int from, long sumBefore, long count) {
    if (usual != null) {
      double hour = usual.take(counts, from, count);
      if (hour >= 0) {
        return model.atLeastPrior(hour);
      }
    }
    return model.expectation(sumBefore);
  }

  /** Hands on a count, of which the keyword is said. */
  private void give(TrendKind kind, int entry, int slot, double expectation, Handler handler)
      throws Exception {
    judged.kind = kind;
    if (kind != null) {
      judged.expectation = expectation;
      judged.lower = model.lower(expectation);
      judged.upper = model.upper(expectation);
      judged.score = model.score(judged.count, expectation);
      for (int i = 0; i < buckets; i++) {
        judged.series[i] = entry < 0 ? 0 : known.values((slot + i) % buckets)[entry];
      }
      judged.series[buckets] = judged.count;
    }
    handler.judged(judged);
  }

  /** Keywords that were not in the bucket: it counts as 0, and those with nothing left go. */
  private void roll(long bucket, int slot, boolean isJudged, Handler handler) throws Exception {
    for (int entry = known.size() - 1; entry >= 0; entry--) {
      if (known.values(seen)[entry] == bucket) {
        continue;
      }
      if (isJudged && settings.falls()) {
        judgeAbsent(entry, slot, handler);
      }
      long[] column = known.values(slot);
      long left = known.values(sum)[entry] - column[entry];
      column[entry] = 0;
      known.values(sum)[entry] = left;
      if (left == 0) {
        known.remove(entry);
      }
    }
  }

  private void judgeAbsent(int entry, int slot, Handler handler) throws Exception {
    double hour = usual == null ? -1 : usual.expected(known, entry);
    double expectation =
        hour >= 0 ? model.atLeastPrior(hour) : model.expectation(known.values(sum)[entry]);
    if (model.isFall(0, expectation)) {
      known.key(entry, judged.keyword);
      judged.count = 0;
      judged.marks = 0;
      give(TrendKind.FALL, entry, slot, expectation, handler);
    }
  }

  private void recycle(ByteKeyTable counts) {
    if (counts == current) {
      current = null;
    }
    for (int i = 0; i < counts.size(); i++) {
      openEntries[group(counts.hash(i))]--;
    }
    fullest = Arrays.stream(openEntries).max().orElse(0);
    counts.reset();
    if (spares.size() < MOST_SPARES) {
      spares.add(counts);
    }
  }

  /** Makes room in groups that are too full: a quarter, where the least were. */
  private void forgetLeast() {
    int[] sizes = new int[groups.size()];
    for (int entry = 0; entry < known.size(); entry++) {
      sizes[group(known.hash(entry))]++;
    }
    long[] least = new long[groups.size()];
    Arrays.fill(least, Long.MIN_VALUE);
    boolean isFull = false;
    for (int group = 0; group < sizes.length; group++) {
      if (sizes[group] > groupRoom) {
        least[group] = leastRank(group, sizes[group]);
        isFull = true;
      }
    }
    for (int entry = known.size() - 1; isFull && entry >= 0; entry--) {
      if (rank(entry) <= least[group(known.hash(entry))]) {
        known.remove(entry);
        forgotten++;
      }
    }
  }

  /** The rank up to which a group's keywords have to go. */
  private long leastRank(int group, int size) {
    long[] ranks = new long[size];
    int found = 0;
    for (int entry = 0; entry < known.size(); entry++) {
      if (group(known.hash(entry)) == group) {
        ranks[found++] = rank(entry);
      }
    }
    Arrays.sort(ranks);
    return ranks[size - (groupRoom - groupRoom / 4) - 1];
  }

  /** The sum, and among equal ones the hash: the same order wherever the entries lie. */
  private long rank(int entry) {
    long count = Math.min(Integer.MAX_VALUE, known.values(sum)[entry]);
    return count << 32 | (known.hash(entry) & 0xFFFF_FFFFL);
  }

  /** The state as it is now: copies, but for what does not change. */
  public StateSnapshot snapshot() {
    return new TrendSnapshot(
        groups,
        settings,
        first,
        closed,
        open,
        known,
        usual == null ? null : usual.table(),
        sketches);
  }

  /**
   * Takes back what a snapshot wrote for a group.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are none, of a newer release,
   *     or of other buckets
   */
  public void restore(int group, BlockInput in) {
    TrendSnapshot.checkHeader(in, settings);
    long otherFirst = in.takeLong();
    long otherClosed = in.takeLong();
    first = first == NONE ? otherFirst : Math.min(first, otherFirst);
    closed = Math.max(closed, otherClosed);
    known.restore(in);
    if (usual != null) {
      usual.table().restore(in);
    }
    for (int left = in.takeInt(); left > 0; left--) {
      open.computeIfAbsent(in.takeLong(), b -> take()).restore(in);
    }
    if (in.takeByte() != 0) {
      sketches[group - groups.first()] = AdmissionSketch.read(in);
    }
    isRestored = true;
    current = null;
  }

  /** Adds the counts of another state, of other rows of the same keywords; it is used up. */
  void addAll(TrendState other) {
    settle();
    other.settle();
    if (other.first != NONE) {
      first = first == NONE ? other.first : Math.min(first, other.first);
    }
    closed = Math.max(closed, other.closed);
    other.open.forEach((bucket, counts) -> add(open.computeIfAbsent(bucket, b -> take()), counts));
    for (int entry = 0; entry < other.known.size(); entry++) {
      int own = known.entry(other.known, entry);
      for (int column = 0; column <= sum; column++) {
        known.values(column)[own] += other.known.values(column)[entry];
      }
      known.values(seen)[own] = Math.max(known.values(seen)[own], other.known.values(seen)[entry]);
    }
    isRestored = true;
    current = null;
  }

  private static void add(ByteKeyTable counts, ByteKeyTable more) {
    for (int entry = 0; entry < more.size(); entry++) {
      int own = counts.entry(more, entry);
      for (int column = 0; column < OPEN_COLUMNS; column++) {
        counts.values(column)[own] += more.values(column)[entry];
      }
    }
  }

  /** Counts what was restored. */
  private void settle() {
    if (isRestored) {
      isRestored = false;
      Arrays.fill(openEntries, 0);
      for (ByteKeyTable counts : open.values()) {
        for (int i = 0; i < counts.size(); i++) {
          openEntries[group(counts.hash(i))]++;
        }
      }
      fullest = Arrays.stream(openEntries).max().orElse(0);
    }
  }
}

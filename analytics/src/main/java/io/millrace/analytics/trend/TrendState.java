package io.millrace.analytics.trend;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import java.util.SortedMap;

/**
 * Counts of keywords in time buckets, and the evaluation of each bucket when the watermark has
 * passed it.
 *
 * <pre>
 *   open buckets      a table each: keyword → count, marks
 *   known keywords    keyword → counts of the last k buckets, their sum, the bucket seen last
 *   usual hours       keyword → {@link UsualHours}, where that is the baseline
 *   sketches          one for each key group that is full
 * </pre>
 *
 * <p>A keyword is known from the first bucket in which its count exceeds the prior. Before, its
 * expectation is the prior anyway; its mean lacks the earlier counts, each at most the prior, which
 * saves the look-ups of keywords that occur once. A keyword without a count in the last k buckets
 * is removed, which loses nothing: it is evaluated as a new one.
 *
 * <p>Each key group has capacity for its share of the keywords; a long keyword takes one more place
 * for each 128 bytes. While they fit, all counts are exact. A full group keeps counting known
 * keywords, and an {@link AdmissionSketch} filters the others: a keyword whose lower bound would
 * make it a trend is admitted with that count; rows of the others are counted as crowded out. When
 * a bucket closes, the smallest keywords of a group that is too full are evicted until a quarter is
 * free. The result depends only on the group's rows and their order, not on the number of threads
 * or restarts.
 *
 * <p>The first buckets only train the baseline: evaluation starts once k buckets are complete,
 * counted from the first watermark, or from the first row where that is earlier.
 *
 * <p>Memory: twice 32 bytes and the keyword's bytes for each keyword, and 8 for each bucket of the
 * mean; all tables together take at most three times the places. A row touches four lines of the
 * open bucket's table: its index, hash and place, the keyword's bytes, and the count. Not
 * thread-safe.
 */
public final class TrendState {
  /** Result of adding a row. */
  public enum Outcome {
    /** Counted. */
    COUNTED,
    /** Late: its bucket is closed. */
    LATE,
    /** Not admitted: its key group is full. */
    CROWDED_OUT
  }

  /** Receives the evaluated counts of closed buckets. */
  @FunctionalInterface
  public interface Handler {
    /**
     * Receives a keyword's count in a closed bucket.
     *
     * @param judged valid during the call
     */
    void judged(Judgement judged) throws Exception;
  }

  private static final long NONE = Long.MIN_VALUE;

  static final long UNKNOWN = Long.MAX_VALUE;

  /** Number of rows whose cache lines are prefetched at once. */
  public static final int TOUCHED = 64;

  private final TrendSettings settings;
  private final KeyGroups groups;
  private final long length;
  private final OpenBuckets open;
  private final KnownKeywords known;

  private long first = UNKNOWN;
  private long closed = NONE;
  private long delayMicros;

  /**
   * Empty state.
   *
   * @param groups key groups of this state
   * @param isEachWanted whether handlers receive each keyword of a bucket, or only trends
   */
  public TrendState(KeyGroups groups, TrendSettings settings, boolean isEachWanted) {
    this.groups = groups;
    this.settings = settings;
    length = settings.bucketMicros();
    TrendModel model = new TrendModel(settings);
    int groupRoom = settings.keywords() / groups.max();
    known = new KnownKeywords(groups, settings, model, isEachWanted, groupRoom);
    open = new OpenBuckets(groups, settings, groupRoom, model.leastNew(), known.table());
  }

  /** Known keywords. */
  public int keywords() {
    return known.table().size();
  }

  /** Keywords of open buckets, counted once per bucket. */
  public int waiting() {
    return open.size();
  }

  /** Keywords evicted from full groups since the start. */
  public long forgotten() {
    return known.forgotten();
  }

  /**
   * Counts a row.
   *
   * @param hash of the keyword, see {@link TrendRows#hash}
   * @param indexHash of the keyword, see {@link ByteKeyTable#indexHash}
   * @param bytes contain the keyword from {@code offset} on, in UTF-8
   * @param micros time of the row
   * @param count of the row, above 0
   * @param marks second value to sum; 0 for none
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
    if (!open.isCurrent(micros)) {
      long bucket = Math.floorDiv(micros, length);
      if (closed != NONE && bucket <= closed) {
        return Outcome.LATE;
      }
      open.enter(bucket);
      hasBegun(bucket);
    }
    return open.add(hash, indexHash, bytes, offset, size, count, marks)
        ? Outcome.COUNTED
        : Outcome.CROWDED_OUT;
  }

  /**
   * Prefetches the cache lines that rows will touch; call it before each batch of {@link #TOUCHED}.
   *
   * @param indexHashes of their keywords, see {@link ByteKeyTable#indexHash}
   * @param rows number of rows
   */
  public void touch(int[] indexHashes, int rows) {
    open.touch(indexHashes, rows);
  }

  /**
   * Advances the watermark to {@code micros}: closes and evaluates the buckets that end there, in
   * order; later rows of these buckets are late. {@link Long#MAX_VALUE} ends the input and empties
   * the state.
   */
  public void advance(long micros, Handler handler) throws Exception {
    open.settle();
    SortedMap<Long, ByteKeyTable> tables = open.tables();
    boolean isEnd = micros == Long.MAX_VALUE;
    if (isEnd && tables.isEmpty()) {
      clear();
      return;
    }
    long last = isEnd ? tables.lastKey() : Math.floorDiv(micros + 1, length) - 1;
    if (closed == NONE) {
      first = Math.min(first, firstBucket(micros));
    }
    while (closed == NONE || closed < last) {
      long next = closed == NONE || keywords() == 0 ? nextOpen(last) : closed + 1;
      if (next > last) {
        closed = last;
      } else {
        ByteKeyTable counts = open.remove(next);
        known.close(next, counts, next > first + settings.buckets(), handler);
        open.recycle(counts);
        closed = next;
      }
    }
    if (isEnd) {
      clear();
    }
  }

  /** Emits the counts of open buckets without evaluation, and clears them. */
  void release(Handler handler) throws Exception {
    open.settle();
    while (!open.tables().isEmpty()) {
      long bucket = open.tables().firstKey();
      ByteKeyTable counts = open.remove(bucket);
      known.pass(bucket, counts, handler);
      open.recycle(counts);
    }
  }

  /**
   * Sets the delay between the newest row and the watermark of {@link #advance}. Buckets with rows
   * before the first watermark are then treated as incomplete. The default is 0.
   */
  public void lags(long micros) {
    delayMicros = micros;
  }

  /**
   * Declares that rows of other keywords have been seen in a bucket, which is therefore incomplete
   * here as well. Used by states that share a stream, so that all start evaluation at the same
   * bucket. Ignored for a closed bucket.
   */
  public void hasBegun(long bucket) {
    if (closed == NONE || bucket > closed) {
      first = Math.min(first, bucket);
    }
  }

  private long firstBucket(long micros) {
    if (micros == Long.MAX_VALUE) {
      return delayMicros > 0 ? first : first - 1;
    }
    return Math.floorDiv(micros + delayMicros, length);
  }

  private long nextOpen(long last) {
    return open.tables().isEmpty() ? last + 1 : Math.min(open.tables().firstKey(), last + 1);
  }

  private void clear() {
    known.clear();
    open.clear();
    first = UNKNOWN;
    closed = NONE;
  }

  /** Snapshot of the state; copies whatever changes. */
  public StateSnapshot snapshot() {
    return new TrendSnapshot(
        groups,
        settings,
        first,
        closed,
        open.tables(),
        known.table(),
        known.usualTable(),
        open.sketches());
  }

  /**
   * Restores a group from its snapshot.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are malformed, of a newer
   *     version, or of other buckets
   */
  public void restore(int group, BlockInput in) {
    TrendSnapshot.checkHeader(in, settings);
    long otherFirst = in.takeLong();
    long otherClosed = in.takeLong();
    first = Math.min(first, otherFirst);
    closed = Math.max(closed, otherClosed);
    known.restore(in);
    for (int left = in.takeInt(); left > 0; left--) {
      open.restore(in.takeLong(), in);
    }
    if (in.takeByte() != 0) {
      open.restore(group, AdmissionSketch.read(in));
    }
  }

  /** Merges the state of other rows of the same keywords, which must not be used afterwards. */
  void addAll(TrendState other) {
    first = Math.min(first, other.first);
    closed = Math.max(closed, other.closed);
    open.addAll(other.open);
    known.addAll(other.known);
  }
}

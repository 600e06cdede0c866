package io.millrace.analytics.trend;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import java.util.SortedMap;

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
 * <p>Each key group has room for its share of the keywords, of which one that is long takes several
 * places: one more for each 128 bytes. While they fit, all counts are exact. In a group that is
 * full, keywords that are known are counted on, and others pass an {@link AdmissionSketch}: whoever
 * was certainly counted so often that it would be a trend gets a place, with that count. What does
 * not, is counted as crowded out. When a bucket is over, the least of a group that is too full are
 * forgotten until a quarter of it is free. All that depends on the group's own rows and their order
 * alone: neither the number of threads nor a restart changes it.
 *
 * <p>The first buckets only teach: judged is from the bucket on before which k are whole, counted
 * from where time was when it was first told, or from the first row where that is before.
 *
 * <p>Memory: for each keyword some 32 bytes and its own, twice, and 8 for each bucket of the mean;
 * three times the places at most are taken in all tables. A row touches four lines of the open
 * bucket's table: its index, hash and place, the keyword's bytes, and the count. Not thread-safe.
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
    void judged(Judgement judged) throws Exception;
  }

  /** No bucket is closed. */
  private static final long NONE = Long.MIN_VALUE;

  /** No first bucket is known. */
  static final long UNKNOWN = Long.MAX_VALUE;

  /** Rows whose lines are fetched at once. */
  public static final int TOUCHED = 64;

  private final TrendSettings settings;
  private final KeyGroups groups;
  private final long length;
  private final OpenBuckets open;
  private final KnownKeywords known;

  private long first = UNKNOWN;
  private long closed = NONE;
  private long behindMicros;

  /**
   * No counts.
   *
   * @param groups whose keywords come here
   * @param isEachWanted whether handlers are given each keyword of a bucket, or trends alone
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

  /** Keywords that were in one of the last buckets. */
  public int keywords() {
    return known.table().size();
  }

  /** Keywords of buckets that are open, counted once a bucket. */
  public int waiting() {
    return open.size();
  }

  /** Keywords that were forgotten for want of room since the start. */
  public long forgotten() {
    return known.forgotten();
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
   * Brings what rows will need into the caches: for whoever has several at once, before each few
   * dozen of them.
   *
   * @param indexHashes of their keywords, as of {@link ByteKeyTable#indexHash}
   * @param rows how many
   */
  public void touch(int[] indexHashes, int rows) {
    open.touch(indexHashes, rows);
  }

  /**
   * Time has passed {@code micros}: the buckets that end there are judged, in their order, and rows
   * of theirs are late from now on. With {@link Long#MAX_VALUE} the input is over, and nothing is
   * left.
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

  /** Gives out the counts of buckets that are not over and keeps none; they are not judged. */
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
   * Says how far time stays behind the newest row, as {@link #advance} tells it: a bucket in which
   * rows have begun to come is not whole, however late time is told for the first time. Without it
   * that time counts alone.
   */
  public void staysBehind(long micros) {
    behindMicros = micros;
  }

  /**
   * Says that rows of other keywords have begun to come in a bucket, which for that is not whole
   * here either. For states that share a stream, so that all judge from the same bucket on. A
   * bucket that was judged before is ignored, as a late row is.
   */
  public void hasBegun(long bucket) {
    if (closed == NONE || bucket > closed) {
      first = Math.min(first, bucket);
    }
  }

  private long firstBucket(long micros) {
    if (micros == Long.MAX_VALUE) {
      return behindMicros > 0 ? first : first - 1;
    }
    return Math.floorDiv(micros + behindMicros, length);
  }

  /** The first open bucket, or one behind the last that is over. */
  private long nextOpen(long last) {
    return open.tables().isEmpty() ? last + 1 : Math.min(open.tables().firstKey(), last + 1);
  }

  private void clear() {
    known.clear();
    open.clear();
    first = UNKNOWN;
    closed = NONE;
  }

  /** The state as it is now: copies, but for what does not change. */
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
   * Takes back what a snapshot wrote for a group.
   *
   * @throws io.millrace.wire.block.BlockFormatException if the bytes are none, of a newer release,
   *     or of other buckets
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

  /** Adds the counts of another state, of other rows of the same keywords; it is used up. */
  void addAll(TrendState other) {
    first = Math.min(first, other.first);
    closed = Math.max(closed, other.closed);
    open.addAll(other.open);
    known.addAll(other.known);
  }
}

package io.millrace.pipelines.trends;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.trend.Trend;
import io.millrace.analytics.trend.TrendRows;
import io.millrace.analytics.trend.TrendSettings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jctools.queues.SpscArrayQueue;
import org.jctools.queues.SpscLinkedQueue;

/**
 * Trends without an engine: the caller's thread hashes and distributes keywords, other threads
 * count and judge those of their own key groups.
 *
 * <pre>
 *               ┌─ batches ─→  shard 0  ─ verdicts ─┐
 *     caller ───┤                                   ├─→  caller, in the order of time
 *               └─ batches ─→  shard 1  ─ verdicts ─┘
 * </pre>
 *
 * Each arrow is a queue of one producer and one consumer, and empty batches return through another.
 * So their number is bounded: a slow shard back-pressures the caller. A shard receives the rows of
 * each of its key groups in input order, and the result of a {@link
 * io.millrace.analytics.trend.TrendState} depends on these alone, so any number of threads gives
 * the same trends in the same order. With one thread the caller does all the work. Not thread-safe.
 */
public final class TrendShards implements AutoCloseable {
  private static final Comparator<Trend> ORDER =
      Comparator.comparingLong(Trend::begin)
          .thenComparing(Comparator.comparingDouble(Trend::score).reversed())
          .thenComparing(Trend::keyword);

  private static final int BATCHES = 16;
  private static final int SPINS = 1_000;
  private static final long PAUSE_NANOS = 20_000;

  private final long bucketMicros;
  private final long watermarkDelayMicros;
  private final Consumer<List<Trend>> results;
  private final Lane[] lanes;
  private long newest = Long.MIN_VALUE;

  /** The earliest bucket with rows that were not late. */
  private long firstBucket = Long.MAX_VALUE;

  /** The last completed bucket: rows up to it are late. */
  private long judged = Long.MIN_VALUE;

  /** Watermark at which the next bucket is complete. */
  private long nextEnd = Long.MIN_VALUE;

  private TrendTotals totals = TrendTotals.NONE;
  private volatile boolean isClosed;
  private volatile Throwable failure;

  /**
   * Starts threads that wait for rows.
   *
   * @param watermarkDelay maximum age of a row relative to the newest, in microseconds
   * @param threads total number of threads, including the caller's; if there are several, all
   *     others are shards
   * @param results receives the trends of each bucket that has any, highest score first; called by
   *     the caller's thread
   */
  public TrendShards(
      TrendSettings settings, long watermarkDelay, int threads, Consumer<List<Trend>> results) {
    int shards = Math.max(1, threads - 1);
    if (threads < 1 || shards > KeyGroups.DEFAULT_MAX) {
      throw new IllegalArgumentException(
          threads + " threads, expected 1 to " + (KeyGroups.DEFAULT_MAX + 1));
    }
    bucketMicros = settings.bucketMicros();
    watermarkDelayMicros = watermarkDelay;
    this.results = results;
    lanes = new Lane[shards];
    for (int i = 0; i < shards; i++) {
      KeyGroups groups = KeyGroups.of(KeyGroups.DEFAULT_MAX, i, shards);
      lanes[i] = new Lane(new TrendShard(groups, settings, watermarkDelay), threads > 1);
    }
    for (Lane lane : lanes) {
      lane.start();
    }
  }

  /**
   * Counts a keyword.
   *
   * @param utf8 has the keyword from {@code offset} on; not kept
   * @param micros time, since the epoch
   * @param count of occurrences, above 0
   */
  public void add(byte[] utf8, int offset, int length, long micros, long count) throws Exception {
    if (micros > newest) {
      advance(micros);
    }
    long bucket = Math.floorDiv(micros, bucketMicros);
    if (bucket < firstBucket && bucket > judged) {
      firstBucket = bucket;
    }
    int hash = TrendRows.hash(utf8, offset, length);
    int group = KeyGroups.groupOf(hash, KeyGroups.DEFAULT_MAX);
    Lane lane = lanes[KeyGroups.subtaskOf(group, KeyGroups.DEFAULT_MAX, lanes.length)];
    lane.filling.add(hash, utf8, offset, length, micros, count);
    if (lane.filling.isFull()) {
      lane.send();
    }
  }

  private void advance(long micros) throws Exception {
    newest = micros;
    long watermark = micros - watermarkDelayMicros - 1;
    if (watermark >= nextEnd) {
      judged = Math.floorDiv(watermark + 1, bucketMicros) - 1;
      nextEnd = (judged + 2) * bucketMicros - 1;
      pass(watermark);
    }
  }

  private void pass(long watermark) throws Exception {
    for (Lane lane : lanes) {
      lane.filling.watermark = watermark;
      lane.filling.firstBucket = firstBucket;
      lane.send();
    }
    collect();
  }

  private void collect() {
    while (true) {
      List<Trend> trends = new ArrayList<>();
      TrendTotals sum = TrendTotals.NONE;
      for (Lane lane : lanes) {
        if (lane.verdicts.isEmpty()) {
          return;
        }
      }
      for (Lane lane : lanes) {
        TrendShard.Verdict verdict = lane.verdicts.poll();
        lane.awaited--;
        trends.addAll(verdict.trends());
        sum = sum.plus(verdict.totals());
      }
      totals = sum;
      if (!trends.isEmpty()) {
        trends.sort(ORDER);
        results.accept(trends);
      }
    }
  }

  /** Waits until all rows added so far are counted, and all completed buckets judged. */
  public void settle() throws Exception {
    for (Lane lane : lanes) {
      if (lane.filling.rows > 0) {
        lane.send();
      }
    }
    for (Lane lane : lanes) {
      await(() -> lane.free.size() == BATCHES - 1);
      await(() -> lane.verdicts.size() >= lane.awaited);
    }
    collect();
  }

  /**
   * Ends the input: judges the remaining buckets.
   *
   * @return totals
   */
  public TrendTotals finish() throws Exception {
    settle();
    long keywords = totals.keywords(); // value at the last completed bucket
    pass(Long.MAX_VALUE);
    settle();
    return new TrendTotals(
        totals.counted(), totals.late(), totals.crowdedOut(), totals.forgotten(), keywords);
  }

  private void await(BooleanSupplier condition) throws Exception {
    for (int turn = 0; !condition.getAsBoolean(); turn++) {
      if (failure != null) {
        throw new IllegalStateException("a shard has failed: " + failure, failure);
      }
      pause(turn);
    }
  }

  private static void pause(int turn) {
    if (turn < SPINS) {
      Thread.onSpinWait();
    } else {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Stops the threads; buckets that are not yet judged are lost. */
  @Override
  public void close() throws InterruptedException {
    isClosed = true;
    for (Lane lane : lanes) {
      if (lane.thread != null) {
        lane.thread.join();
      }
    }
  }

  private final class Lane {
    private final TrendShard shard;
    private final SpscArrayQueue<KeywordBatch> full = new SpscArrayQueue<>(BATCHES);
    private final SpscArrayQueue<KeywordBatch> free = new SpscArrayQueue<>(BATCHES);
    private final SpscLinkedQueue<TrendShard.Verdict> verdicts = new SpscLinkedQueue<>();
    private final Thread thread;
    private KeywordBatch filling = new KeywordBatch();

    private int awaited;

    Lane(TrendShard shard, boolean hasThread) {
      this.shard = shard;
      for (int i = 1; i < BATCHES; i++) {
        free.offer(new KeywordBatch());
      }
      thread = hasThread ? new Thread(this::run, "trends-shard") : null;
    }

    void start() {
      if (thread != null) {
        thread.setDaemon(true);
        thread.start();
      }
    }

    void send() throws Exception {
      if (filling.watermark != Long.MIN_VALUE) {
        awaited++;
      }
      if (thread == null) {
        count(filling);
        return;
      }
      full.offer(filling); // never full: it has as many slots as there are batches
      await(() -> !free.isEmpty());
      filling = free.poll();
    }

    private void count(KeywordBatch batch) throws Exception {
      TrendShard.Verdict verdict = shard.take(batch);
      if (verdict != null) {
        verdicts.offer(verdict);
      }
      batch.clear();
    }

    private void run() {
      try {
        for (int turn = 0; !isClosed; turn++) {
          KeywordBatch batch = full.poll();
          if (batch == null) {
            pause(turn);
          } else {
            count(batch);
            free.offer(batch);
            turn = 0;
          }
        }
      } catch (Throwable e) { // rethrown by the caller
        failure = e;
      }
    }
  }
}

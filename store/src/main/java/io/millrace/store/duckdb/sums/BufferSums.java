package io.millrace.store.duckdb.sums;

import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupSet;
import io.millrace.wire.block.FlowColumn;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.duckdb.ChunkFunction;

/**
 * Sums of some rows in memory by minute and the columns of each set, and the candidates of their
 * sample. Immutable.
 */
public final class BufferSums {
  private final FlowPart part;
  private final long rows;
  private final long oldest;
  private final long newest;
  private final boolean isSpread;
  private final Map<String, List<ChunkFunction.Chunk>> groups;
  private final Map<Long, MinuteRows> minutes;
  private final List<ChunkFunction.Chunk> candidates;
  private final long bytes;

  /**
   * Rows of one minute.
   *
   * @param newest arrival, microseconds
   */
  record MinuteRows(long rows, long newest) {}

  private BufferSums(
      SumPlan plan,
      FlowPart part,
      Summation made,
      List<ChunkFunction.Chunk> candidates,
      long bytes) {
    this.part = part;
    rows = made.rows;
    oldest = made.oldest;
    newest = made.newest;
    isSpread = made.isSpread;
    groups = new TreeMap<>();
    for (int i = 0; i < made.sums.size(); i++) {
      RollupSet set = plan.sets().get(i);
      groups.put(set.name(), made.sums.get(i).chunks(plan.groups(set)));
    }
    minutes = new TreeMap<>();
    made.candidates
        .minutes()
        .forEach((minute, its) -> minutes.put(minute, new MinuteRows(its.rows(), its.newest())));
    this.candidates = candidates;
    this.bytes = bytes;
  }

  /** Sums made by another process. */
  BufferSums(
      FlowPart part,
      long rows,
      long oldest,
      long newest,
      boolean isSpread,
      Map<String, List<ChunkFunction.Chunk>> groups,
      Map<Long, MinuteRows> minutes,
      List<ChunkFunction.Chunk> candidates,
      long bytes) {
    this.part = part;
    this.rows = rows;
    this.oldest = oldest;
    this.newest = newest;
    this.isSpread = isSpread;
    this.groups = groups;
    this.minutes = minutes;
    this.candidates = candidates;
    this.bytes = bytes;
  }

  /**
   * Aggregates rows.
   *
   * @param chunks all full except the last
   * @param mostBytes maximum memory of the sums
   * @return null if the sums need more memory, or one does not fit into 64 bits
   */
  public static BufferSums of(
      SumPlan plan, FlowPart part, List<? extends ChunkFunction.Chunk> chunks, long mostBytes) {
    Summation made = new Summation(plan, part);
    try {
      for (int i = 0; i < chunks.size(); i++) {
        made.load(chunks.get(i));
        if (made.isBatchFull() || i + 1 == chunks.size()) {
          made.sumBatch();
        }
        if (made.bytes() > mostBytes) {
          return null;
        }
      }
    } catch (ArithmeticException e) {
      return null;
    }
    int[] chosen = made.candidates.rows();
    long bytes = made.bytes() + (long) chosen.length * plan.rowBytes();
    return bytes > mostBytes
        ? null
        : new BufferSums(
            plan, part, made, SampleCandidates.copy(chosen, chunks, plan.columns()), bytes);
  }

  /** Kind of these rows. */
  public FlowPart part() {
    return part;
  }

  /** Number of rows. */
  public long rows() {
    return rows;
  }

  /** Arrival of the oldest row, microseconds; {@link Long#MAX_VALUE} without rows. */
  public long oldest() {
    return oldest;
  }

  /** Arrival of the newest row, microseconds; {@link Long#MIN_VALUE} without rows. */
  public long newest() {
    return newest;
  }

  /** Whether some records cover minutes before the minute of their arrival. */
  public boolean isSpread() {
    return isSpread;
  }

  List<ChunkFunction.Chunk> groups(String set) {
    return groups.get(set);
  }

  List<ChunkFunction.Chunk> candidates() {
    return candidates;
  }

  Map<Long, MinuteRows> minutes() {
    return minutes;
  }

  /** Approximate memory of the sums. */
  public long bytes() {
    return bytes;
  }

  /** A pass over the rows. */
  private static final class Summation {
    /**
     * Addends of one set that are processed before the next set, so that the set's table stays in a
     * cache.
     */
    private static final int BATCH = 128 * ChunkFunction.CAPACITY;

    private static final long MINUTE = Grain.MINUTE.micros();

    private final SumPlan plan;
    private final FlowPart part;
    private final List<GroupSums> sums = new ArrayList<>();
    private final List<GroupKeys> keys = new ArrayList<>();
    private final SampleCandidates candidates = new SampleCandidates();
    private final List<ChunkFunction.Chunk> batch = new ArrayList<>();
    private final List<Addends> batchAddends = new ArrayList<>(); // by chunk; also unused ones
    private int batchSize; // addends
    private Addends addends; // of the chunk that was loaded last
    private final LongColumn time;
    private final LongColumn packets;
    private final LongColumn bytes;
    private final LongColumn rate;
    private final LongColumn start;
    private final LongColumn end;
    private final LongColumn partition;
    private final LongColumn offset;
    private final LongColumn index;
    private int chunks;
    private long rows;
    private long oldest = Long.MAX_VALUE;
    private long newest = Long.MIN_VALUE;
    private boolean isSpread;

    Summation(SumPlan plan, FlowPart part) {
      this.plan = plan;
      this.part = part;
      for (RollupSet set : plan.sets()) {
        GroupKeys its = new GroupKeys(plan, plan.places(set));
        keys.add(its);
        sums.add(new GroupSums(its.words.length));
      }
      time = new LongColumn(plan, FlowColumn.TIME.columnName());
      packets = new LongColumn(plan, FlowColumn.PACKETS.columnName());
      bytes = new LongColumn(plan, FlowColumn.BYTES.columnName());
      rate = new LongColumn(plan, FlowColumn.SAMPLING_RATE.columnName());
      start = new LongColumn(plan, FlowColumn.FLOW_START.columnName());
      end = new LongColumn(plan, FlowColumn.FLOW_END.columnName());
      partition = new LongColumn(plan, "log_partition");
      offset = new LongColumn(plan, "log_offset");
      index = new LongColumn(plan, "log_index");
    }

    long bytes() {
      long all = candidates.bytes();
      for (GroupSums each : sums) {
        all += each.bytes();
      }
      return all;
    }

    boolean isBatchFull() {
      return batchSize >= BATCH;
    }

    void sumBatch() {
      for (int set = 0; set < keys.size(); set++) {
        GroupKeys its = keys.get(set);
        for (int i = 0; i < batch.size(); i++) {
          its.load(batch.get(i));
          sums.get(set).add(batchAddends.get(i), its);
        }
      }
      batch.clear();
      batchSize = 0;
    }

    void load(ChunkFunction.Chunk chunk) {
      if (batch.size() == batchAddends.size()) {
        batchAddends.add(new Addends());
      }
      addends = batchAddends.get(batch.size());
      batch.add(chunk);
      int n = chunk.rows();
      time.load(chunk, 0);
      packets.load(chunk, 0);
      bytes.load(chunk, 0);
      rate.load(chunk, 1);
      addends.clear();
      for (int i = 0; i < n; i++) {
        long t = time.values[i];
        oldest = Math.min(oldest, t);
        newest = Math.max(newest, t);
        byte known =
            (byte)
                ((packets.isNull(i) ? 0 : Addends.PACKETS) | (bytes.isNull(i) ? 0 : Addends.BYTES));
        addends.add(i, Addends.minuteWord(Math.floorDiv(t, MINUTE), false), 1, known);
        long p = packets.values[i];
        long b = bytes.values[i];
        long r = rate.values[i];
        addends.sums(i, p, b, Math.multiplyExact(p, r), Math.multiplyExact(b, r));
      }
      if (part == FlowPart.RECORDS) {
        spread(chunk);
      }
      batchSize += addends.n;
      if (plan.hasSample()) {
        choose(chunk);
      }
      rows += n;
      chunks++;
    }

    private void choose(ChunkFunction.Chunk chunk) {
      partition.load(chunk, 0);
      offset.load(chunk, 0);
      index.load(chunk, 0);
      int first = chunks * ChunkFunction.CAPACITY;
      for (int i = 0; i < chunk.rows(); i++) {
        double r = rate.values[i];
        candidates.add(
            first + i,
            time.values[i],
            bytes.values[i] * r,
            packets.values[i] * r,
            (int) partition.values[i],
            offset.values[i],
            (int) index.values[i]);
      }
    }

    /**
     * Subtracts records that started before the minute of their arrival from this minute, and adds
     * them to the minutes that they cover.
     */
    private void spread(ChunkFunction.Chunk chunk) {
      start.load(chunk, Long.MIN_VALUE);
      end.load(chunk, Long.MIN_VALUE);
      for (int i = 0; i < chunk.rows(); i++) {
        long t = time.values[i];
        long fe = known(end.values[i]);
        long fs = known(start.values[i]);
        boolean isBelieved = fe != Long.MIN_VALUE && fe <= t && fe >= t - plan.delayMicros();
        long e = isBelieved ? fe : t;
        boolean hasDuration = fe != Long.MIN_VALUE && fs != Long.MIN_VALUE && fe >= fs;
        long d = hasDuration ? Math.min(fe - fs, plan.flowMicros()) : 0;
        if (e - d < Math.floorDiv(t, MINUTE) * MINUTE) {
          spread(i, e, d);
          isSpread = true;
        }
      }
    }

    private static long known(long time) {
      return time >= 0 && time != Long.MAX_VALUE ? time : Long.MIN_VALUE;
    }

    private void spread(int row, long e, long d) {
      byte known = addends.known[row];
      long p = addends.packets[row];
      long b = addends.bytes[row];
      long scaledP = addends.scaledPackets[row];
      long scaledB = addends.scaledBytes[row];
      addends.add(row, addends.minute[row] | 1, -1, known);
      addends.sums(addends.n - 1, -p, -b, -scaledP, -scaledB);
      long s = e - d;
      long last = Math.floorDiv(d > 0 ? e - 1 : e, MINUTE);
      for (long minute = Math.floorDiv(s, MINUTE); minute <= last; minute++) {
        long k0 = Math.max(minute * MINUTE - s, 0);
        long k1 = Math.min((minute + 1) * MINUTE - s, d);
        addends.add(row, Addends.minuteWord(minute, true), minute == last ? 1 : 0, known);
        addends.sums(
            addends.n - 1,
            part(p, d, k0, k1),
            part(b, d, k0, k1),
            part(scaledP, d, k0, k1),
            part(scaledB, d, k0, k1));
      }
    }

    private static long part(long x, long d, long k0, long k1) {
      return d == 0 ? x : upTo(x, d, k1) - upTo(x, d, k0);
    }

    /** ⌊x · k / d⌋ for k ≤ d < 2³², without a product of more than 64 bits. */
    private static long upTo(long x, long d, long k) {
      return x / d * k + Long.divideUnsigned(x % d * k, d);
    }
  }

  /** A column of numbers or times of one chunk. */
  private static final class LongColumn {
    private final int column;
    private final boolean isInt;
    private final long[] values = new long[ChunkFunction.CAPACITY];
    private final int[] ints = new int[ChunkFunction.CAPACITY];
    private long[] validity;
    private boolean isNull;

    LongColumn(SumPlan plan, String name) {
      column = plan.place(name);
      isInt = plan.type(column) == ChunkFunction.Type.INTEGER;
    }

    void load(ChunkFunction.Chunk chunk, long inPlaceOfNull) {
      int n = chunk.rows();
      ByteBuffer source = chunk.values(column);
      isNull = source == null;
      validity = isNull ? null : chunk.validity(column);
      if (isNull) {
        java.util.Arrays.fill(values, 0, n, inPlaceOfNull);
        return;
      }
      if (isInt) {
        source.asIntBuffer().get(0, ints, 0, n);
        for (int i = 0; i < n; i++) {
          values[i] = ints[i];
        }
      } else {
        source.asLongBuffer().get(0, values, 0, n);
      }
      if (validity != null) {
        for (int i = 0; i < n; i++) {
          if (isNull(i)) {
            values[i] = inPlaceOfNull;
          }
        }
      }
    }

    boolean isNull(int i) {
      return isNull || (validity != null && (validity[i >> 6] >>> i & 1) == 0);
    }
  }
}

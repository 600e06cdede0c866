package io.millrace.store.duckdb.sums;

import io.millrace.store.rollup.Grain;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.duckdb.ChunkFunction;

/**
 * The rows of each minute with the highest priorities by bytes and by packets: all that can be in
 * the minute's sample. Priorities are those of {@code SampleSql}: the weight divided by a random
 * number, which DuckDB's hash yields from the log position.
 *
 * <p>One thread adds; the object is read only after the last addition.
 */
final class SampleCandidates {
  /**
   * Maximum rows per minute and measure: those of a sample, and the next one, which is its limit.
   */
  static final int MAX_ROWS = 129;

  private static final long FACTOR = 0xD6E8FEB86659FD93L;

  /** Memory of a minute: its objects, with room for eight rows per measure, and its map entry. */
  private static final long MINUTE_BYTES = 512;

  private static final double TWO_64 = 0x1p64;

  private final Map<Long, Minute> minutes = new HashMap<>();
  private Minute last;

  /** A minute's number of rows, newest arrival and rows with the highest priorities. */
  static final class Minute {
    private final long number;
    private long rows;
    private long newest = Long.MIN_VALUE;
    private final Highest byBytes = new Highest();
    private final Highest byPackets = new Highest();

    Minute(long number) {
      this.number = number;
    }

    long rows() {
      return rows;
    }

    long newest() {
      return newest;
    }
  }

  /** The highest priorities and their rows: a heap with the lowest first. */
  private static final class Highest {
    private double[] priorities = new double[8];
    private int[] rows = new int[8];
    private int size;

    void add(double priority, int row) {
      if (size < MAX_ROWS) {
        if (size == rows.length) {
          int more = Math.min(MAX_ROWS, 2 * size);
          priorities = Arrays.copyOf(priorities, more);
          rows = Arrays.copyOf(rows, more);
        }
        up(size++, priority, row);
      } else if (priority > priorities[0]) {
        down(priority, row);
      }
    }

    IntStream rows() {
      return IntStream.range(0, size).map(i -> rows[i]);
    }

    private void up(int from, double priority, int row) {
      int at = from;
      while (at > 0 && priorities[(at - 1) / 2] > priority) {
        int parent = (at - 1) / 2;
        priorities[at] = priorities[parent];
        rows[at] = rows[parent];
        at = parent;
      }
      priorities[at] = priority;
      rows[at] = row;
    }

    private void down(double priority, int row) {
      int at = 0;
      while (true) {
        int child = 2 * at + 1;
        if (child + 1 < size && priorities[child + 1] < priorities[child]) {
          child++;
        }
        if (child >= size || priorities[child] >= priority) {
          break;
        }
        priorities[at] = priorities[child];
        rows[at] = rows[child];
        at = child;
      }
      priorities[at] = priority;
      rows[at] = row;
    }
  }

  /**
   * Adds a row.
   *
   * @param row row number
   * @param time arrival, microseconds
   * @param bytes bytes times the sampling rate
   * @param packets packets times the sampling rate
   */
  void add(
      int row, long time, double bytes, double packets, int partition, long offset, int index) {
    long number = Math.floorDiv(time, Grain.MINUTE.micros());
    Minute minute = last;
    if (minute == null || minute.number != number) {
      minute = minutes.computeIfAbsent(number, Minute::new);
      last = minute;
    }
    minute.rows++;
    minute.newest = Math.max(minute.newest, time);
    float drawn = drawn(partition, offset, index);
    minute.byBytes.add(bytes / drawn, row);
    minute.byPackets.add(Math.max(packets, 1) / drawn, row);
  }

  /** Pseudo-random number of a log position, in (0, 1]. */
  static float drawn(int partition, long offset, int index) {
    long hash = combine(combine(hash(partition), hash(offset)), hash(index & 0xFFFF_FFFFL));
    // as an unsigned number, rounded once
    double value = hash >= 0 ? hash : (double) ((hash >>> 1) | (hash & 1)) * 2;
    return (float) ((value + 1) / TWO_64);
  }

  private static long hash(long value) {
    long h = value ^ value >>> 32;
    h *= FACTOR;
    h ^= h >>> 32;
    h *= FACTOR;
    return h ^ h >>> 32;
  }

  private static long combine(long left, long right) {
    return (left ^ left >>> 32) * FACTOR ^ right;
  }

  /** Minutes by number since the epoch. */
  Map<Long, Minute> minutes() {
    return minutes;
  }

  /** Approximate memory of the minutes: if there are many, most have few rows. */
  long bytes() {
    return minutes.size() * MINUTE_BYTES;
  }

  /** Row numbers, ascending. */
  int[] rows() {
    return minutes.values().stream()
        .flatMapToInt(minute -> IntStream.concat(minute.byBytes.rows(), minute.byPackets.rows()))
        .sorted()
        .distinct()
        .toArray();
  }

  /** Copies the rows with the given numbers. */
  static List<ChunkFunction.Chunk> copy(
      int[] all, List<? extends ChunkFunction.Chunk> chunks, List<ChunkFunction.Column> columns) {
    List<ChunkFunction.Chunk> copies = new ArrayList<>();
    for (int from = 0; from < all.length; from += ChunkFunction.CAPACITY) {
      int to = Math.min(all.length, from + ChunkFunction.CAPACITY);
      copies.add(chunk(Arrays.copyOfRange(all, from, to), chunks, columns));
    }
    return copies;
  }

  private static ChunkCopy chunk(
      int[] rows, List<? extends ChunkFunction.Chunk> chunks, List<ChunkFunction.Column> columns) {
    ByteBuffer[] values = new ByteBuffer[columns.size()];
    long[][] valid = new long[columns.size()][];
    for (int column = 0; column < values.length; column++) {
      int width = columns.get(column).type().width();
      ByteBuffer copied = null;
      long[] bits = null;
      for (int i = 0; i < rows.length; i++) {
        ChunkFunction.Chunk chunk = chunks.get(rows[i] / ChunkFunction.CAPACITY);
        int row = rows[i] % ChunkFunction.CAPACITY;
        ByteBuffer source = chunk.values(column);
        long[] sourceBits = source == null ? null : chunk.validity(column);
        if (source == null || (sourceBits != null && (sourceBits[row >> 6] >>> row & 1) == 0)) {
          if (bits == null) {
            bits = new long[ChunkFunction.CAPACITY / Long.SIZE];
            Arrays.fill(bits, -1);
          }
          bits[i >> 6] &= ~(1L << i);
        } else {
          if (copied == null) {
            copied = ByteBuffer.allocate(rows.length * width).order(ByteOrder.nativeOrder());
          }
          copied.put(i * width, source, row * width, width);
        }
      }
      values[column] = copied;
      valid[column] = bits;
    }
    return new ChunkCopy(rows.length, values, valid);
  }
}

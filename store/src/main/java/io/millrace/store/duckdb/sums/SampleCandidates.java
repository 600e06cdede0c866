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
 * Of each minute the rows of the highest priorities, by bytes and by packets: all that can be in
 * its sample. Priorities are those of {@code SampleSql}: the weight by a random number from the
 * position in the log, by DuckDB's hash.
 *
 * <p>One thread adds; it is read when nothing is added any more.
 */
final class SampleCandidates {
  /** Rows of a minute by each measure: those of a sample and the next one, which is its limit. */
  static final int MOST = 129;

  private static final long FACTOR = 0xD6E8FEB86659FD93L;

  /** Objects of a minute with room for eight rows by each measure, and its entry in the map. */
  private static final long MINUTE_BYTES = 512;

  private static final double TWO_64 = 0x1p64;

  private final Map<Long, Minute> minutes = new HashMap<>();
  private Minute last;

  /** Of the rows of a minute: their number, the newest arrival, those of the highest priorities. */
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

  /** The highest priorities and whose they are: a heap, the lowest first. */
  private static final class Highest {
    private double[] priorities = new double[8];
    private int[] rows = new int[8];
    private int size;

    void add(double priority, int row) {
      if (size < MOST) {
        if (size == rows.length) {
          int more = Math.min(MOST, 2 * size);
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
   * @param row its number
   * @param time arrival, microseconds
   * @param bytes times the sampling rate
   * @param packets times the sampling rate
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

  /** Random number of a position in the log: above 0, at most 1. */
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

  /** By minute since the epoch. */
  Map<Long, Minute> minutes() {
    return minutes;
  }

  /** Memory of the minutes, about: most have few rows where there are many of them. */
  long bytes() {
    return minutes.size() * MINUTE_BYTES;
  }

  /** Numbers of the rows, ascending. */
  int[] rows() {
    return minutes.values().stream()
        .flatMapToInt(minute -> IntStream.concat(minute.byBytes.rows(), minute.byPackets.rows()))
        .sorted()
        .distinct()
        .toArray();
  }

  /** Copies of rows. */
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

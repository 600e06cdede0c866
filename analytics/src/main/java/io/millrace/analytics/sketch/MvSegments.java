package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import java.util.Arrays;

/**
 * MV-Sketches with variances of the same shape and seed in one array, each for some of the keys;
 * written as separate sketches. A block may have rows of all of them, so that cache lines are
 * prefetched together as in {@link ExactCounts}.
 *
 * <pre>
 *   first row:   buckets of segment 0 | of segment 1 | …      second row:   the same
 * </pre>
 *
 * Not thread-safe.
 */
public final class MvSegments {
  private static final int CHUNK = CellSketch.CHUNK;

  private final MvSketch shape;

  private final int segments;

  private final int rowCells;

  private final long[] cells;
  private final long[] places = new long[CHUNK];
  private long total;
  private long totalVariance;

  /** Blackhole that keeps the prefetching reads from being eliminated. */
  @SuppressWarnings("UnusedVariable")
  private long fetched;

  /**
   * Empty sketches.
   *
   * @param memory bytes of each
   */
  public MvSegments(int segments, int keyBytes, long memory, long seed) {
    this.segments = segments;
    shape = MvSketch.withVariances(keyBytes, memory, seed);
    rowCells = shape.width * shape.stride;
    cells = new long[Math.multiplyExact(segments, shape.cells.length)];
  }

  /** Whether the segments fit into one array. */
  public static boolean isPossible(int segments, long memory) {
    return segments * memory / Long.BYTES < Integer.MAX_VALUE - 8;
  }

  /** Weight of all keys. */
  public long total() {
    return total;
  }

  /** Sum of all variances. */
  public long totalVariance() {
    return totalVariance;
  }

  /** Bytes of all segments. */
  public long bytes() {
    return Long.BYTES * (long) (cells.length + CHUNK) + shape.bytes();
  }

  /**
   * Adds the rows of a block with variances.
   *
   * @param segmentOf segment by row
   * @param min lower bounds below this are not computed; most buckets have less
   * @param bounds receives the lower bound of each row's key, including the row; 0 where unknown
   */
  public void update(KeyBlock block, int[] segmentOf, long min, long[] bounds) {
    Arrays.fill(bounds, 0, block.rows(), 0);
    for (int from = 0; from < block.rows(); from += CHUNK) {
      int count = Math.min(CHUNK, block.rows() - from);
      for (int row = 0; row < shape.rows; row++) {
        shape.number(row, block, from, count, shape.width, places);
        for (int i = 0; i < count; i++) {
          places[i] += (long) shape.width * (row * segments + segmentOf[from + i]);
        }
        CellSketch.toCells(places, count, 0, shape.stride);
        long touched = 0;
        for (int i = 0; i < count; i++) {
          touched += cells[(int) places[i]] + cells[(int) places[i] + shape.stride - 1];
        }
        fetched = touched;
        shape.vote(cells, block, from, count, places);
        shape.bound(cells, block, from, count, places, min, bounds);
      }
    }
    total += block.total();
    for (int row = 0; row < block.rows(); row++) {
      totalVariance += block.variances()[row];
    }
  }

  private int begin(int row, int segment) {
    return (row * segments + segment) * rowCells;
  }

  void merge(int segment, MvSketch other) {
    if (!shape.isAlike(other)) {
      throw new IllegalArgumentException("cannot merge sketches of different shapes or seeds");
    }
    for (int row = 0; row < shape.rows; row++) {
      shape.merge(cells, begin(row, segment), other.cells, row * rowCells, rowCells);
    }
    total += other.total();
    totalVariance += other.totalVariance();
  }

  /** Weight of a segment's keys. */
  public long total(int segment) {
    long sum = 0;
    int begin = begin(0, segment);
    for (int cell = begin; cell < begin + rowCells; cell += shape.stride) {
      sum += cells[cell];
    }
    return sum;
  }

  /** Writes a segment in the format of a single MV-Sketch. */
  void write(int segment, BlockBuffer out) {
    long[] own = new long[shape.cells.length];
    for (int row = 0; row < shape.rows; row++) {
      System.arraycopy(cells, begin(row, segment), own, row * rowCells, rowCells);
    }
    shape.writeHeader(shape.width, total(segment), out);
    out.putLongs(own, own.length);
  }
}

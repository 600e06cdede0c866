package io.millrace.analytics.trend;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.Arrays;

/**
 * Admission filter of a full table: a count-min sketch of the keywords without an entry, whose
 * lower bounds decide which keyword is admitted (Cormode and Muthukrishnan, An Improved Data Stream
 * Summary, Journal of Algorithms 55, 2005) with conservative update (Estan and Varghese, SIGCOMM
 * 2002).
 *
 * <p>With N counts in all and rows of w counters, an estimate is never below the truth, and exceeds
 * it by more than e·N/w with a probability of at most e<sup>−4</sup>, 1.8%, for the four rows. So
 * the estimate less e·N/w, which {@link #add} returns, exceeds the truth with at most that
 * probability. Takes 16 bytes for each counter of a row. Not thread-safe.
 */
final class AdmissionSketch {
  private static final int ROWS = 4;
  private static final long FIRST = 0xBF58476D1CE4E5B9L;
  private static final long SECOND = 0x94D049BB133111EBL;

  private final int[] counters;
  private final int width;
  private final long seed;
  private long total;

  AdmissionSketch(int width, long seed) {
    this.width = width;
    this.seed = seed;
    counters = new int[ROWS * width];
  }

  /** Returns a lower bound of the keyword's count in the bucket, see above; usually ≤ 0. */
  long add(long bucket, byte[] bytes, int offset, int length, long count) {
    long hash = mix(seed + bucket * SECOND);
    for (int i = offset; i < offset + length; i++) {
      hash = (hash ^ bytes[i]) * FIRST;
      hash ^= hash >>> 29;
    }
    hash = mix(hash);
    total += count;
    int step = (int) (hash >>> 32) | 1;
    long min = Long.MAX_VALUE;
    for (int row = 0; row < ROWS; row++) {
      min = Math.min(min, counters[place(row, (int) hash, step)]);
    }
    int estimate = (int) Math.min(Integer.MAX_VALUE, min + count);
    for (int row = 0; row < ROWS; row++) {
      int place = place(row, (int) hash, step);
      counters[place] = Math.max(counters[place], estimate);
    }
    return estimate - error();
  }

  private int place(int row, int hash, int step) {
    return row * width + ((int) mix(hash + (long) row * step) & (width - 1));
  }

  long error() {
    return (long) Math.ceil(Math.E * total / width);
  }

  boolean isEmpty() {
    return total == 0;
  }

  void clear() {
    if (total > 0) {
      Arrays.fill(counters, 0);
      total = 0;
    }
  }

  AdmissionSketch copy() {
    AdmissionSketch copy = new AdmissionSketch(width, seed);
    System.arraycopy(counters, 0, copy.counters, 0, counters.length);
    copy.total = total;
    return copy;
  }

  void write(BlockBuffer out) {
    out.putLong(seed);
    out.putLong(total);
    out.putInt(width);
    out.putInts(counters, 0, counters.length);
  }

  static AdmissionSketch read(BlockInput in) {
    long seed = in.takeLong();
    long total = in.takeLong();
    int width = in.takeInt();
    if (Integer.bitCount(width) != 1 || width > in.remaining() / (ROWS * Integer.BYTES)) {
      throw in.broken("a sketch with rows of " + Integer.toUnsignedString(width));
    }
    AdmissionSketch sketch = new AdmissionSketch(width, seed);
    Arrays.setAll(sketch.counters, i -> in.takeInt());
    sketch.total = total;
    return sketch;
  }

  private static long mix(long key) {
    long mixed = (key ^ (key >>> 30)) * FIRST;
    mixed = (mixed ^ (mixed >>> 27)) * SECOND;
    return mixed ^ (mixed >>> 31);
  }
}

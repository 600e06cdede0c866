package io.millrace.analytics.sketch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Sequential hashing of Bu, Cao, Chen and Lee, "Sequential hashing: A flexible approach for
 * unveiling significant patterns in high speed networks" (Computer Networks, 2010): counters for
 * every prefix of a key, from which heavy keys are found byte by byte.
 *
 * <pre>
 *   level 1   first byte        two rows of counters
 *   level 2   first two bytes   two rows of counters
 *   …         …                 …
 *   level n   the whole key     two rows of counters
 * </pre>
 *
 * A heavy key's prefixes are heavy. So each candidate of a level is extended by all 256 bytes, and
 * kept if its counters reach the threshold in both rows: h hitters take some 256 h n look-ups,
 * instead of one for each possible key. The paper chooses the parts of a key for least memory; here
 * they are always bytes.
 *
 * <p><b>Bounds</b>: see {@link LinearSketch}, of the two rows of the last level; a key that reaches
 * the threshold is always found, as long as no level has more than {@value #MAX_CANDIDATES}
 * candidates, of which the heaviest stay. Opposite changes in one prefix cancel out, and neither is
 * found. <b>Good for</b> short keys and for prefixes. An update touches two cache lines for each
 * byte of the key.
 */
public final class SequentialHashing extends LinearSketch {
  private static final int ROWS = 2;
  private static final int MAX_CANDIDATES = 4096;

  /** An empty sketch of at most {@code memory} bytes. */
  public SequentialHashing(int keyBytes, long memory, long seed) {
    this(keyBytes, width(ROWS * keyBytes, 1, memory), seed);
  }

  private SequentialHashing(int keyBytes, int width, long seed) {
    super(keyBytes, ROWS * keyBytes, width, 1, new long[1][ROWS * keyBytes * width], ROWS, seed);
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.SEQHASH;
  }

  @Override
  public LinearSketch fresh() {
    return new SequentialHashing(keyBytes, width, seed());
  }

  @Override
  int bits(int row) {
    return Byte.SIZE * (row / ROWS + 1);
  }

  @Override
  void add(KeyBlock block, int from, int count) {
    for (int row = 0; row < rows; row++) {
      locate(row, block, from, count, places);
      add(cells, places, block.weights(), from, count);
    }
  }

  private static void add(long[] cells, long[] at, long[] weights, int from, int count) {
    for (int i = 0; i < count; i++) {
      cells[(int) at[i]] += weights[from + i];
    }
  }

  /**
   * A weight that few counters reach by chance; with a lower one, most prefixes would be
   * candidates.
   */
  @Override
  public long leastWeight() {
    return 1 + (long) (Math.E * total() / width);
  }

  /** A prefix followed by zeros, and its counter nearest to zero. */
  private record Prefix(Key key, long value) {}

  @Override
  Set<Key> candidates(long threshold) {
    List<Prefix> prefixes = List.of(new Prefix(Key.of(new byte[keyBytes]), 0));
    for (int level = 0; level < keyBytes; level++) {
      List<Prefix> longer = new ArrayList<>();
      for (Prefix prefix : prefixes) {
        for (long next = 0; next < 256; next++) {
          long[] words = prefix.key().words().clone();
          words[level >> 3] |= next << (56 - 8 * (level & 7));
          long value = value(level, words);
          if (Math.abs(value) >= threshold) {
            longer.add(new Prefix(new Key(keyBytes, words), value));
          }
        }
      }
      if (longer.size() > MAX_CANDIDATES) {
        longer.sort(Comparator.comparingLong((Prefix p) -> Math.abs(p.value())).reversed());
        longer = longer.subList(0, MAX_CANDIDATES);
      }
      prefixes = longer;
    }
    Set<Key> keys = new HashSet<>();
    prefixes.forEach(prefix -> keys.add(prefix.key()));
    return keys;
  }

  private long value(int level, long[] prefix) {
    long value = Long.MAX_VALUE;
    for (int row = level * ROWS; row < (level + 1) * ROWS; row++) {
      value = nearer(value, cells[cell(row, prefix, 0)]);
    }
    return value;
  }

  @Override
  long value(Key key) {
    return value(keyBytes - 1, key.words());
  }
}

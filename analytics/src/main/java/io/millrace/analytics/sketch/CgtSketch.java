package io.millrace.analytics.sketch;

/**
 * Combinational Group Testing of Cormode and Muthukrishnan, "What's hot and what's not: tracking
 * most frequent items dynamically" (TODS, 2005) and "What's new: finding significant differences in
 * network data streams" (ToN, 2005): each bucket counts its keys and each bit of them.
 *
 * <p>The paper rejects a bucket in which both values of a bit are heavy; here the heavier value is
 * taken, and the hash of the resulting key verifies it. The estimate is the least of a key's
 * counters, including those of its bits.
 *
 * <p><b>Bounds</b>: see {@link LinearSketch}; a key with more than half of one of its buckets is
 * always found. <b>Good for</b> few large changes in much constant traffic. A bucket of 104-bit
 * keys takes 840 bytes, so it needs more memory than the others for the same threshold, and an
 * update touches all of that.
 */
public final class CgtSketch extends BitCounters {
  private static final int ROWS = 3;

  /** An empty sketch of at most {@code memory} bytes. */
  public CgtSketch(int keyBytes, long memory, long seed) {
    this(keyBytes, bucketsIn(memory, ROWS, Byte.SIZE * keyBytes), seed);
  }

  private CgtSketch(int keyBytes, int width, long seed) {
    super(keyBytes, ROWS, width, Byte.SIZE * keyBytes, seed);
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.CGT;
  }

  @Override
  public LinearSketch fresh() {
    return new CgtSketch(keyBytes, width, seed());
  }

  @Override
  void find(int row, KeyBlock block, int from, int count, long[] bucketOf) {
    number(row, block, from, count, bucketOf);
    for (int i = 0; i < count; i++) {
      bucketOf[i] += (long) row * width;
    }
  }

  @Override
  int bucket(int row, long[] key) {
    return row * width + number(row, key, 0);
  }

  @Override
  void complete(long[] key, int row, int bucket) {}
}

package io.millrace.analytics.sketch;

/**
 * Fast Sketch of Liu, Chen and Guan, "A fast sketch for aggregate queries over high-speed network
 * traffic" (INFOCOM 2012): group testing without the bits that follow from a bucket's number.
 *
 * <pre>
 *   key      | quotient: n − k bits                  | remainder: k bits |
 *   bucket   = remainder xor hash(quotient), one of 2ᵏ in each row
 *   counters = all, and each bit of the quotient
 * </pre>
 *
 * The quotient is recovered from the counters, and the remainder is the bucket's number xor the
 * hash of the quotient. Two keys with the same quotient never share a bucket; two others do with a
 * probability of 2⁻ᵏ. The paper's buckets are one array for all hash functions, here each has a
 * separate row, with the same memory and collisions.
 *
 * <p><b>Bounds</b>: see {@link LinearSketch}; a key with more than half of one of its buckets is
 * always found. <b>Good for</b> few large changes in much constant traffic, as {@link CgtSketch},
 * with slightly less memory and time.
 */
public final class FastSketch extends BitCounters {
  private static final int ROWS = 2;
  private static final int MAX_BITS = 24;

  private final int remainderBits;

  /** An empty sketch of at most {@code memory} bytes; the number of buckets is a power of two. */
  public FastSketch(int keyBytes, long memory, long seed) {
    this(remainderBits(keyBytes, memory), keyBytes, seed);
  }

  private FastSketch(int remainderBits, int keyBytes, long seed) {
    super(keyBytes, ROWS, 1 << remainderBits, Byte.SIZE * keyBytes - remainderBits, seed);
    this.remainderBits = remainderBits;
  }

  private static int remainderBits(int keyBytes, long memory) {
    int bits = Math.min(MAX_BITS, Byte.SIZE * keyBytes);
    while (bits > 0 && bucketsIn(memory, ROWS, Byte.SIZE * keyBytes - bits) < 1 << bits) {
      bits--;
    }
    return bits;
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.FAST;
  }

  @Override
  public LinearSketch fresh() {
    return new FastSketch(remainderBits, keyBytes, seed());
  }

  @Override
  int bits(int row) {
    return counted;
  }

  @Override
  void find(int row, KeyBlock block, int from, int count, long[] bucketOf) {
    number(row, block, from, count, bucketOf);
    for (int i = 0; i < count; i++) {
      bucketOf[i] = (long) row * width + ((int) bucketOf[i] ^ remainder(block, from + i));
    }
  }

  private int remainder(KeyBlock block, int row) {
    int end = Byte.SIZE * keyBytes;
    int word = (end - 1) >> 6;
    int within = end - Long.SIZE * word;
    long own = block.word(word)[row] >>> (Long.SIZE - within);
    if (within < remainderBits) {
      own |= block.word(word - 1)[row] << within;
    }
    return (int) own & (width - 1);
  }

  @Override
  int bucket(int row, long[] key) {
    return row * width + (number(row, key, 0) ^ remainder(key));
  }

  private int remainder(long[] key) {
    int remainder = 0;
    for (int bit = counted; bit < Byte.SIZE * keyBytes; bit++) {
      remainder = remainder << 1 | (int) (key[bit >> 6] << bit >>> 63);
    }
    return remainder;
  }

  @Override
  void complete(long[] key, int row, int bucket) {
    long remainder = number(row, key, 0) ^ bucket;
    for (int bit = Byte.SIZE * keyBytes - 1; bit >= counted; bit--, remainder >>>= 1) {
      key[bit >> 6] |= (remainder & 1) << (63 - (bit & 63));
    }
  }
}

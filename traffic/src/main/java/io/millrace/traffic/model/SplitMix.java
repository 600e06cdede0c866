package io.millrace.traffic.model;

/**
 * A small random generator with the same numbers in every Java version: SplitMix64 (Steele, Lea and
 * Flood, "Fast splittable pseudorandom number generators", 2014). Not thread-safe.
 */
public final class SplitMix {
  private static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;

  private long state;

  SplitMix(long seed) {
    state = seed;
  }

  long next() {
    state += GOLDEN_GAMMA;
    return mix(state);
  }

  /** A number from 0 to {@code bound - 1}; the bias of at most bound / 2³² is irrelevant here. */
  int below(int bound) {
    return (int) (((next() >>> 32) * bound) >>> 32);
  }

  int between(int low, int high) {
    return low + below(high - low + 1);
  }

  double unit() {
    return (next() >>> 11) * 0x1.0p-53;
  }

  boolean chance(double probability) {
    return unit() < probability;
  }

  /** Mixes the bits of a number over all 64 bits. */
  public static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return z ^ (z >>> 31);
  }
}

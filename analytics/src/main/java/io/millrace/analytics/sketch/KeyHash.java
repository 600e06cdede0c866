package io.millrace.analytics.sketch;

import java.util.SplittableRandom;

/**
 * A strongly universal hash of keys, of a whole block at once: Multilinear-HM of Lemire and Kaser,
 * "Strongly universal string hashing is fast" (The Computer Journal, 2014).
 *
 * <p>With a key's 32-bit characters s and random 64-bit numbers m, the upper half of m₀ + Σ (m₂ᵢ₋₁
 * + s₂ᵢ₋₁)(m₂ᵢ + s₂ᵢ) mod 2⁶⁴ is uniform and independent for any two keys, as the bounds of the
 * sketches require. Eight bytes of a key cost one multiplication, and the loops have no branches,
 * so that they are vectorised. Immutable.
 */
final class KeyHash {
  /** More bits than any key has. */
  static final int WHOLE = Integer.MAX_VALUE;

  private static final long LOWER = 0xFFFF_FFFFL;

  private final long[] random;

  KeyHash(int words, SplittableRandom seeds) {
    random = seeds.longs(2L * words + 1).toArray();
  }

  static KeyHash[] several(int count, int words, long seed) {
    SplittableRandom seeds = new SplittableRandom(seed);
    KeyHash[] hashes = new KeyHash[count];
    for (int i = 0; i < count; i++) {
      hashes[i] = new KeyHash(words, seeds);
    }
    return hashes;
  }

  static long mask(int bits, int word) {
    int own = bits - Long.SIZE * word;
    return own <= 0 ? 0 : own >= Long.SIZE ? -1L : -1L << (Long.SIZE - own);
  }

  /**
   * Computes a place in 0 to {@code range - 1} for each of {@code count} keys.
   *
   * @param bits of a key that are hashed, from the first on; {@link #WHOLE} for all
   */
  void places(KeyBlock block, int from, int count, int bits, int range, long[] places) {
    for (int i = 0; i < count; i++) {
      places[i] = random[0];
    }
    for (int word = 0; 2 * word + 1 < random.length && mask(bits, word) != 0; word++) {
      addWord(block.word(word), from, count, mask(bits, word), word, places);
    }
    for (int i = 0; i < count; i++) {
      places[i] = ((places[i] >>> 32) * range) >>> 32;
    }
  }

  private void addWord(long[] keys, int from, int count, long mask, int word, long[] sums) {
    long odd = random[2 * word + 1];
    long even = random[2 * word + 2];
    for (int i = 0; i < count; i++) {
      long key = keys[from + i] & mask;
      sums[i] += (odd + (key >>> 32)) * (even + (key & LOWER));
    }
  }

  int place(long[] key, int at, int bits, int range) {
    return (int) ((hash(key, at, bits) * range) >>> 32);
  }

  long hash(long[] key, int at, int bits) {
    long sum = random[0];
    for (int word = 0; 2 * word + 1 < random.length; word++) {
      long part = key[at + word] & mask(bits, word);
      if (mask(bits, word) != 0) {
        sum += (random[2 * word + 1] + (part >>> 32)) * (random[2 * word + 2] + (part & LOWER));
      }
    }
    return sum >>> 32;
  }
}

package io.millrace.datasets.keyvalue;

/**
 * Cache of lookup results: sets of four entries. A hit moves one place to the front and a new entry
 * replaces the last, so that addresses seen once evict only each other. Also caches absence.
 *
 * <pre>
 *   IPv4   one long      address : 32 | ordinal + 2 : 32      (0: empty, 1: not there)
 *   IPv6   three longs   upper half | lower half | ordinal + 2
 * </pre>
 *
 * A hit touches 32 bytes for IPv4, 24 to 96 for IPv6. Not thread-safe.
 */
final class HotKeys {
  static final int NOT_KEPT = -2;

  private static final int WAYS = 4;
  private static final int V6_LONGS = 3;
  private static final int BIAS = 2;
  private static final long HASH = 0x9E3779B97F4A7C15L;

  private final long[] v4;
  private final long[] v6;
  private final int v4Shift;
  private final int v6Shift;

  /** Creates a cache; both capacities are rounded up to powers of two. */
  HotKeys(int v4Keys, int v6Keys) {
    int v4Bits = setBits(v4Keys);
    int v6Bits = setBits(v6Keys);
    v4 = new long[WAYS << v4Bits];
    v6 = new long[(WAYS * V6_LONGS) << v6Bits];
    v4Shift = Long.SIZE - v4Bits;
    v6Shift = Long.SIZE - v6Bits;
  }

  private static int setBits(int keys) {
    int sets = Math.max(2, (keys + WAYS - 1) / WAYS);
    return Integer.SIZE - Integer.numberOfLeadingZeros(sets - 1);
  }

  int findV4(int address) {
    final long[] v4 = this.v4;
    int set = (int) ((address * HASH) >>> v4Shift) * WAYS;
    for (int i = set; i < set + WAYS; i++) {
      long entry = v4[i];
      if ((int) (entry >>> 32) == address && entry != 0) {
        if (i > set) {
          v4[i] = v4[i - 1];
          v4[i - 1] = entry;
        }
        return (int) entry - BIAS;
      }
    }
    return NOT_KEPT;
  }

  void putV4(int address, int ordinal) {
    int set = (int) ((address * HASH) >>> v4Shift) * WAYS;
    int i = set;
    while (i < set + WAYS - 1 && v4[i] != 0 && (int) (v4[i] >>> 32) != address) {
      i++;
    }
    v4[i] = (long) address << 32 | (ordinal + BIAS);
  }

  int findV6(long high, long low) {
    final long[] v6 = this.v6;
    int set = setV6(high, low);
    for (int i = set; i < set + WAYS * V6_LONGS; i += V6_LONGS) {
      if (v6[i + 1] == low && v6[i] == high && v6[i + 2] != 0) {
        int found = (int) v6[i + 2] - BIAS;
        if (i > set) {
          System.arraycopy(v6, i - V6_LONGS, v6, i, V6_LONGS);
          store(i - V6_LONGS, high, low, found);
        }
        return found;
      }
    }
    return NOT_KEPT;
  }

  void putV6(long high, long low, int ordinal) {
    int set = setV6(high, low);
    int last = set + (WAYS - 1) * V6_LONGS;
    int i = set;
    while (i < last && v6[i + 2] != 0 && !(v6[i] == high && v6[i + 1] == low)) {
      i += V6_LONGS;
    }
    store(i, high, low, ordinal);
  }

  private void store(int i, long high, long low, int ordinal) {
    v6[i] = high;
    v6[i + 1] = low;
    v6[i + 2] = (long) ordinal + BIAS;
  }

  private int setV6(long high, long low) {
    return (int) (((high * HASH + low) * HASH) >>> v6Shift) * WAYS * V6_LONGS;
  }
}

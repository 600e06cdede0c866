package io.millrace.datasets.range;

/**
 * Steps of IPv6, by /64: a binary search tree over the upper halves of addresses in Eytzinger
 * layout (Khuong and Morin, "Array Layouts for Comparison-Based Searching", 2017).
 *
 * <p>All searches take the same number of iterations without branches, so a core interleaves
 * several. The upper levels stay in the first-level cache; a tree of 2¹⁸ steps takes 3 MiB, of
 * which a search touches 18 × 8 + 4 bytes.
 */
final class SlashSixtyFours {
  static final int LANES = 8;

  private final int levels;
  private final long[] keys;
  private final int[] slots;

  SlashSixtyFours(StepList steps) {
    levels = Integer.SIZE - Integer.numberOfLeadingZeros(steps.size());
    keys = new long[1 << levels];
    slots = new int[1 << levels];
    fill(steps, 1, 0);
  }

  private int fill(StepList steps, int node, int next) {
    if (node >= keys.length) {
      return next;
    }
    int mine = fill(steps, 2 * node, next);
    int step = Math.min(mine, steps.size() - 1);
    keys[node] = mine == step ? steps.block(step) ^ Long.MIN_VALUE : Long.MAX_VALUE;
    slots[node] = steps.slot(step);
    return fill(steps, 2 * node + 1, mine + 1);
  }

  void slots(long[] high, int from, int[] out) {
    final long[] keys = this.keys;
    final long k0 = high[from] ^ Long.MIN_VALUE;
    final long k1 = high[from + 1] ^ Long.MIN_VALUE;
    final long k2 = high[from + 2] ^ Long.MIN_VALUE;
    final long k3 = high[from + 3] ^ Long.MIN_VALUE;
    final long k4 = high[from + 4] ^ Long.MIN_VALUE;
    final long k5 = high[from + 5] ^ Long.MIN_VALUE;
    final long k6 = high[from + 6] ^ Long.MIN_VALUE;
    final long k7 = high[from + 7] ^ Long.MIN_VALUE;
    int n0 = 1;
    int n1 = 1;
    int n2 = 1;
    int n3 = 1;
    int n4 = 1;
    int n5 = 1;
    int n6 = 1;
    int n7 = 1;
    for (int i = 0; i < levels; i++) {
      n0 = 2 * n0 + (keys[n0] <= k0 ? 1 : 0);
      n1 = 2 * n1 + (keys[n1] <= k1 ? 1 : 0);
      n2 = 2 * n2 + (keys[n2] <= k2 ? 1 : 0);
      n3 = 2 * n3 + (keys[n3] <= k3 ? 1 : 0);
      n4 = 2 * n4 + (keys[n4] <= k4 ? 1 : 0);
      n5 = 2 * n5 + (keys[n5] <= k5 ? 1 : 0);
      n6 = 2 * n6 + (keys[n6] <= k6 ? 1 : 0);
      n7 = 2 * n7 + (keys[n7] <= k7 ? 1 : 0);
    }
    out[from] = slots[lastRightTurn(n0)];
    out[from + 1] = slots[lastRightTurn(n1)];
    out[from + 2] = slots[lastRightTurn(n2)];
    out[from + 3] = slots[lastRightTurn(n3)];
    out[from + 4] = slots[lastRightTurn(n4)];
    out[from + 5] = slots[lastRightTurn(n5)];
    out[from + 6] = slots[lastRightTurn(n6)];
    out[from + 7] = slots[lastRightTurn(n7)];
  }

  /** The last right turn on the path: the largest key that is not greater than the searched one. */
  private static int lastRightTurn(int leaf) {
    return leaf >>> (Integer.numberOfTrailingZeros(leaf) + 1);
  }

  long heapBytes() {
    return 8L * keys.length + 4L * slots.length;
  }
}

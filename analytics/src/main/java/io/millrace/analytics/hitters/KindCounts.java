package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.ExactCounts;
import io.millrace.analytics.sketch.KeyBlock;

/**
 * What a subtask counts of a kind in an epoch: exactly, in one table for all keys, for as long as
 * they fit; and then in a table for each key group. Not thread-safe.
 *
 * <p>With one table a block of rows touches a line or two a key and nothing else, and these are
 * fetched all at once. Groups are made of it when they are asked for, and are then as if each had
 * been counted by itself: exact where its keys fit into its part of the memory.
 */
final class KindCounts {
  private static final int ROWS = 256;

  /** What a row may have. */
  private static final long HEAVIEST = HitterKeys.HEAVIEST;

  /** What all may have together, so that sums stay below 2⁶². */
  private static final long FULL = HitterSettings.GROUPS * HEAVIEST;

  private final HitterSettings settings;
  private final int kind;
  private final int keyBytes;
  private final long seed;

  /** Null when the keys did not fit any more. */
  private ExactCounts all;

  /** Null before that. */
  private GroupedCounts groups;

  /**
   * Nothing yet, of what is counted in place of a kind.
   *
   * @param memory bytes for all keys
   * @param seed of all tables
   */
  KindCounts(HitterSettings settings, int kind, long memory, long seed) {
    this.settings = settings;
    this.kind = kind;
    this.seed = seed;
    keyBytes = settings.counted().get(kind).bytes();
    all = ExactCounts.withVariances(keyBytes, memory, seed);
  }

  /**
   * Adds rows, but those that are heavier than any traffic.
   *
   * @param keys with their weights and the variances of these; only read
   * @return how many were not added
   */
  int add(KeyBlock keys) {
    double weight = all == null ? groups.total() : all.total();
    double variance = all == null ? groups.totalVariance() : all.totalVariance();
    int refused = 0;
    for (int row = 0; row < keys.rows(); row++) {
      boolean isPossible = isPossible(keys, row);
      weight += isPossible ? keys.weights()[row] : 0;
      variance += isPossible ? keys.variances()[row] : 0;
      refused += isPossible ? 0 : 1;
    }
    if (weight > FULL || variance > FULL) {
      return keys.rows();
    }
    if (refused == 0) {
      update(keys);
    } else {
      updatePossible(keys);
    }
    return refused;
  }

  private static boolean isPossible(KeyBlock keys, int row) {
    return keys.weights()[row] <= HEAVIEST && keys.variances()[row] <= HEAVIEST;
  }

  private void updatePossible(KeyBlock keys) {
    KeyBlock one = KeyBlock.withVariances(keyBytes, 1);
    for (int row = 0; row < keys.rows(); row++) {
      if (isPossible(keys, row)) {
        one.setRows(0);
        one.add(keys.key(row), keys.weights()[row]);
        one.variances()[0] = keys.variances()[row];
        update(one);
      }
    }
  }

  private void update(KeyBlock keys) {
    if (all == null) {
      groups.add(keys);
      return;
    }
    int row = all.add(keys, 0);
    if (row < keys.rows()) {
      divide();
      groups.add(keys.from(row));
    }
  }

  private void divide() {
    groups = divided();
    all = null;
  }

  private GroupedCounts divided() {
    GroupedCounts divided = new GroupedCounts(settings, kind, seed, all.size());
    all.forEachBlock(ROWS, divided::add);
    return divided;
  }

  /** By key group what was counted, null where nothing was; good until more is added. */
  SampledCounts[] byGroup() {
    return (all == null ? groups : divided()).byGroup();
  }

  /** Adds what was counted of a group. */
  void merge(int group, SampledCounts counts) {
    if (all != null && counts.weights().counts() instanceof ExactCounts exact) {
      all.makeRoom(exact.size());
      exact.forEachBlock(ROWS, this::update);
      return;
    }
    if (all != null) {
      divide();
    }
    groups.merge(group, counts);
  }

  /** Bytes that it holds. */
  long bytes() {
    return all == null ? groups.bytes() : all.bytes();
  }
}

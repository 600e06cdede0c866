package io.millrace.analytics.hitters;

import static io.millrace.analytics.hitters.HitterSettings.GROUPS;

import io.millrace.analytics.sketch.Adaptive;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.sketch.CountParts;
import io.millrace.analytics.sketch.ExactCounts;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.analytics.sketch.MvSegments;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.Arrays;

/**
 * What a subtask counts of a kind in an epoch: exactly, in one table for all keys, for as long as
 * they fit; and then in a sketch for each key group. Not thread-safe.
 *
 * <p>With one table a block of rows touches a line or two a key and nothing else, and these are
 * fetched all at once. When it is written its keys are sorted by their group; no other table is
 * made.
 */
final class KindCounts {
  private static final int ROWS = 256;

  /** What a row may have. */
  private static final long HEAVIEST = HitterKeys.HEAVIEST;

  /** What all may have together, so that sums stay below 2⁶². */
  private static final long FULL = GROUPS * HEAVIEST;

  private final HitterSettings settings;
  private final int kind;
  private final int keyBytes;
  private final long seed;

  /** Null when the keys did not fit any more. */
  private ExactCounts all;

  /** Null before that, and where the next ones go on. */
  private GroupedCounts groups;

  /** With what MV-Sketches go on. */
  private MvSegments segments;

  /** Scratch: of each row of a block its key group. */
  private int[] groupOf = {};

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
    long any = 0; // no weight or variance is greater
    for (int row = 0; row < keys.rows(); row++) {
      any |= keys.weights()[row] | keys.variances()[row];
    }
    double most = (double) any * keys.rows();
    if (any <= HEAVIEST && total() + most <= FULL && totalVariance() + most <= FULL) {
      update(keys);
      return 0;
    }
    return addPossible(keys);
  }

  private double total() {
    return all != null ? all.total() : segments != null ? segments.total() : groups.total();
  }

  private double totalVariance() {
    return all != null
        ? all.totalVariance()
        : segments != null ? segments.totalVariance() : groups.totalVariance();
  }

  private int addPossible(KeyBlock keys) {
    double weight = total();
    double variance = totalVariance();
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
      addToGroups(keys);
      return;
    }
    int row = all.add(keys, 0);
    if (row < keys.rows()) {
      divide();
      addToGroups(keys.from(row));
    }
  }

  private void addToGroups(KeyBlock keys) {
    if (segments == null) {
      groups.add(keys);
      return;
    }
    groupOf = groupOf.length < keys.rows() ? new int[keys.rows()] : groupOf;
    groupsOf(keys, groupOf);
    segments.update(keys, groupOf);
  }

  private void divide() {
    ExactCounts exact = all;
    all = null;
    long each = settings.memory() / GROUPS;
    if (settings.algorithm(kind) == Algorithm.MV && MvSegments.isPossible(GROUPS, each)) {
      segments = new MvSegments(GROUPS, keyBytes, each, seed);
    } else {
      groups = new GroupedCounts(settings, kind, seed, exact.size());
    }
    exact.forEachBlock(ROWS, this::addToGroups);
  }

  /** Takes what was counted of a key group. */
  @FunctionalInterface
  interface GroupReader {
    /**
     * Takes a table as it is written.
     *
     * @param table is used again behind
     */
    void take(int group, boolean isExact, BlockBuffer table);
  }

  /** Writes the table of each key group of which something was counted. */
  void forEachGroup(GroupReader reader) {
    BlockBuffer table = new BlockBuffer(1 << 10);
    CountParts parts = all == null ? null : all.divide(GROUPS, this::groupsOf);
    SampledCounts[] tables = groups == null ? null : groups.byGroup();
    for (int group = 0; group < GROUPS; group++) {
      table.clear();
      boolean isExact = parts != null;
      if (parts != null && parts.size(group) > 0) {
        long own = SampledCounts.seedOf(settings, kind, group, seed);
        Adaptive.write(parts, group, own, table);
      } else if (segments != null && segments.total(group) > 0) {
        Adaptive.write(segments, group, seed, table);
      } else if (tables != null && tables[group] != null) {
        tables[group].write(table);
        isExact = tables[group].weights().isExact();
      }
      if (table.length() > 0) {
        reader.take(group, isExact, table);
      }
    }
  }

  private void groupsOf(KeyBlock keys, int[] groups) {
    HitterKind counted = settings.counted().get(kind);
    long[][] words = new long[counted.words()][];
    Arrays.setAll(words, keys::word);
    HitterSettings.groups(HitterSettings.hash(counted), words, keys.rows(), groups);
  }

  /** Adds what was written of a group. */
  void merge(int group, BlockInput in) {
    SampledCounts counts = new SampledCounts(settings, kind, group, seed);
    if (Adaptive.isExact(in)) {
      counts.weights().readExact(in, this::makeRoom, this::update);
      return;
    }
    if (all != null) {
      divide();
    }
    counts.read(in);
    if (segments != null) {
      counts.weights().addTo(segments, group);
    } else {
      groups.merge(group, counts);
    }
  }

  private void makeRoom(int more) {
    if (all != null) {
      all.makeRoom(more);
    }
  }

  /** Bytes that it holds. */
  long bytes() {
    return all != null ? all.bytes() : segments != null ? segments.bytes() : groups.bytes();
  }
}

package io.millrace.analytics.hitters;

import static io.millrace.analytics.hitters.HitterSettings.GROUPS;

import io.millrace.analytics.sketch.Adaptive;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.sketch.CountParts;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.analytics.sketch.MvSegments;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.Arrays;

/**
 * Counts of a subtask for a kind and an epoch: exact, in tables for all keys, while they fit; then
 * in a sketch for each key group. Not thread-safe.
 *
 * <p>A row touches one or two cache lines, and those of a block are prefetched together. Tables are
 * written unsorted; if state moves with the groups, keys are sorted by group without another table.
 */
final class KindCounts {
  private static final int ROWS = 256;

  private static final long HEAVIEST = HitterKeys.HEAVIEST;

  /** Greatest total, so that sums stay below 2⁶². */
  private static final long FULL = GROUPS * HEAVIEST;

  private final HitterSettings settings;
  private final int kind;
  private final int keyBytes;
  private final long seed;

  /** Null after the keys no longer fit. */
  private ExactTables exact;

  /** Null while {@link #exact} or {@link #segments} is used. */
  private GroupedCounts groups;

  private MvSegments segments;

  private int[] groupOf = {};

  private long[] weights = {};
  private long[] bounds = {};

  KindCounts(HitterSettings settings, int kind, NarrowKeys form, long memory, long seed) {
    this.settings = settings;
    this.kind = kind;
    this.seed = seed;
    keyBytes = settings.counted().get(kind).bytes();
    exact = new ExactTables(keyBytes, form, memory, seed);
  }

  void makeRoomAs(KindCounts others) {
    if (exact != null && others.exact != null) {
      exact.makeRoomAs(others.exact);
    }
  }

  /**
   * Adds the rows with valid weights.
   *
   * @param keys with their weights and variances; not changed
   * @param known receives, from {@code at} on, the lower bound of each row's key, or its exact
   *     weight; {@link Candidates#NOTHING} if less than a candidate's weight, {@link
   *     Candidates#UNKNOWN} if unknown
   * @return rows that were rejected
   */
  int add(KeyBlock keys, long[] known, int at) {
    long any = 0; // upper bound of all weights and variances
    for (int row = 0; row < keys.rows(); row++) {
      any |= keys.weights()[row] | keys.variances()[row];
    }
    double max = (double) any * keys.rows();
    if (any <= HEAVIEST && total() + max <= FULL && totalVariance() + max <= FULL) {
      update(keys, known, at);
      return 0;
    }
    return addPossible(keys, known, at);
  }

  private double total() {
    return exact != null ? exact.total() : segments != null ? segments.total() : groups.total();
  }

  private double totalVariance() {
    return exact != null
        ? exact.totalVariance()
        : segments != null ? segments.totalVariance() : groups.totalVariance();
  }

  private int addPossible(KeyBlock keys, long[] known, int at) {
    double weight = total();
    double variance = totalVariance();
    int rejected = 0;
    for (int row = 0; row < keys.rows(); row++) {
      boolean isPossible = isPossible(keys, row);
      weight += isPossible ? keys.weights()[row] : 0;
      variance += isPossible ? keys.variances()[row] : 0;
      rejected += isPossible ? 0 : 1;
    }
    if (weight > FULL || variance > FULL) {
      Arrays.fill(known, at, at + keys.rows(), Candidates.NOTHING);
      return keys.rows();
    }
    if (rejected == 0) {
      update(keys, known, at);
    } else {
      updatePossible(keys, known, at);
    }
    return rejected;
  }

  private static boolean isPossible(KeyBlock keys, int row) {
    return keys.weights()[row] <= HEAVIEST && keys.variances()[row] <= HEAVIEST;
  }

  private void updatePossible(KeyBlock keys, long[] known, int at) {
    KeyBlock one = KeyBlock.withVariances(keyBytes, 1);
    for (int row = 0; row < keys.rows(); row++) {
      known[at + row] = Candidates.NOTHING;
      if (isPossible(keys, row)) {
        one.setRows(0);
        one.add(keys, row);
        update(one, known, at + row);
      }
    }
  }

  private void update(KeyBlock keys, long[] known, int at) {
    int rows = keys.rows();
    weights = weights.length < rows ? new long[rows] : weights;
    long min = (long) total() / Candidates.PLACES + 1;
    if (exact == null) {
      addToGroups(keys, min, weights);
    } else {
      KeyBlock rest = exact.add(keys, weights);
      if (rest != null) {
        int[] restRows = exact.restRows();
        long[] ofRest = new long[rest.rows()];
        divide();
        addToGroups(rest, min, ofRest);
        for (int i = 0; i < ofRest.length; i++) {
          weights[restRows[i]] = ofRest[i];
        }
      }
    }
    for (int row = 0; row < rows; row++) {
      boolean isKnown = weights[row] >= min || weights[row] == Candidates.UNKNOWN;
      known[at + row] = isKnown ? weights[row] : Candidates.NOTHING;
    }
  }

  private void addToGroups(KeyBlock keys, long min, long[] atLeast) {
    int rows = keys.rows();
    if (segments == null) {
      groups.add(keys);
      Arrays.fill(atLeast, 0, rows, Candidates.UNKNOWN);
      return;
    }
    groupOf = groupOf.length < rows ? new int[rows] : groupOf;
    groupsOf(keys, groupOf);
    segments.update(keys, groupOf, min, atLeast);
  }

  private void addToGroups(KeyBlock keys) {
    bounds = bounds.length < keys.rows() ? new long[keys.rows()] : bounds;
    addToGroups(keys, Long.MAX_VALUE, bounds);
  }

  private void divide() {
    ExactTables counted = exact;
    exact = null;
    long each = settings.memory() / GROUPS;
    if (settings.algorithm(kind) == Algorithm.MV && MvSegments.isPossible(GROUPS, each)) {
      segments = new MvSegments(GROUPS, keyBytes, each, seed);
    } else {
      groups = new GroupedCounts(settings, kind, seed, counted.size());
    }
    counted.forEachBlock(ROWS, this::addToGroups);
  }

  @FunctionalInterface
  interface GroupReader {
    /**
     * Receives a written table or a piece of one.
     *
     * @param table reused afterwards
     */
    void take(int group, boolean isExact, BlockBuffer table);
  }

  void forEachTable(GroupReader reader) {
    if (exact == null) {
      forEachGroup(reader);
      return;
    }
    BlockBuffer piece = new BlockBuffer(1 << 20);
    exact.write(piece, () -> reader.take(HitterSettings.ALL, true, piece));
  }

  void forEachGroup(GroupReader reader) {
    BlockBuffer table = new BlockBuffer(1 << 10);
    if (exact != null) {
      for (CountParts parts : exact.divide(GROUPS, this::groupsOf)) {
        for (int group = 0; group < GROUPS; group++) {
          if (parts.size(group) > 0) {
            table.clear();
            long own = SampledCounts.seedOf(settings, kind, group, seed);
            Adaptive.write(parts, group, own, table);
            reader.take(group, true, table);
          }
        }
      }
      return;
    }
    SampledCounts[] tables = groups == null ? null : groups.byGroup();
    for (int group = 0; group < GROUPS; group++) {
      table.clear();
      boolean isExact = false;
      if (segments != null && segments.total(group) > 0) {
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
    settings.groupsOf(kind, keys, groups);
  }

  void merge(int group, BlockInput in) {
    if (group == HitterSettings.ALL) {
      if (exact == null) {
        new ExactTables(keyBytes, settings.form(kind), settings.memory(), seed)
            .read(in, this::addToGroups);
      } else {
        exact.merge(in, this::update);
      }
      return;
    }
    SampledCounts counts = new SampledCounts(settings, kind, group, seed);
    if (Adaptive.isExact(in)) {
      counts.weights().readExact(in, keys -> {}, this::update);
      return;
    }
    if (exact != null) {
      divide();
    }
    counts.read(in);
    if (segments != null) {
      counts.weights().addTo(segments, group);
    } else {
      groups.merge(group, counts);
    }
  }

  private void update(KeyBlock keys) {
    update(keys, new long[keys.rows()], 0);
  }

  long bytes() {
    return exact != null ? exact.bytes() : segments != null ? segments.bytes() : groups.bytes();
  }
}

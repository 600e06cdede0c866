package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Adaptive;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.wire.block.BlockInput;

/**
 * Counts of the keys of a kind in an epoch, in a table for each key group. Not thread-safe.
 *
 * <p>Rows are buffered by group, so that the cache lines of a table are prefetched together.
 */
final class GroupedCounts {
  private final HitterSettings settings;
  private final int kind;
  private final long seed;
  private final SampledCounts[] tables = new SampledCounts[HitterSettings.GROUPS];
  private final WaitingRows waiting;
  private final int kindHash;
  private final int expected;
  private final long[][] words;
  private int[] hashes = {};
  private long total;
  private long totalVariance;
  private long bytes;

  GroupedCounts(HitterSettings settings, int kind, long seed, int expected) {
    this.expected = expected / HitterSettings.GROUPS;
    this.settings = settings;
    this.kind = kind;
    this.seed = seed;
    HitterKind counted = settings.counted().get(kind);
    waiting = new WaitingRows(counted);
    kindHash = HitterSettings.hash(counted);
    words = new long[counted.words()][];
  }

  void add(KeyBlock keys) {
    int rows = keys.rows();
    hashes = hashes.length < rows ? new int[rows] : hashes;
    for (int word = 0; word < words.length; word++) {
      words[word] = keys.word(word);
    }
    HitterSettings.hashes(kindHash, words, rows, hashes);
    for (int row = 0; row < rows; row++) {
      int group = HitterSettings.groupOf(hashes[row]);
      long weight = keys.weights()[row];
      long variance = keys.variances()[row];
      total += weight;
      totalVariance += variance;
      if (waiting.add(group, weight, variance, words, row) == WaitingRows.MAX) {
        count(group);
      }
    }
  }

  private void count(int group) {
    SampledCounts table = table(group);
    bytes -= table.bytes();
    table.add(waiting.take(group));
    bytes += table.bytes();
  }

  private SampledCounts table(int group) {
    if (tables[group] == null) {
      tables[group] = new SampledCounts(settings, kind, group, seed);
      tables[group].weights().makeRoom(expected);
      bytes += tables[group].bytes();
    }
    return tables[group];
  }

  void merge(int group, SampledCounts counts) {
    SampledCounts table = table(group);
    bytes -= table.bytes();
    table.merge(counts);
    bytes += table.bytes();
    total += counts.weights().total();
    totalVariance += counts.weights().totalVariance();
  }

  void merge(int group, BlockInput in) {
    Adaptive table = table(group).weights();
    long weight = table.total();
    long variance = table.totalVariance();
    bytes -= table.bytes();
    table.merge(in);
    bytes += table.bytes();
    total += table.total() - weight;
    totalVariance += table.totalVariance() - variance;
  }

  SampledCounts[] byGroup() {
    for (int group = 0; group < tables.length; group++) {
      if (waiting.has(group)) {
        count(group);
      }
    }
    return tables;
  }

  long total() {
    return total;
  }

  long totalVariance() {
    return totalVariance;
  }

  long bytes() {
    return bytes;
  }
}

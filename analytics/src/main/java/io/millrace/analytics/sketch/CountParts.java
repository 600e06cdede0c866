package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import java.util.function.UnaryOperator;

/**
 * The keys of exact counts sorted into parts, each written as a table. Valid until the next update.
 */
public final class CountParts {
  private final ExactCounts counts;

  private final CountsFormat format;

  private final UnaryOperator<KeyBlock> form;

  /** Entries by part, in table order, and the start of each part. */
  private final int[] entries;

  private final int[] begins;

  /** Assigns the keys of a block to parts. */
  @FunctionalInterface
  public interface PartOf {
    /**
     * Writes the part's number of each row.
     *
     * @param parts long enough for the rows
     */
    void write(KeyBlock keys, int[] parts);
  }

  CountParts(
      ExactCounts counts, int parts, PartOf partOf, int keyBytes, UnaryOperator<KeyBlock> form) {
    this.counts = counts;
    this.form = form;
    format = new CountsFormat(keyBytes, counts.format().hasVariances());
    entries = new int[counts.size()];
    begins = new int[parts + 1];
    int[] partOfKey = new int[counts.size()];
    int[] some = new int[CountsFormat.CHUNK];
    int[] done = {0};
    counts.forEachBlock(
        CountsFormat.CHUNK,
        block -> {
          partOf.write(form.apply(block), some);
          for (int row = 0; row < block.rows(); row++) {
            partOfKey[done[0]++] = some[row];
            begins[some[row] + 1]++;
          }
        });
    for (int part = 0; part < parts; part++) {
      begins[part + 1] += begins[part];
    }
    int[] next = begins.clone();
    int[] key = {0};
    counts.forEachEntry(entry -> entries[next[partOfKey[key[0]++]]++] = entry);
  }

  /** Number of keys of a part. */
  public int size(int part) {
    return begins[part + 1] - begins[part];
  }

  /** Writes a part. */
  public void write(int part, BlockBuffer out) {
    format.writeHeader(counts.seed(), size(part), out);
    KeyBlock block = counts.format().block(CountsFormat.CHUNK);
    for (int i = begins[part]; i < begins[part + 1]; i++) {
      counts.add(entries[i], block);
      if (block.rows() == CountsFormat.CHUNK || i + 1 == begins[part + 1]) {
        format.writeRows(form.apply(block), out);
        block.setRows(0);
      }
    }
  }
}

package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.CountParts;
import io.millrace.analytics.sketch.Estimate;
import io.millrace.analytics.sketch.ExactCounts;
import io.millrace.analytics.sketch.Hitter;
import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Exact counts of the keys of a kind, with variances, in memory shared by two tables: one for keys
 * with a {@linkplain NarrowKeys narrow form}, one for the others. Not thread-safe; another thread
 * may write tables that no longer change.
 */
final class ExactTables {
  private static final int PART_KEYS = 1 << 14;

  private final long memory;

  /** Null where keys have no narrow form. */
  private final NarrowKeys form;

  private final ExactCounts wide;

  private final ExactCounts narrow;

  private long[] sums = {};
  private int[] restRows = {};
  private boolean isFull;

  ExactTables(int keyBytes, NarrowKeys form, long memory, long seed) {
    this.memory = memory;
    this.form = form;
    wide = ExactCounts.withVariances(keyBytes, memory, seed);
    narrow = form == null ? null : ExactCounts.withVariances(form.bytes(), memory, seed);
  }

  long total() {
    return wide.total() + (narrow == null ? 0 : narrow.total());
  }

  long totalVariance() {
    return wide.totalVariance() + (narrow == null ? 0 : narrow.totalVariance());
  }

  int size() {
    return wide.size() + (narrow == null ? 0 : narrow.size());
  }

  long bytes() {
    return wide.bytes() + (narrow == null ? 0 : narrow.bytes());
  }

  private ExactCounts limited(ExactCounts table) {
    ExactCounts other = table == wide ? narrow : wide;
    table.limit(memory - (other == null ? 0 : other.bytes()));
    return table;
  }

  void makeRoomAs(ExactTables others) {
    limited(wide).makeRoom(others.wide.size());
    if (narrow != null) {
      limited(narrow).makeRoom(others.narrow.size());
    }
  }

  /**
   * Adds rows with wide keys until a key does not fit.
   *
   * @param weights receives the weight of each added row's key
   * @return the rows that were not added, numbered by {@link #restRows}; null for none
   */
  KeyBlock add(KeyBlock keys, long[] weights) {
    if (form == null) {
      int row = wide.add(keys, 0, weights);
      return row == keys.rows() ? null : rest(null, 0, keys, row);
    }
    sums = sums.length < keys.rows() ? new long[keys.rows()] : sums;
    form.divide(keys);
    int narrowRow = limited(narrow).add(form.narrow(), 0, sums);
    put(narrowRow, form.narrowRows(), weights);
    int wideRow = limited(wide).add(form.wide(), 0, sums);
    put(wideRow, form.wideRows(), weights);
    return narrowRow == form.narrow().rows() && wideRow == form.wide().rows()
        ? null
        : rest(form.narrow(), narrowRow, form.wide(), wideRow);
  }

  private void put(int count, int[] rows, long[] weights) {
    for (int i = 0; i < count; i++) {
      weights[rows[i]] = sums[i];
    }
  }

  private KeyBlock rest(KeyBlock narrowKeys, int narrowFrom, KeyBlock wideKeys, int wideFrom) {
    KeyBlock widened = narrowKeys == null ? null : form.widen(narrowKeys);
    int narrowLeft = widened == null ? 0 : widened.rows() - narrowFrom;
    int left = narrowLeft + wideKeys.rows() - wideFrom;
    KeyBlock rest = KeyBlock.withVariances(wideKeys.keyBytes(), left);
    restRows = new int[left];
    for (int i = 0; i < left; i++) {
      boolean isNarrow = i < narrowLeft;
      int row = isNarrow ? narrowFrom + i : wideFrom + i - narrowLeft;
      rest.add(isNarrow ? widened : wideKeys, row);
      restRows[i] = form == null ? row : isNarrow ? form.narrowRows()[row] : form.wideRows()[row];
    }
    return rest;
  }

  int[] restRows() {
    return restRows;
  }

  void forEachBlock(int rows, Consumer<KeyBlock> reader) {
    wide.forEachBlock(rows, reader);
    if (narrow != null) {
      narrow.forEachBlock(rows, block -> reader.accept(form.widen(block)));
    }
  }

  List<CountParts> divide(int parts, CountParts.PartOf partOf) {
    return narrow == null
        ? List.of(wide.divide(parts, partOf))
        : List.of(
            wide.divide(parts, partOf), narrow.divide(parts, partOf, wide.keyBytes(), form::widen));
  }

  /**
   * Writes the tables in pieces that are read independently.
   *
   * <pre>
   *   keys of the table from here on (4) | exact counts of some of them, narrow or wide
   * </pre>
   *
   * @param out buffer of a piece; empty afterwards
   * @param piece called for each piece
   */
  void write(BlockBuffer out, Runnable piece) {
    wide.write(PART_KEYS, out, piece);
    if (narrow != null) {
      narrow.write(PART_KEYS, out, piece);
    }
  }

  int pieces() {
    return pieces(wide) + (narrow == null ? 0 : pieces(narrow));
  }

  private static int pieces(ExactCounts table) {
    return (table.size() + PART_KEYS - 1) / PART_KEYS;
  }

  private ExactCounts tableOf(BlockInput in) {
    return narrow != null && ExactCounts.keyBytes(in) == form.bytes() ? narrow : wide;
  }

  private KeyBlock widened(ExactCounts table, KeyBlock keys) {
    return table == narrow ? form.widen(keys) : keys;
  }

  void merge(BlockInput in, Consumer<KeyBlock> rest) {
    int left = in.takeInt();
    ExactCounts table = limited(tableOf(in));
    table.read(
        in,
        // Reserves space for all keys at once: they arrive in hash order and would cluster at the
        // front of a smaller table.
        count -> table.makeRoom(left),
        keys -> {
          int row = isFull ? 0 : table.add(keys, 0);
          if (row < keys.rows()) {
            isFull = true;
            rest.accept(widened(table, keys.from(row)));
          }
        });
  }

  void read(BlockInput in, Consumer<KeyBlock> reader) {
    in.takeInt();
    ExactCounts table = tableOf(in);
    table.read(in, count -> {}, keys -> reader.accept(widened(table, keys)));
  }

  List<Hitter> hitters(long threshold) {
    List<Hitter> hitters = new ArrayList<>(wide.hitters(threshold));
    if (narrow != null) {
      for (Hitter hitter : narrow.hitters(threshold)) {
        hitters.add(new Hitter(form.widen(hitter.key()), hitter.estimate()));
      }
    }
    return hitters;
  }

  void forEachWeight(LongConsumer reader) {
    wide.forEachWeight(reader);
    if (narrow != null) {
      narrow.forEachWeight(reader);
    }
  }

  Estimate estimate(Key key) {
    Key own = form == null ? null : form.narrow(key);
    return own == null ? wide.estimate(key) : narrow.estimate(own);
  }

  long variance(Key key) {
    Key own = form == null ? null : form.narrow(key);
    return own == null ? wide.variance(key) : narrow.variance(own);
  }
}

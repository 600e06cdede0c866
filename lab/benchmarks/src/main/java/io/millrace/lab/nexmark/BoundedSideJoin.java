package io.millrace.lab.nexmark;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.block.Texts;

/**
 * Query 13: bids joined with a bounded table, of which each subtask has a full copy.
 *
 * <pre>
 *   SELECT B.auction, B.bidder, B.price, B.date_time, S.value
 *   FROM bid B JOIN side_input S ON mod(B.auction, 10000) = S.key
 * </pre>
 *
 * Each bid reads four numbers, three cache lines of the index and one text, and writes the numbers
 * and the text.
 */
final class BoundedSideJoin implements Analyzer<TableBlock, TableBlock> {
  static final TableSchema SIDE = TableSchema.builder().number("key").text("value").build();
  static final TableSchema OUT =
      TableSchema.builder()
          .number("auction")
          .number("bidder")
          .number("price")
          .time("date_time")
          .text("value")
          .build();

  /** Divisor of the query, and number of rows of the public benchmark's side input. */
  static final int SIDE_ROWS = 10_000;

  private static final int OUT_VALUE = 4;

  /** Columns copied from a bid, in the order of the output. */
  private static final int[] COPIED = {
    Nexmark.BID_AUCTION, Nexmark.BID_BIDDER, Nexmark.BID_PRICE, Nexmark.BID_TIME
  };

  private final Texts values;

  /** Key of the side input → its row. */
  private final KeyTable rowsByKey = new KeyTable(KeyGroups.all(), 1, 1);

  private int[] matches = new int[0];

  BoundedSideJoin(TableBlock side) {
    values = side.texts(1);
    for (int row = 0; row < side.rows(); row++) {
      long key = side.longs(0)[row];
      int entry = rowsByKey.entry(Hash.of(key), key);
      rowsByKey.values(0)[entry] = row;
    }
  }

  /** The side input of the public benchmark: numbers, and the same numbers as texts. */
  static TableBlock sideInput() {
    TableBlock side = new TableBlock(SIDE, SIDE_ROWS);
    for (int row = 0; row < SIDE_ROWS; row++) {
      side.longs(0)[row] = row;
      side.texts(1).add(Integer.toString(row));
    }
    side.rows(SIDE_ROWS);
    return side;
  }

  @Override
  public void process(TableBlock bids, Emitter<TableBlock> out) {
    int n = bids.rows();
    TableBlock joined = new TableBlock(OUT, n);
    int count = join(bids, joined.texts(OUT_VALUE));
    for (int column = 0; column < COPIED.length; column++) {
      gather(bids.longs(COPIED[column]), count, joined.longs(column));
    }
    joined.rows(count);
    if (count > 0) {
      out.emit(joined);
    }
  }

  /** Joins each bid, fills {@code matches} with the matching rows, and returns their number. */
  private int join(TableBlock bids, Texts found) {
    int n = bids.rows();
    if (matches.length < n) {
      matches = new int[n];
    }
    long[] auctions = bids.longs(Nexmark.BID_AUCTION);
    long[] rows = rowsByKey.values(0);
    int count = 0;
    for (int row = 0; row < n; row++) {
      long key = auctions[row] % SIDE_ROWS;
      int entry = rowsByKey.find(Hash.of(key), key);
      if (entry >= 0) {
        matches[count++] = row;
        found.add(values, (int) rows[entry]);
      }
    }
    return count;
  }

  private void gather(long[] from, int count, long[] to) {
    for (int i = 0; i < count; i++) {
      to[i] = from[matches[i]];
    }
  }
}

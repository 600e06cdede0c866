package io.millrace.analytics.trend;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.LateRows;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;

/** Counts the rows of blocks, and those that are invalid. */
final class TrendCounters {
  /** Highest count of a row: sums of a million rows stay below 2⁶³. */
  private static final long MAX = 1_000_000_000_000L;

  private static final int TIME = 0;
  private static final int KEYWORD = 1;
  private static final int COUNT = 2;

  private final LateRows lateRows;
  private final AnalyzerContext.Counter badRows;
  private final AnalyzerContext.Counter crowdedOut;

  private final int[] indexHashes = new int[TrendState.TOUCHED];

  TrendCounters(AnalyzerContext context) {
    lateRows = new LateRows(context);
    badRows = context.counter("badRows");
    crowdedOut = context.counter("crowdedOut");
  }

  void add(TableBlock block, int marked, TrendState state) {
    long[] times = block.longs(TIME);
    Texts keywords = block.texts(KEYWORD);
    byte[] bytes = keywords.bytes();
    long[] counts = block.longs(COUNT);
    long[] marks = marked == 0 ? null : block.longs(marked);
    long max = marks == null ? MAX : Long.MAX_VALUE; // rows with marks are sums
    int bad = 0;
    int crowded = 0;
    for (int row = 0; row < block.rows(); row++) {
      if (row % TrendState.TOUCHED == 0) {
        touch(keywords, row, Math.min(block.rows(), row + TrendState.TOUCHED), state);
      }
      long count = counts[row] == TableBlock.NULL ? 1 : counts[row];
      if (!isCounted(times[row], keywords, row, count, max)) {
        bad++;
        continue;
      }
      switch (state.add(
          TrendRows.hash(bytes, keywords.start(row), keywords.length(row)),
          indexHashes[row % TrendState.TOUCHED],
          bytes,
          keywords.start(row),
          keywords.length(row),
          times[row],
          count,
          marks == null ? 0 : marks[row])) {
        case LATE -> lateRows.add(times[row], 1);
        case CROWDED_OUT -> crowded++;
        case COUNTED -> {}
      }
    }
    badRows.add(bad);
    crowdedOut.add(crowded);
  }

  static boolean isCounted(TableBlock block, int row) {
    long count = block.longs(COUNT)[row];
    return isCounted(
        block.longs(TIME)[row],
        block.texts(KEYWORD),
        row,
        count == TableBlock.NULL ? 1 : count,
        MAX);
  }

  private static boolean isCounted(long time, Texts keywords, int row, long count, long max) {
    return time != TableBlock.NULL && !keywords.isNull(row) && count >= 1 && count <= max;
  }

  private void touch(Texts keywords, int from, int to, TrendState state) {
    for (int row = from; row < to; row++) {
      indexHashes[row - from] =
          keywords.isNull(row)
              ? 0
              : ByteKeyTable.indexHash(keywords.bytes(), keywords.start(row), keywords.length(row));
    }
    state.touch(indexHashes, to - from);
  }
}

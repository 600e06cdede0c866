package io.millrace.analytics.trend;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;

/** Counts the rows of blocks, and those that could not be counted. */
final class TrendCounters {
  /** The highest count of a row: sums of some million of them stay below 2⁶³. */
  private static final long MOST = 1_000_000_000_000L;

  private static final int TIME = 0;
  private static final int KEYWORD = 1;
  private static final int COUNT = 2;

  /** A fourth column is what else is added up. */
  private static final int MARKS = 3;

  private final AnalyzerContext.Counter lateRows;
  private final AnalyzerContext.Counter badRows;
  private final AnalyzerContext.Counter crowdedOut;

  TrendCounters(AnalyzerContext context) {
    lateRows = context.counter("lateRows");
    badRows = context.counter("badRows");
    crowdedOut = context.counter("crowdedOut");
  }

  /** Counts the rows of a block whose first columns are those of {@link TrendRows#EVENTS}. */
  void add(TableBlock block, TrendState state) {
    long[] times = block.longs(TIME);
    Texts keywords = block.texts(KEYWORD);
    byte[] bytes = keywords.bytes();
    long[] counts = block.longs(COUNT);
    long[] marks = block.schema().size() > MARKS ? block.longs(MARKS) : null;
    int late = 0;
    int bad = 0;
    int crowded = 0;
    for (int row = 0; row < block.rows(); row++) {
      long count = counts[row] == TableBlock.NULL ? 1 : counts[row];
      if (times[row] == TableBlock.NULL || keywords.isNull(row) || count < 1 || count > MOST) {
        bad++;
        continue;
      }
      switch (state.add(
          TrendRows.hash(bytes, keywords.start(row), keywords.length(row)),
          bytes,
          keywords.start(row),
          keywords.length(row),
          times[row],
          count,
          marks == null ? 0 : marks[row])) {
        case LATE -> late++;
        case CROWDED_OUT -> crowded++;
        case COUNTED -> {}
      }
    }
    lateRows.add(late);
    badRows.add(bad);
    crowdedOut.add(crowded);
  }
}

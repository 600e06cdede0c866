package io.millrace.pipelines.trends;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.trend.Trend;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.analytics.trend.TrendState;
import java.util.ArrayList;
import java.util.List;

/** The keywords of some key groups, counted and judged by one thread. */
final class TrendShard {
  /** Trends of the buckets up to a watermark, and what was left out until then. */
  record Verdict(long watermark, List<Trend> trends, TrendTally tally) {}

  private final TrendState state;
  private long counted;
  private long late;
  private long crowdedOut;

  TrendShard(KeyGroups groups, TrendSettings settings) {
    state = new TrendState(groups, settings, false);
  }

  /**
   * Counts a batch.
   *
   * @return what its watermark brought about; null if it has none
   */
  Verdict take(KeywordBatch batch) throws Exception {
    int from = 0;
    for (int row = 0; row < batch.rows; row++) {
      if (row % TrendState.TOUCHED == 0) {
        state.touch(batch.hashes, row, Math.min(batch.rows, row + TrendState.TOUCHED));
      }
      int end = batch.ends[row];
      switch (state.add(
          batch.hashes[row],
          batch.bytes,
          from,
          end - from,
          batch.micros[row],
          batch.counts[row],
          0)) {
        case COUNTED -> counted++;
        case LATE -> late++;
        case CROWDED_OUT -> crowdedOut++;
      }
      from = end;
    }
    if (batch.watermark == Long.MIN_VALUE) {
      return null;
    }
    List<Trend> trends = new ArrayList<>();
    state.advance(batch.watermark, judged -> trends.add(judged.trend()));
    return new Verdict(
        batch.watermark,
        trends,
        new TrendTally(counted, late, crowdedOut, state.forgotten(), state.keywords()));
  }
}

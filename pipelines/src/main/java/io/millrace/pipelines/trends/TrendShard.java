package io.millrace.pipelines.trends;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.analytics.trend.Trend;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.analytics.trend.TrendState;
import java.util.ArrayList;
import java.util.List;

final class TrendShard {
  record Verdict(long watermark, List<Trend> trends, TrendTotals totals) {}

  private final TrendState state;

  private final int[] indexHashes = new int[TrendState.TOUCHED];

  private long counted;
  private long late;
  private long crowdedOut;

  TrendShard(KeyGroups groups, TrendSettings settings, long lag) {
    state = new TrendState(groups, settings, false);
    state.lags(lag);
  }

  private void touch(KeywordBatch batch, int from, int to) {
    for (int row = from; row < to; row++) {
      int start = row == 0 ? 0 : batch.ends[row - 1];
      indexHashes[row - from] = ByteKeyTable.indexHash(batch.bytes, start, batch.ends[row] - start);
    }
    state.touch(indexHashes, to - from);
  }

  /** Counts a batch; returns null if it has no watermark. */
  Verdict take(KeywordBatch batch) throws Exception {
    int from = 0;
    for (int row = 0; row < batch.rows; row++) {
      if (row % TrendState.TOUCHED == 0) {
        touch(batch, row, Math.min(batch.rows, row + TrendState.TOUCHED));
      }
      int end = batch.ends[row];
      switch (state.add(
          batch.hashes[row],
          indexHashes[row % TrendState.TOUCHED],
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
    state.hasBegun(batch.firstBucket);
    state.advance(batch.watermark, judged -> trends.add(judged.trend()));
    return new Verdict(
        batch.watermark,
        trends,
        new TrendTotals(counted, late, crowdedOut, state.forgotten(), state.keywords()));
  }
}

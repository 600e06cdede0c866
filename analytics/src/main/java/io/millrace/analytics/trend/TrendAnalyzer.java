package io.millrace.analytics.trend;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import java.time.Duration;

/**
 * Keyed trend detection: receives {@link TrendRows#EVENTS} keyed by {@link TrendRows#keyword}, and
 * emits {@link TrendRows#TRENDS} of a bucket when the watermark has passed it. Rows within the
 * watermark delay are counted in their bucket, later ones as {@code lateRows}; rows without
 * keyword, or with a count below 1 or above 10¹², as {@code badRows}; rows whose keyword was not
 * admitted as {@code crowdedOut}.
 */
public final class TrendAnalyzer implements KeyedAnalyzer<TableBlock, TableBlock> {
  private static final int BLOCK_ROWS = 4_096;

  private final TrendSettings settings;
  private final Duration watermarkDelay;
  private TrendState state;
  private TrendCounters counters;

  /** An unopened analyzer, for input without a watermark delay. */
  public TrendAnalyzer(TrendSettings settings) {
    this(settings, Duration.ZERO);
  }

  /**
   * An unopened analyzer.
   *
   * @param watermarkDelay between the newest row and the watermark, also of the first watermark
   */
  public TrendAnalyzer(TrendSettings settings, Duration watermarkDelay) {
    this.settings = settings;
    this.watermarkDelay = watermarkDelay;
  }

  @Override
  public void open(AnalyzerContext context) {
    state = new TrendState(context.keyGroups(), settings, false);
    state.lags(watermarkDelay.toNanos() / 1_000);
    counters = new TrendCounters(context);
    context.gauge("keywords", state::keywords);
    context.gauge("forgottenKeywords", state::forgotten);
  }

  @Override
  public void process(TableBlock block, Emitter<TableBlock> out) {
    counters.add(block, 0, state);
  }

  @Override
  public void hasBegun(long bucket) {
    state.hasBegun(bucket);
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) throws Exception {
    TableBlock[] rows = {new TableBlock(TrendRows.TRENDS, 16)};
    state.advance(
        micros,
        judged -> {
          TrendRows.append(judged, rows[0]);
          if (rows[0].rows() == BLOCK_ROWS) {
            out.emit(rows[0]);
            rows[0] = new TableBlock(TrendRows.TRENDS, 16);
          }
        });
    if (rows[0].rows() > 0) {
      out.emit(rows[0]);
    }
  }

  @Override
  public StateSnapshot snapshot() {
    return state.snapshot();
  }

  @Override
  public void restore(int group, BlockInput in) {
    state.restore(group, in);
  }
}

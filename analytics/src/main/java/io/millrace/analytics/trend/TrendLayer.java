package io.millrace.analytics.trend;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StateWriter;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * Trend detection in a tree of layers: rows are not keyed, and each layer merges pairs of subtasks
 * of the previous one.
 *
 * <pre>
 *   events   →  0   1   2   3     any part of the stream each
 *                \ /     \ /
 *                 0       1       parts, early trends
 *                  \     /
 *                     0           final trends, and what is withdrawn
 * </pre>
 *
 * <p>Each copy evaluates its counts when the watermark has passed a bucket. The first copy that
 * finds a trend in its part of the counts emits it as {@link TrendRows#EARLY}; downstream layers
 * forward it. The last layer is one copy, which has all counts: its trends are {@link
 * TrendRows#FINAL} and equal to those of a {@link TrendAnalyzer}; an early trend that is none in
 * all counts is {@link TrendRows#WITHDRAWN}. Only the last layer finds falls: a part lacks most
 * keywords. A copy that becomes idle emits its part first.
 *
 * <p>The first layer takes blocks whose first columns are those of {@link TrendRows#EVENTS}, the
 * others take the output of layers; the last one emits {@link TrendRows#TRENDS}. State is kept by
 * copy: with a lower parallelism after a restart, each copy merges that of several.
 */
public final class TrendLayer implements Analyzer<TableBlock, TableBlock>, PartitionedState {
  private static final int BLOCK_ROWS = 4_096;
  private static final int STAGE = TrendRows.STAGES.indexOf("stage");
  private static final int MARKED = TrendRows.STAGES.indexOf("early");
  private static final byte[] PART = TrendRows.PART.getBytes(StandardCharsets.UTF_8);

  private final TrendSettings settings;
  private final Duration watermarkDelay;
  private final boolean isLast;
  private TrendState state;
  private TrendCounters counters;
  private TableBlock rows = new TableBlock(TrendRows.STAGES, 16);
  private int index;
  private int count;

  private TrendLayer(TrendSettings settings, Duration watermarkDelay, boolean isLast) {
    this.settings = isLast ? settings : settings.withFalls(false);
    this.watermarkDelay = watermarkDelay;
    this.isLast = isLast;
  }

  /**
   * An unopened analyzer of a layer that is not the last.
   *
   * @param watermarkDelay see {@link TrendAnalyzer#TrendAnalyzer(TrendSettings, Duration)}
   */
  public static TrendLayer inner(TrendSettings settings, Duration watermarkDelay) {
    return new TrendLayer(settings, watermarkDelay, false);
  }

  /** An unopened analyzer of the last layer, whose parallelism must be 1. */
  public static TrendLayer last(TrendSettings settings, Duration watermarkDelay) {
    return new TrendLayer(settings, watermarkDelay, true);
  }

  @Override
  public void open(AnalyzerContext context) {
    index = context.index();
    count = context.count();
    state = new TrendState(KeyGroups.all(), settings, true);
    state.lags(watermarkDelay.toNanos() / 1_000);
    counters = new TrendCounters(context);
  }

  @Override
  public void process(TableBlock block, Emitter<TableBlock> out) {
    if (!block.schema().equals(TrendRows.STAGES)) {
      counters.add(block, 0, state);
      return;
    }
    int[] parts = new int[block.rows()];
    int[] others = new int[block.rows()];
    int partCount = 0;
    int otherCount = 0;
    Texts stages = block.texts(STAGE);
    for (int row = 0; row < block.rows(); row++) {
      int start = stages.start(row);
      if (Arrays.equals(stages.bytes(), start, start + stages.length(row), PART, 0, PART.length)) {
        parts[partCount++] = row;
      } else {
        others[otherCount++] = row;
      }
    }
    if (otherCount > 0) {
      emit(block.select(others, otherCount), out);
    }
    counters.add(block.select(parts, partCount), MARKED, state);
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) throws Exception {
    state.advance(micros, judged -> take(judged, out));
    flush(out);
  }

  /**
   * Emits the counts before becoming idle, since the watermark of downstream layers does not wait
   * for an idle subtask.
   */
  @Override
  public void idle(Emitter<TableBlock> out) throws Exception {
    if (!isLast) {
      state.release(judged -> take(judged, out));
      flush(out);
    }
  }

  private void take(Judgement judged, Emitter<TableBlock> out) {
    long early = Math.min(1, judged.marks());
    if (!isLast) {
      if (judged.isTrend() && early == 0) {
        emit(judged, TrendRows.EARLY, 1, out);
        early = 1;
      }
      emit(judged, TrendRows.PART, early, out);
    } else if (judged.isTrend()) {
      emit(judged, TrendRows.FINAL, early, out);
    } else if (early > 0) {
      emit(judged, TrendRows.WITHDRAWN, early, out);
    }
  }

  private void emit(Judgement judged, String stage, long early, Emitter<TableBlock> out) {
    TrendRows.append(judged, stage, early, rows);
    if (rows.rows() == BLOCK_ROWS) {
      flush(out);
    }
  }

  private void flush(Emitter<TableBlock> out) {
    if (rows.rows() > 0) {
      TableBlock full = rows;
      rows = new TableBlock(TrendRows.STAGES, 16);
      emit(full, out);
    }
  }

  private void emit(TableBlock stages, Emitter<TableBlock> out) {
    out.emit(isLast ? TrendRows.trends(stages) : stages);
  }

  @Override
  public void snapshot(StateWriter out) throws Exception {
    StateSnapshot snapshot = state.snapshot();
    BlockBuffer bytes = new BlockBuffer(1 << 10);
    for (int group = 0; group < KeyGroups.DEFAULT_MAX; group++) {
      if (!snapshot.isEmpty(group)) {
        bytes.putInt(group);
        snapshot.write(group, bytes);
      }
    }
    snapshot.release();
    if (bytes.length() > 0) {
      out.put(index, 0, bytes.toBytes());
    }
  }

  /** Restores an entry; each is read by one subtask, at any parallelism. */
  @Override
  public void restore(int piece, long version, byte[] bytes) {
    if (piece % count == index) {
      TrendState restored = new TrendState(KeyGroups.all(), settings, true);
      for (BlockInput in = new BlockInput(bytes, 0, bytes.length); in.remaining() > 0; ) {
        restored.restore(in.takeInt(), in);
      }
      state.addAll(restored);
    }
  }
}

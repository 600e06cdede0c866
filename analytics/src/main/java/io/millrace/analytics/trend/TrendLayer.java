package io.millrace.analytics.trend;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StatePieces;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.Texts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * The stateless way: rows are dealt out by nothing, and layers of these add up in pairs what those
 * before them have.
 *
 * <pre>
 *   events   →  0   1   2   3     any part of the stream each
 *                \ /     \ /
 *                 0       1       parts, early trends
 *                  \     /
 *                     0           final trends, and what is withdrawn
 * </pre>
 *
 * <p>Each judges what it has when event time has passed a bucket. What is a trend in a part of the
 * counts is given out as {@link TrendRows#EARLY}, once by the first that sees it in its part, and
 * goes through the layers behind as it is. The last layer is one copy, which has all counts: what
 * it says is {@link TrendRows#FINAL} and the same as of a {@link TrendAnalyzer}, and what was said
 * early and is none is {@link TrendRows#WITHDRAWN}. Falls are judged there alone: a part has
 * nothing of most keywords. One that hears nothing any more gives its part away before it says so.
 *
 * <p>The first layer is given blocks whose first columns are those of {@link TrendRows#EVENTS}, the
 * others what layers hand on; the last one gives {@link TrendRows#TRENDS}. The state belongs to the
 * copy: with fewer of them after a restart, each adds up that of several.
 */
public final class TrendLayer implements Analyzer<TableBlock, TableBlock>, PartitionedState {
  private static final int BLOCK_ROWS = 4_096;
  private static final int STAGE = TrendRows.STAGES.indexOf("stage");
  private static final int MARKED = TrendRows.STAGES.indexOf("early");
  private static final byte[] PART = TrendRows.PART.getBytes(StandardCharsets.UTF_8);

  private final TrendSettings settings;
  private final Duration behind;
  private final boolean isLast;
  private TrendState state;
  private TrendCounters counters;
  private TableBlock rows = new TableBlock(TrendRows.STAGES, 16);
  private int index;
  private int count;

  private TrendLayer(TrendSettings settings, Duration behind, boolean isLast) {
    this.settings = isLast ? settings : settings.withFalls(false);
    this.behind = behind;
    this.isLast = isLast;
  }

  /**
   * A copy of a layer that has others behind it; it is not opened.
   *
   * @param behind as of {@link TrendAnalyzer#TrendAnalyzer(TrendSettings, Duration)}
   */
  public static TrendLayer inner(TrendSettings settings, Duration behind) {
    return new TrendLayer(settings, behind, false);
  }

  /** The copy of the last layer, which is to have no other; it is not opened. */
  public static TrendLayer last(TrendSettings settings, Duration behind) {
    return new TrendLayer(settings, behind, true);
  }

  @Override
  public void open(AnalyzerContext context) {
    index = context.index();
    count = context.count();
    state = new TrendState(KeyGroups.all(), settings, true);
    state.staysBehind(behind.toNanos() / 1_000);
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

  /** The layer behind goes on by what others hear, and does not wait for these counts. */
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
        give(judged, TrendRows.EARLY, 1, out);
        early = 1;
      }
      give(judged, TrendRows.PART, early, out);
    } else if (judged.isTrend()) {
      give(judged, TrendRows.FINAL, early, out);
    } else if (early > 0) {
      give(judged, TrendRows.WITHDRAWN, early, out);
    }
  }

  private void give(Judgement judged, String stage, long early, Emitter<TableBlock> out) {
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
  public void snapshot(StatePieces out) throws Exception {
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

  /** Each piece is taken by one copy, whatever their number was and is. */
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

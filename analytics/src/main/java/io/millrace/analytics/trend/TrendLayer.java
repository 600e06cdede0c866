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
 * goes through the layers behind as it is. The only one of the last layer has all counts: what it
 * says is {@link TrendRows#FINAL} and the same as of a {@link TrendAnalyzer}, and what was said
 * early and is none is {@link TrendRows#WITHDRAWN}. Where the last layer has several, their trends
 * stay early. Falls are judged by the last one alone: a part has nothing of most keywords.
 *
 * <p>The first layer is given {@link TrendRows#EVENTS}, the others {@link TrendRows#STAGES}, which
 * all of them give. Which layer is the last is told by its having one copy. The state belongs to
 * the copy: with fewer of them after a restart, each adds up that of several. A restart with
 * another number of layers has another last one, which does not know what the one before knew: its
 * trends may differ until as many buckets have passed as the mean is taken over.
 */
public final class TrendLayer implements Analyzer<TableBlock, TableBlock>, PartitionedState {
  private static final int BLOCK_ROWS = 4_096;
  private static final int STAGE = TrendRows.STAGES.indexOf("stage");
  private static final int MARKED = TrendRows.STAGES.indexOf("early");
  private static final byte[] PART = TrendRows.PART.getBytes(StandardCharsets.UTF_8);

  private final TrendSettings settings;
  private TrendSettings own;
  private TrendState state;
  private TrendCounters counters;
  private TableBlock rows = new TableBlock(TrendRows.STAGES, 16);
  private boolean isLast;
  private int index;
  private int count;

  /** A layer's analyzer that is not opened. */
  public TrendLayer(TrendSettings settings) {
    this.settings = settings;
  }

  @Override
  public void open(AnalyzerContext context) {
    index = context.index();
    count = context.count();
    isLast = count == 1;
    own = isLast ? settings : settings.withFalls(false);
    state = new TrendState(KeyGroups.all(), own, true);
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
      out.emit(block.select(others, otherCount));
    }
    counters.add(block.select(parts, partCount), MARKED, state);
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) throws Exception {
    state.advance(
        micros,
        judged -> {
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
        });
    flush(out);
  }

  private void give(Judged judged, String stage, long early, Emitter<TableBlock> out) {
    TrendRows.append(judged, stage, early, rows);
    if (rows.rows() == BLOCK_ROWS) {
      flush(out);
    }
  }

  private void flush(Emitter<TableBlock> out) {
    if (rows.rows() > 0) {
      TableBlock full = rows;
      rows = new TableBlock(TrendRows.STAGES, 16);
      out.emit(full);
    }
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
      TrendState restored = new TrendState(KeyGroups.all(), own, true);
      for (BlockInput in = new BlockInput(bytes, 0, bytes.length); in.remaining() > 0; ) {
        restored.restore(in.takeInt(), in);
      }
      state.addAll(restored);
    }
  }
}

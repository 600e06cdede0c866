package io.millrace.analytics.hitters;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StatePieces;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;

/**
 * {@link HitterCounts} of any part of the rows: nothing is dealt out, and each subtask has tables
 * of its own for all groups, which {@link HitterJudge} merges. The state belongs to the subtask;
 * after a restart with fewer of them each takes the tables of several.
 */
public final class SplitHitterCounts implements Analyzer<TableBlock, TableBlock>, PartitionedState {
  private static final int END = 0xFF;

  private final HitterCounts counts;
  private int index;
  private int count;

  /** An analyzer that is not opened. */
  public SplitHitterCounts(HitterSettings settings) {
    counts = new HitterCounts(settings, true);
  }

  @Override
  public void open(AnalyzerContext context) {
    index = context.index();
    count = context.count();
    counts.open(context);
  }

  @Override
  public void process(TableBlock rows, Emitter<TableBlock> out) {
    counts.process(rows, out);
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    counts.watermark(micros, out);
  }

  /** The seed, then each group that is not empty behind its number. */
  @Override
  public void snapshot(StatePieces out) throws Exception {
    StateSnapshot groups = counts.snapshot();
    BlockBuffer bytes = new BlockBuffer(1 << 10);
    bytes.putLong(counts.seed());
    for (int group = 0; group < HitterSettings.GROUPS; group++) {
      if (!groups.isEmpty(group)) {
        bytes.putByte(group);
        groups.write(group, bytes);
      }
    }
    bytes.putByte(END);
    out.put(index, 0, bytes.toBytes());
  }

  /** Tables that are merged have the same seed, so each subtask takes it from any piece. */
  @Override
  public void restore(int piece, long version, byte[] state) {
    BlockInput in = new BlockInput(state, 0, state.length);
    counts.seed(in.takeLong());
    if (piece % count == index) {
      for (int group = in.takeByte(); group != END; group = in.takeByte()) {
        counts.restore(group, in);
      }
    }
  }
}

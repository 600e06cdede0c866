package io.millrace.analytics.hitters;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StateWriter;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import java.util.List;

/**
 * Counts keys of flows that are not keyed, directly from their columns: each subtask has tables for
 * all keys, which {@link HitterJudge} merges. Combines {@link HitterKeys} and {@link HitterCounts},
 * and emits the profiles of candidates at {@link HitterKeys#DETAILS}. State is kept by subtask; if
 * a restart lowers the parallelism, each takes the tables of several.
 */
public final class SplitHitterCounts implements Analyzer<FlowBlock, TableBlock>, PartitionedState {
  private static final int END = 0xFF;

  private final HitterCounts counts;
  private final HitterKeys keys;
  private int index;
  private int count;

  /** An unopened analyzer of keys with columns only. */
  public SplitHitterCounts(HitterSettings settings) {
    this(settings, KeyExpressions.NONE);
  }

  /**
   * An unopened analyzer.
   *
   * @param expressions of the keys; the analyzer closes them
   */
  public SplitHitterCounts(HitterSettings settings, KeyExpressions expressions) {
    counts = new HitterCounts(settings, true);
    keys = new HitterKeys(settings, expressions, counts);
  }

  @Override
  public void open(AnalyzerContext context) {
    index = context.index();
    count = context.count();
    AnalyzerContext.Counter rejected = context.counter("rejectedRows");
    counts.open(context, rejected);
    keys.open(context, rejected);
  }

  @Override
  public void close() {
    keys.close();
  }

  @Override
  public List<Output<?>> outputs() {
    return keys.outputs();
  }

  @Override
  public void process(FlowBlock flows, Emitter<TableBlock> out) {
    keys.process(flows, out);
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    counts.watermark(micros, out);
    keys.watermark(micros, out);
  }

  /**
   * Emits the counts before becoming idle, since the judge's watermark then follows other subtasks'
   * flows.
   */
  @Override
  public void idle(Emitter<TableBlock> out) {
    watermark(Long.MAX_VALUE, out);
  }

  /**
   * Writes two entries for each subtask. With its index as key: the seed, then the number and
   * tables of each non-empty group, or of all groups. With the complement of its index: the
   * candidates.
   */
  @Override
  public void snapshot(StateWriter out) throws Exception {
    StateSnapshot groups = counts.snapshot();
    BlockBuffer bytes = new BlockBuffer(1 << 10);
    bytes.putLong(counts.seed());
    for (int group = 0; group <= HitterSettings.ALL; group++) {
      if (!groups.isEmpty(group)) {
        bytes.putByte(group);
        groups.write(group, bytes);
      }
    }
    bytes.putByte(END);
    out.put(index, 0, bytes.toBytes());
    keys.snapshot((piece, version, state) -> out.put(~piece, version, state));
  }

  /** Restores an entry; merged tables share a seed, so each subtask takes it from any entry. */
  @Override
  public void restore(int piece, long version, byte[] state) {
    if (piece < 0) {
      keys.restore(~piece, version, state);
      return;
    }
    BlockInput in = new BlockInput(state, 0, state.length);
    counts.seed(in.takeLong());
    if (piece % count == index) {
      for (int group = in.takeByte(); group != END; group = in.takeByte()) {
        counts.restore(group, in);
      }
    }
  }
}

package io.millrace.analytics.hitters;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StatePieces;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import java.util.List;

/**
 * Counts the keys of any flows, straight from their columns: nothing is dealt out, and each subtask
 * has tables of its own for all keys, which {@link HitterJudge} merges. It is {@link HitterKeys}
 * and {@link HitterCounts} in one, with the details of candidates at {@link HitterKeys#DETAILS}.
 * The state belongs to the subtask; after a restart with fewer of them each takes the tables of
 * several.
 */
public final class SplitHitterCounts implements Analyzer<FlowBlock, TableBlock>, PartitionedState {
  private static final int END = 0xFF;

  private final HitterCounts counts;
  private final HitterKeys keys;
  private int index;
  private int count;

  /** An analyzer that is not opened, of keys that have only columns. */
  public SplitHitterCounts(HitterSettings settings) {
    this(settings, KeyExpressions.NONE);
  }

  /**
   * An analyzer that is not opened.
   *
   * @param expressions that the keys have; it closes them
   */
  public SplitHitterCounts(HitterSettings settings, KeyExpressions expressions) {
    counts = new HitterCounts(settings, true);
    keys = new HitterKeys(settings, expressions, counts);
  }

  @Override
  public void open(AnalyzerContext context) {
    index = context.index();
    count = context.count();
    AnalyzerContext.Counter refused = context.counter("refusedRows");
    counts.open(context, refused);
    keys.open(context, refused);
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

  /** The judge has no time to wait for: others' flows go on, and it judges by them. */
  @Override
  public void idle(Emitter<TableBlock> out) {
    watermark(Long.MAX_VALUE, out);
  }

  /**
   * Two pieces of each subtask. At its number the seed, then each group that is not empty, or what
   * belongs to all of them, behind its number; at the complement of that the candidates.
   */
  @Override
  public void snapshot(StatePieces out) throws Exception {
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

  /** Tables that are merged have the same seed, so each subtask takes it from any piece. */
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

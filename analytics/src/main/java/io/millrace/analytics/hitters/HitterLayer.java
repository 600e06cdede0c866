package io.millrace.analytics.hitters;

import static io.millrace.analytics.hitters.HitterSettings.SEED;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.StateWriter;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import java.util.List;

/**
 * Merges the counts of several subtasks, so that {@link HitterJudge} reads fewer tables.
 *
 * <pre>
 *   flows  →  0   1   2   3     any part of the traffic each: {@link SplitHitterCounts}
 *              \ /     \ /
 *               0       1       a layer of these
 *                \     /
 *               the judge
 * </pre>
 *
 * <p>Tables of an epoch stay bytes until the watermark has passed it; then those of a kind are
 * merged by the rules of the judge: exact counts stay exact while all keys fit, and bounds of
 * sketches hold. Later tables are forwarded with the next watermark, or when the input is idle; the
 * judge decides whether they are late. State is kept by copy: with a lower parallelism after a
 * restart, each copy takes that of several.
 */
public final class HitterLayer implements Analyzer<TableBlock, TableBlock>, PartitionedState {
  private final HitterSettings settings;
  private final KindParts[] kinds;

  private long seed;

  private int index;
  private int count;

  /** An unopened analyzer. */
  public HitterLayer(HitterSettings settings) {
    this.settings = settings;
    kinds = KindParts.none(settings);
    seed = settings.seed();
  }

  @Override
  public void open(AnalyzerContext context) {
    index = context.index();
    count = context.count();
  }

  @Override
  public void process(TableBlock block, Emitter<TableBlock> out) {
    seed = block.rows() > 0 ? block.longs(SEED)[0] : seed;
    KindParts.forEachOf(block, (epoch, kind, part) -> kinds[kind].add(epoch, part));
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    EmittedTables emitted = new EmittedTables(seed, out);
    for (int kind = 0; kind < kinds.length; kind++) {
      for (Long epoch = kinds[kind].first();
          epoch != null && settings.isOver(epoch, micros);
          epoch = kinds[kind].first()) {
        emit(epoch, kind, emitted);
      }
    }
    emitted.flush();
  }

  private void emit(long epoch, int kind, EmittedTables emitted) {
    new CountTables(settings, kind, seed, kinds[kind].remove(epoch))
        .forEachTable((group, isExact, table) -> emitted.add(epoch, kind, group, table));
  }

  @Override
  public void idle(Emitter<TableBlock> out) {
    watermark(Long.MAX_VALUE, out);
  }

  /** Writes one entry for each subtask, keyed by its index: {@code seed | tables}. */
  @Override
  public void snapshot(StateWriter out) throws Exception {
    BlockBuffer bytes = new BlockBuffer(1 << 10);
    bytes.putLong(seed);
    KindParts.write(List.copyOf(KindParts.snapshots(settings, kinds).values()), bytes);
    out.put(index, 0, bytes.toBytes());
  }

  /** Restores an entry; merged tables share a seed, so each subtask takes it from any entry. */
  @Override
  public void restore(int piece, long version, byte[] state) {
    BlockInput in = new BlockInput(state, 0, state.length);
    seed = in.takeLong();
    if (piece % count == index) {
      KindParts.restore(in, settings, kinds);
    }
  }
}

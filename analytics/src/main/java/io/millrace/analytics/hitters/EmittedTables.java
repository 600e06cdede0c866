package io.millrace.analytics.hitters;

import static io.millrace.analytics.hitters.HitterSettings.COUNTS;
import static io.millrace.analytics.hitters.HitterSettings.EPOCH;
import static io.millrace.analytics.hitters.HitterSettings.GROUP;
import static io.millrace.analytics.hitters.HitterSettings.KIND;
import static io.millrace.analytics.hitters.HitterSettings.PARTS;
import static io.millrace.analytics.hitters.HitterSettings.SEED;

import io.millrace.analytics.Emitter;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.TableBlock;

/** Emits tables in blocks of about 1 MiB, or of one larger table. Not thread-safe. */
final class EmittedTables {
  private static final int BLOCK_BYTES = 1 << 20;

  private final long seed;
  private final Emitter<TableBlock> out;
  private TableBlock block = new TableBlock(PARTS, 1);

  EmittedTables(long seed, Emitter<TableBlock> out) {
    this.seed = seed;
    this.out = out;
  }

  void add(long epoch, int kind, int group, BlockBuffer table) {
    int row = block.rows();
    if (row > 0 && block.texts(COUNTS).start(row) + table.length() > BLOCK_BYTES) {
      flush();
      row = 0;
    }
    block.reserve(1);
    block.longs(EPOCH)[row] = epoch;
    block.longs(KIND)[row] = kind;
    block.longs(GROUP)[row] = group;
    block.longs(SEED)[row] = seed;
    block.texts(COUNTS).add(table.bytes(), 0, table.length());
    block.rows(row + 1);
  }

  void flush() {
    if (block.rows() > 0) {
      out.emit(block);
      block = new TableBlock(PARTS, 1);
    }
  }
}

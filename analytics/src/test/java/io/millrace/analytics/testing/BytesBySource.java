package io.millrace.analytics.testing;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.EventTimers;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;

/** Sums of a column by source and minute, with a timer for each sum. */
class BytesBySource implements KeyedAnalyzer<TableBlock, TableBlock> {
  static final TableSchema IN =
      TableSchema.builder().time("time").number("source").number("bytes").build();
  static final TableSchema OUT =
      TableSchema.builder().time("minute").number("source").number("bytes").build();
  static final RowKeys<TableBlock> KEYS =
      (block, hashes) -> {
        long[] sources = block.longs(1);
        for (int row = 0; row < block.rows(); row++) {
          hashes[row] = Hash.of(sources[row]);
        }
      };

  private static final long MINUTE = 60_000_000;

  KeyTable sums;
  EventTimers timers;

  @Override
  public void open(AnalyzerContext context) {
    KeyGroups groups = context.keyGroups();
    sums = new KeyTable(groups, 2, 1);
    timers = new EventTimers(groups);
  }

  @Override
  public void process(TableBlock block, Emitter<TableBlock> out) {
    for (int row = 0; row < block.rows(); row++) {
      long source = block.longs(1)[row];
      long minute = block.longs(0)[row] / MINUTE * MINUTE;
      int hash = Hash.of(source);
      int before = sums.size();
      int entry = sums.entry(hash, source, minute);
      if (entry == before) {
        timers.set(minute + MINUTE - 1, hash, source, minute);
      }
      sums.values(0)[entry] += block.longs(2)[row];
    }
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) throws Exception {
    TableBlock block = new TableBlock(OUT, 16);
    timers.fire(
        micros,
        (moment, hash, source, minute) -> {
          int entry = sums.find(hash, source, minute);
          block.reserve(1);
          int row = block.rows();
          block.longs(0)[row] = minute;
          block.longs(1)[row] = source;
          block.longs(2)[row] = sums.values(0)[entry];
          block.rows(row + 1);
          sums.remove(entry);
        });
    if (block.rows() > 0) {
      out.emit(block);
    }
  }

  @Override
  public StateSnapshot snapshot() {
    return StateSnapshot.of(sums.snapshot(), timers.snapshot());
  }

  @Override
  public void restore(int group, BlockInput in) {
    sums.restore(in);
    timers.restore(in);
  }
}

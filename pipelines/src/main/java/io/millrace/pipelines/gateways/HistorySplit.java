package io.millrace.pipelines.gateways;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayRecords;
import java.util.List;

/** Separates records of history, which go to a side output, from live ones. */
final class HistorySplit implements Analyzer<TableBlock, TableBlock> {
  static final Output<TableBlock> HISTORY = Output.ofTable("history");

  @Override
  public List<Output<?>> outputs() {
    return List.of(HISTORY);
  }

  @Override
  public void process(TableBlock records, Emitter<TableBlock> out) {
    int rows = records.rows();
    long[] isHistory = records.longs(GatewayRecords.BACKFILL);
    int[] selected = new int[0];
    int live = 0;
    int history = 0;
    for (int row = 0; row < rows; row++) {
      if (isHistory[row] != 0) {
        selected = selected.length == 0 ? new int[rows] : selected;
        selected[history++] = row;
      }
    }
    if (history == 0) {
      out.emit(records);
      return;
    }
    out.emit(HISTORY, records.select(selected, history));
    for (int row = 0; row < rows; row++) {
      if (isHistory[row] == 0) {
        selected[live++] = row;
      }
    }
    if (live > 0) {
      out.emit(records.select(selected, live));
    }
  }
}

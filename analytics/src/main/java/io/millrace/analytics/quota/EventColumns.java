package io.millrace.analytics.quota;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.TableBlock;

/**
 * Streaming events ({@link QuotaRecords#STREAMING} with their places) to the columns that decide
 * ({@link QuotaRecords#EVENTS}), so that addresses of videos do not travel between threads.
 */
public final class EventColumns implements Analyzer<TableBlock, TableBlock> {
  private static final int[] COLUMNS =
      QuotaRecords.columns(QuotaRecords.STREAMING, QuotaRecords.EVENTS);

  @Override
  public void process(TableBlock events, Emitter<TableBlock> out) {
    out.emit(events.as(QuotaRecords.EVENTS, COLUMNS));
  }
}

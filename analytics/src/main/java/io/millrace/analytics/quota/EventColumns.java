package io.millrace.analytics.quota;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.TableBlock;

/**
 * Streaming events ({@link QuotaRecords#STREAMING} with their places) to the columns that decide
 * ({@link QuotaRecords#EVENTS}), with the rules that each may bring about, so that addresses of
 * videos do not travel between threads.
 */
public final class EventColumns implements Analyzer<TableBlock, TableBlock> {
  private static final int[] COLUMNS =
      QuotaRecords.columns(QuotaRecords.STREAMING, QuotaRecords.EVENTS);

  private final QuotaRules rules;

  /** For these rules. */
  public EventColumns(QuotaRules rules) {
    this.rules = rules;
  }

  @Override
  public void process(TableBlock events, Emitter<TableBlock> out) {
    TableBlock narrow = events.as(QuotaRecords.EVENTS, COLUMNS);
    long[] further = narrow.longs(QuotaRecords.EVENT_FURTHER);
    for (int row = 0; row < narrow.rows(); row++) {
      further[row] = rules.furtherOfEvent(events, row);
    }
    out.emit(narrow);
  }
}

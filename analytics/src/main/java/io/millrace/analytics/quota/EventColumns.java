package io.millrace.analytics.quota;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.TableBlock;

/**
 * Projects streaming events ({@link QuotaRecords#STREAMING} with their log positions) to the
 * columns of the join ({@link QuotaRecords#EVENTS}), with the matching rules, so that addresses of
 * videos are not shuffled.
 */
public final class EventColumns implements Analyzer<TableBlock, TableBlock> {
  private static final int[] COLUMNS =
      QuotaRecords.columns(QuotaRecords.STREAMING, QuotaRecords.EVENTS);

  private final QuotaRules rules;

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

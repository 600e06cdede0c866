package io.millrace.analytics.quota;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.wire.block.TableBlock;

/**
 * Filters usage records ({@link QuotaRecords#USAGE} with their log positions) and emits those that
 * match a rule, as {@link QuotaRecords#JUDGED}. Runs upstream of the shuffle, since it drops most
 * records.
 */
public final class UsageFilter implements Analyzer<TableBlock, TableBlock> {
  /** Counter: records that match a rule. */
  public static final String KEPT = "keptRecords";

  private static final int[] COLUMNS =
      QuotaRecords.columns(QuotaRecords.USAGE, QuotaRecords.JUDGED);
  private static final int GRANTED = QuotaRecords.USAGE.indexOf("complimentary_granted");
  private static final int CONSUMED = QuotaRecords.USAGE.indexOf("complimentary_used");

  private final QuotaRules rules;
  private AnalyzerContext.Counter kept;
  private int[] selected = new int[0];

  /** An unopened filter. */
  public UsageFilter(QuotaRules rules) {
    this.rules = rules;
  }

  @Override
  public void open(AnalyzerContext context) {
    kept = context.counter(KEPT);
  }

  @Override
  public void process(TableBlock usage, Emitter<TableBlock> out) {
    int rows = usage.rows();
    long[] granted = usage.longs(GRANTED);
    long[] consumed = usage.longs(CONSUMED);
    TableBlock judged = usage.as(QuotaRecords.JUDGED, COLUMNS);
    long[] limit = judged.longs(QuotaRecords.LIMIT);
    long[] used = judged.longs(QuotaRecords.USED);
    long[] rule = judged.longs(QuotaRecords.RULE);
    long[] further = judged.longs(QuotaRecords.FURTHER);
    if (selected.length < rows) {
      selected = new int[rows];
    }
    int count = 0;
    for (int row = 0; row < rows; row++) {
      rule[row] = rules.of(limit[row], used[row], granted[row], consumed[row]);
      further[row] = rules.furtherOfUsage(usage, row);
      selected[count] = row;
      count += rule[row] == QuotaRules.NONE && further[row] == 0 ? 0 : 1;
    }
    if (count > 0) {
      kept.add(count);
      out.emit(judged.select(selected, count));
    }
  }
}

package io.millrace.lab.quota;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.quota.EventColumns;
import io.millrace.analytics.quota.QuotaRecords;
import io.millrace.analytics.quota.QuotaRules;
import io.millrace.analytics.quota.SignalJoiner;
import io.millrace.analytics.quota.UsageFilter;
import io.millrace.lab.records.Lane;
import io.millrace.lab.records.RecordBlocks;
import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/** The steps of the pipeline for some of the subscribers; usage records are processed first. */
final class QuotaLane extends Lane {
  private static final int ROWS = 8_192;

  private final UsageFilter filter;
  private final EventColumns columns;
  private final SignalJoiner joiner;
  private final boolean isTimed;
  private final List<Long> delays = new ArrayList<>();
  private long signals;

  /**
   * @param isTimed whether the latency of signals is recorded
   */
  QuotaLane(QuotaRules rules, boolean isTimed) {
    super(
        new RecordBlocks(QuotaRecords.USAGE, ROWS), new RecordBlocks(QuotaRecords.STREAMING, ROWS));
    this.isTimed = isTimed;
    filter = new UsageFilter(rules);
    columns = new EventColumns(rules);
    joiner = new SignalJoiner(rules);
    filter.open(AnalyzerContext.alone());
    joiner.open(AnalyzerContext.alone());
  }

  @Override
  protected void run(
      List<TableBlock> usage, List<TableBlock> events, long watermark, LongSupplier clock)
      throws Exception {
    for (TableBlock each : usage) {
      filter.process(each, judged -> joiner.processFirst(judged, none -> {}));
    }
    for (TableBlock each : events) {
      columns.process(each, narrow -> joiner.processSecond(narrow, none -> {}));
    }
    joiner.watermark(watermark, given -> take(given, clock));
  }

  private void take(TableBlock given, LongSupplier clock) {
    signals += given.rows();
    long now = clock.getAsLong();
    for (int row = 0; isTimed && row < given.rows(); row++) {
      delays.add(now - given.longs(0)[row]);
    }
  }

  /** Returns the latency of signals since their events, in microseconds. */
  LongStream delays() {
    return delays.stream().mapToLong(Long::longValue);
  }

  void forgetDelays() {
    delays.clear();
  }

  long signals() {
    return signals;
  }

  /** Returns a snapshot of the state, as a checkpoint would write it. */
  Object snapshot() {
    return joiner.snapshot();
  }
}

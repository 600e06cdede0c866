package io.millrace.bench.quota;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.quota.EventColumns;
import io.millrace.analytics.quota.QuotaRecords;
import io.millrace.analytics.quota.QuotaRules;
import io.millrace.analytics.quota.SignalJoiner;
import io.millrace.analytics.quota.UsageFilter;
import io.millrace.traffic.quota.QuotaTrace;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/** The steps of the pipeline for some of the subscribers, on one thread, and what they will get. */
final class Lane {
  private static final int ROWS = 8_192;
  private static final int SHIFT = 31;
  private static final int TEXT = 2; // plan or video, which is missing

  private final UsageFilter filter;
  private final EventColumns columns;
  private final SignalJoiner joiner;
  private final List<Part> parts = new ArrayList<>();
  private TableBlock usage = block(QuotaRecords.USAGE);
  private TableBlock events = block(QuotaRecords.STREAMING);
  private final List<Long> delays = new ArrayList<>();
  private long signals;

  /** What comes between two watermarks, in blocks. */
  private record Part(List<TableBlock> usage, List<TableBlock> events, long watermark, long due) {}

  private List<TableBlock> nextUsage = new ArrayList<>();
  private List<TableBlock> nextEvents = new ArrayList<>();

  Lane(QuotaRules rules) {
    filter = new UsageFilter(rules);
    columns = new EventColumns(rules);
    joiner = new SignalJoiner(rules);
    filter.open(AnalyzerContext.alone());
    joiner.open(AnalyzerContext.alone());
  }

  /** Which of two lanes a subscriber belongs to; by the bit of the hash that tables use last. */
  static int of(long msisdn) {
    return Hash.of(msisdn) >>> SHIFT;
  }

  private static TableBlock block(RecordSchema records) {
    return new TableBlock(records.columnsWithPlace(), ROWS);
  }

  /** Takes the trace's record. */
  void add(QuotaTrace trace, long place) {
    if (trace.isUsage()) {
      int row = usage.rows();
      usage.longs(3)[row] = QuotaTrace.LIMIT;
      usage.longs(4)[row] = trace.used();
      usage.longs(5)[row] = trace.granted();
      usage.longs(6)[row] = trace.complimentaryUsed();
      if (isFull(usage, trace, place)) {
        nextUsage.add(usage);
        usage = block(QuotaRecords.USAGE);
      }
    } else if (isFull(events, trace, place)) {
      nextEvents.add(events);
      events = block(QuotaRecords.STREAMING);
    }
  }

  private static boolean isFull(TableBlock block, QuotaTrace trace, long place) {
    int row = block.rows();
    int columns = block.schema().size();
    block.longs(0)[row] = trace.time();
    block.longs(1)[row] = trace.msisdn();
    block.texts(TEXT).add((String) null);
    block.longs(columns - 3)[row] = 0;
    block.longs(columns - 2)[row] = place;
    block.longs(columns - 1)[row] = 0;
    block.rows(row + 1);
    return row + 1 == ROWS;
  }

  /**
   * Event time will pass that moment behind what was taken.
   *
   * @param due when all of it has come, on the clock of event time
   */
  void mark(long watermark, long due) {
    nextUsage.add(usage);
    nextEvents.add(events);
    usage = block(QuotaRecords.USAGE);
    events = block(QuotaRecords.STREAMING);
    parts.add(new Part(nextUsage, nextEvents, watermark, due));
    nextUsage = new ArrayList<>();
    nextEvents = new ArrayList<>();
  }

  /** Works on all that was taken. */
  void run() throws Exception {
    for (Part part : parts) {
      run(part, given -> signals += given.rows());
    }
    parts.clear();
  }

  /**
   * The same, each part when it is due, and takes the delays of signals.
   *
   * @param clock event time now, in microseconds
   */
  void runPaced(LongSupplier clock) throws Exception {
    for (Part part : parts) {
      for (long left; (left = part.due - clock.getAsLong()) > 0; ) {
        LockSupport.parkNanos(left * 1_000);
      }
      run(part, given -> addDelays(given, clock.getAsLong()));
    }
    parts.clear();
  }

  private void addDelays(TableBlock given, long now) {
    for (int row = 0; row < given.rows(); row++) {
      delays.add(now - given.longs(0)[row]);
    }
  }

  private void run(Part part, Emitter<TableBlock> given) throws Exception {
    for (TableBlock each : part.usage) {
      filter.process(each, judged -> joiner.processFirst(judged, none -> {}));
    }
    for (TableBlock each : part.events) {
      columns.process(each, narrow -> joiner.processSecond(narrow, none -> {}));
    }
    joiner.watermark(part.watermark, given);
  }

  /** How old the events of signals were, in microseconds. */
  LongStream delays() {
    return delays.stream().mapToLong(Long::longValue);
  }

  void forgetDelays() {
    delays.clear();
  }

  /** Signals so far. */
  long signals() {
    return signals;
  }

  /** A snapshot of the state, which a checkpoint would write. */
  Object snapshot() {
    return joiner.snapshot();
  }
}

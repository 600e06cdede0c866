package io.millrace.analytics.quota;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.keyed.EventRows;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.StateHead;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.analytics.keyed.TwoInputAnalyzer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;

/**
 * Join of usage records that match a rule ({@link QuotaRecords#JUDGED}) with streaming events
 * ({@link QuotaRecords#EVENTS}) of the same subscriber: an event at t joins the newest record in (t
 * − window, t], and emits the signal ({@link QuotaRecords#SIGNALS}) of each rule that matches both,
 * unless the subscriber had one of that rule in (t − window, t]. So subscriber, rule and time
 * identify a signal.
 *
 * <pre>
 *   usage     r1 ────────── window ──────────)
 *                    r2 ────────── window ──────────)
 *   events       e1       e2                    e3    e4
 *   joined       r1       r2                    r2    –
 * </pre>
 *
 * Rows wait until the watermark has passed theirs, and are processed in the order of time, usage
 * before events, and log position. So the signals depend on the rows only, not on their arrival;
 * late rows are counted and dropped.
 *
 * <p>State: 56 bytes for each waiting row; 48 for each subscriber with a valid record, and 40 for
 * each signal of the last window, in tables that grow by half. Expired entries are removed sixteen
 * times per window.
 */
public final class SignalJoiner implements TwoInputAnalyzer<TableBlock, TableBlock, TableBlock> {
  /** Counter: late usage records. */
  public static final String LATE_USAGE = "lateUsage";

  /** Counter: late streaming events. */
  public static final String LATE_EVENTS = "lateEvents";

  /** Counter: signals. */
  public static final String GIVEN = "signals";

  /** Counter: suppressed signals that the subscriber had just received. */
  public static final String REPEATED = "repeatedSignals";

  private static final StateHead HEAD = new StateHead('Q', 1, "state of quota");

  private static final int BLOCK_ROWS = 4_096;
  private static final int SWEEPS_A_WINDOW = 16;

  /** A value of the log has at most 16 MiB, so fewer than 2²⁴ records. */
  private static final int INDEX_BITS = 24;

  /** A limit is less than 2⁵⁴; the lowest bits have the matching rule of the three, or none. */
  private static final int RULE_BITS = 2;

  private static final int NO_RULE = (1 << RULE_BITS) - 1;

  /** Usage is also less than 2⁵⁴; the higher bits are the additional rules. */
  private static final int USED_BITS = 54;

  private static final long USED_MASK = (1L << USED_BITS) - 1;

  // Columns of waiting rows. The first two are their order at equal time.
  private static final int SENDER = 0;
  private static final int SUBSCRIBER = 2;
  private static final int WAITING_USED = 3;
  private static final int WAITING_LIMIT = 4;
  private static final int WAITING_COLUMNS = 5;

  /** In the upper half of the sender; the lower one is the partition. */
  private static final long EVENT = 1L << 32;

  // Columns of the newest records.
  private static final int TIME = 0;
  private static final int USED = 1;
  private static final int LIMIT = 2;

  private final QuotaRules rules;
  private final long window;
  private AnalyzerContext context;
  private AnalyzerContext.Counter lateUsage;
  private AnalyzerContext.Counter lateEvents;
  private AnalyzerContext.Counter given;
  private AnalyzerContext.Counter repeated;

  private EventRows waiting;

  /** Newest record by subscriber: time, usage with additional rules, limit with the rule. */
  private KeyTable newest;

  private KeyTable signalled;

  private long nextSweep = Long.MIN_VALUE;
  private TableBlock signals;

  /** An unopened joiner. */
  public SignalJoiner(QuotaRules rules) {
    this.rules = rules;
    window = rules.windowMicros();
  }

  @Override
  public void open(AnalyzerContext opened) {
    context = opened;
    lateUsage = context.counter(LATE_USAGE);
    lateEvents = context.counter(LATE_EVENTS);
    given = context.counter(GIVEN);
    repeated = context.counter(REPEATED);
    waiting = new EventRows(context.keyGroups(), WAITING_COLUMNS);
    newest = new KeyTable(context.keyGroups(), 1, 3);
    signalled = new KeyTable(context.keyGroups(), 2, 1);
    context.gauge("waitingRows", waiting::size);
    context.gauge("subscribers", newest::size);
  }

  @Override
  public void processFirst(TableBlock usage, Emitter<TableBlock> out) {
    long[] limit = usage.longs(QuotaRecords.LIMIT);
    long[] used = usage.longs(QuotaRecords.USED);
    long[] rule = usage.longs(QuotaRecords.RULE);
    long[] further = usage.longs(QuotaRecords.FURTHER);
    int late = 0;
    for (int row = 0; row < usage.rows(); row++) {
      late +=
          await(
              usage,
              row,
              0,
              used[row] | further[row] << USED_BITS,
              limit[row] << RULE_BITS | (rule[row] & NO_RULE));
    }
    lateUsage.add(late);
  }

  @Override
  public void processSecond(TableBlock events, Emitter<TableBlock> out) {
    long[] further = events.longs(QuotaRecords.EVENT_FURTHER);
    int late = 0;
    for (int row = 0; row < events.rows(); row++) {
      late += await(events, row, EVENT, further[row] << USED_BITS, 0);
    }
    lateEvents.add(late);
  }

  /** Returns the number of late rows: 1 or 0. */
  private int await(TableBlock block, int row, long input, long used, long limitAndRule) {
    long micros = block.longs(QuotaRecords.TIME)[row];
    if (micros <= context.currentWatermark()) {
      return 1;
    }
    long subscriber = block.longs(QuotaRecords.MSISDN)[row];
    waiting.add(
        micros,
        Hash.of(subscriber),
        input | block.longs(QuotaRecords.PARTITION)[row],
        block.longs(QuotaRecords.OFFSET)[row] << INDEX_BITS | block.longs(QuotaRecords.INDEX)[row],
        subscriber,
        used,
        limitAndRule);
    return 0;
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) throws Exception {
    signals = new TableBlock(QuotaRecords.SIGNALS, 16);
    waiting.fire(
        micros,
        newest,
        SUBSCRIBER,
        (time, hash, row) -> {
          if (row[SENDER] < EVENT) {
            keep(time, hash, row);
          } else {
            join(time, hash, row[SUBSCRIBER], row[WAITING_USED], out);
          }
        });
    emit(out);
    if (micros >= nextSweep) {
      sweep(newest, micros);
      sweep(signalled, micros);
      nextSweep = Math.min(micros, Long.MAX_VALUE - window) + window / SWEEPS_A_WINDOW;
    }
  }

  private void keep(long time, int hash, long[] row) {
    int entry = newest.entry(hash, row[SUBSCRIBER]);
    newest.values(TIME)[entry] = time;
    newest.values(USED)[entry] = row[WAITING_USED];
    newest.values(LIMIT)[entry] = row[WAITING_LIMIT];
  }

  private void join(long time, int hash, long subscriber, long ofEvent, Emitter<TableBlock> out) {
    int entry = newest.find(hash, subscriber);
    if (entry < 0 || time - newest.values(TIME)[entry] >= window) {
      return;
    }
    int rule = (int) newest.values(LIMIT)[entry] & NO_RULE;
    if (rule != NO_RULE) {
      give(time, hash, subscriber, rule, entry, out);
    }
    long further = (newest.values(USED)[entry] & ofEvent) >>> USED_BITS; // an event has no usage
    for (; further != 0; further &= further - 1) {
      int number = QuotaRules.RULES + Long.numberOfTrailingZeros(further);
      give(time, hash, subscriber, number, entry, out);
    }
  }

  private void give(
      long time, int hash, long subscriber, int rule, int entry, Emitter<TableBlock> out) {
    int before = signalled.find(hash, subscriber, rule);
    if (before >= 0 && time - signalled.values(0)[before] < window) {
      repeated.add(1);
      return;
    }
    int now = before >= 0 ? before : signalled.entry(hash, subscriber, rule);
    signalled.values(0)[now] = time;
    given.add(1);
    append(time, subscriber, rule, entry);
    if (signals.rows() == BLOCK_ROWS) {
      emit(out);
    }
  }

  private void append(long time, long subscriber, int rule, int entry) {
    signals.reserve(1);
    int row = signals.rows();
    signals.longs(0)[row] = time;
    signals.longs(1)[row] = subscriber;
    signals.texts(2).add(rules.name(rule));
    signals.longs(3)[row] = newest.values(LIMIT)[entry] >> RULE_BITS;
    signals.longs(4)[row] = newest.values(USED)[entry] & USED_MASK;
    signals.longs(5)[row] = newest.values(TIME)[entry];
    signals.rows(row + 1);
  }

  private void emit(Emitter<TableBlock> out) {
    if (signals.rows() > 0) {
      out.emit(signals);
      signals = new TableBlock(QuotaRecords.SIGNALS, 16);
    }
  }

  /** Removes entries whose time, the first value, is a window ago: they affect no later signal. */
  private void sweep(KeyTable table, long micros) {
    for (int entry = table.size() - 1; entry >= 0; entry--) {
      if (micros - table.values(0)[entry] >= window) {
        table.remove(entry);
      }
    }
  }

  @Override
  public StateSnapshot snapshot() {
    return StateSnapshot.of(waiting.snapshot(), newest.snapshot(), signalled.snapshot())
        .withHeader(HEAD.bits());
  }

  @Override
  public void restore(int group, BlockInput in) {
    HEAD.take(in);
    waiting.restore(in);
    newest.restore(in);
    signalled.restore(in);
  }

  @Override
  public long incrementalFrom() {
    return 64L << 20;
  }
}

package io.millrace.analytics.gateway;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.ClockedAnalyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.block.Texts;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import java.util.List;

/**
 * Computes bytes sent, bytes received and covered seconds by gateway and day, from records that
 * arrive in any order and possibly more than once.
 *
 * <p>The records of a gateway in one form are a series. Each record covers the time since its
 * predecessor, with bytes computed by {@link Amounts}; both are divided in proportion at midnight.
 * A late record is inserted between its neighbours: the contribution of its successor is
 * subtracted, and those of both are added. So totals do not depend on the order, as long as a
 * record arrives before its neighbours are evicted. The newest {@link
 * GatewayDaysConfig#lateRecords} of a series are kept. A record older than all of these, or older
 * than the newest by more than {@link GatewayDaysConfig#allowedLateness}, is dropped and counted;
 * duplicates are counted once. Results depend only on the order of records within each gateway, so
 * a replay gives equal results.
 *
 * <p>Emits rows of {@link #DAYS}, the current totals, when the clock {@linkplain ClockedAnalyzer
 * ticks}; to {@link #ALERT_ROWS}, alerts at once; and to {@link #VALUE_ROWS}, the bytes of each
 * series by arrival interval, for {@link IntervalStatistics}.
 */
public final class GatewayDays
    implements KeyedAnalyzer<TableBlock, TableBlock>, ClockedAnalyzer<TableBlock> {
  /** Totals of a gateway's day; a later row of the same day and gateway replaces it. */
  public static final TableSchema DAYS = Days.SCHEMA;

  /** Bytes of one series in an interval: the interval's start, and the bytes. */
  public static final TableSchema VALUES =
      TableSchema.builder().time("interval_start").number("bytes").build();

  /** The output of {@link #VALUES}. */
  public static final Output<TableBlock> VALUE_ROWS = Output.ofTable("values");

  /** Unusual hours of gateways. */
  public static final TableSchema ALERTS =
      TableSchema.builder()
          .time("hour")
          .text("gateway")
          .text("form")
          .number("bytes")
          .number("usual_bytes")
          .fraction("z")
          .build();

  /** The output of {@link #ALERTS}. */
  public static final Output<TableBlock> ALERT_ROWS = Output.ofTable("alerts");

  /** Keys of records, which are blocks of {@link GatewayRecords#SCHEMA} with their place. */
  public static final RowKeys<TableBlock> KEYS = GatewayKey.ROWS;

  private static final long MICROS = 1_000;
  private static final long INCREMENTAL_BYTES = 16 << 20;

  private final GatewayDaysConfig config;
  private final DayClock clock;
  private final Amounts amounts;
  private final long lateMillis;
  private final long gapMillis;
  private final long aheadMillis;
  private final long intervalMicros;
  private final ArrivalIntervals intervals;
  private final GatewayKey key = new GatewayKey();

  private GatewayState state;
  private Series series;
  private Days days;
  private LongIds ids;
  private HourAlerts alerts;
  private long arrivalDay;

  private AnalyzerContext.Counter records;
  private AnalyzerContext.Counter late;
  private AnalyzerContext.Counter dropped;
  private AnalyzerContext.Counter doubled;
  private AnalyzerContext.Counter full;
  private long countedFull; // number of these already added to the counter

  private int hash;

  private long first;
  private long gateway;
  private int form;
  private long millis;
  private long sent;
  private long received;

  private long carried;

  /** An unopened analyzer. */
  public GatewayDays(GatewayDaysConfig config) {
    this.config = config;
    clock = new DayClock(config.zone());
    amounts = new Amounts(config.wrapAt());
    lateMillis = config.allowedLateness().toMillis();
    gapMillis = config.maxGap().toMillis();
    aheadMillis = config.maxAhead().toMillis();
    intervalMicros = config.interval().toMillis() * MICROS;
    intervals = new ArrivalIntervals(intervalMicros);
  }

  @Override
  public List<Output<?>> outputs() {
    return List.of(VALUE_ROWS, ALERT_ROWS);
  }

  @Override
  public void open(AnalyzerContext context) {
    state = new GatewayState(context.keyGroups(), config);
    series = state.series();
    days = state.days();
    ids = state.ids();
    records = context.counter("records");
    late = context.counter("lateRecords");
    dropped = context.counter("droppedRecords");
    doubled = context.counter("doubledRecords");
    full = context.counter("fullTotals");
    intervals.bind(series);
    alerts = new HourAlerts(config.alertAbove(), state.usual(), ids, context.counter("alerts"));
  }

  @Override
  public void process(TableBlock block, Emitter<TableBlock> out) {
    settleRestored();
    Texts texts = block.texts(GatewayRecords.ID);
    byte[] bytes = texts.bytes();
    long[] time = block.longs(GatewayRecords.TIME);
    long[] tx = block.longs(GatewayRecords.TX);
    long[] rx = block.longs(GatewayRecords.RX);
    long[] forms = block.longs(GatewayRecords.FORM);
    long[] arrivals = block.longs(GatewayRecords.ARRIVAL);
    long arrivalMicros = Long.MIN_VALUE;
    long arrival = 0;
    long interval = 0;
    long today = 0;
    int rows = block.rows();
    for (int row = 0; row < rows; row++) {
      if (arrivals[row] != arrivalMicros) {
        arrivalMicros = arrivals[row];
        arrival = arrivalMicros / MICROS;
        interval = Math.floorDiv(arrivalMicros, intervalMicros);
        today = Math.floorDiv(arrival, DayClock.DAY_MILLIS);
        arrivalDay = Math.max(arrivalDay, today);
      }
      int start = texts.start(row);
      int length = texts.length(row);
      key.of(bytes, start, length);
      hash = key.hash();
      first = key.first();
      gateway = key.second();
      form = (int) forms[row];
      millis = time[row] / MICROS;
      sent = tx[row];
      received = rx[row];
      carried = 0;
      int entry = series.find(hash, first, GatewayKey.withForm(gateway, form));
      if (millis > arrival + aheadMillis) {
        keepId(bytes, start, length);
        drop(days.entry(0, hash, first, gateway, clock.dayOf(millis)));
      } else if (entry < 0) {
        keepId(bytes, start, length);
        entry = begin(today);
        if (entry >= 0) {
          intervals.count(entry, interval, carried, out);
        }
      } else {
        long newest = series.time(entry, 0);
        if (millis > newest) {
          follow(entry, newest, today, out);
          intervals.count(entry, interval, carried, out);
        } else if (millis == newest) {
          repeat(entry);
        } else {
          place(entry, newest);
          intervals.count(entry, interval, carried, out);
        }
      }
    }
    intervals.give(out); // they have been removed from the state
    records.add(rows);
    if (days.full() > countedFull) {
      full.add(days.full() - countedFull);
      countedFull = days.full();
    }
  }

  private void keepId(byte[] bytes, int start, int length) {
    if (key.isLong()) {
      ids.put(hash, first, gateway, bytes, start, length);
    }
  }

  private int day(int entry, long day) {
    int found = days.entry(series.dayEntry[entry], hash, first, gateway, day);
    series.dayEntry[entry] = found;
    return found;
  }

  private void drop(int day) {
    days.add(day, Days.DROPPED, 1);
    dropped.add(1);
  }

  /** Adds the first record of a series and returns the series; −1 if the record is late. */
  private int begin(long today) {
    int other = tooLateFor();
    if (other >= 0) {
      drop(day(other, clock.dayOf(series.time(other, 0))));
      return -1;
    }
    int entry = series.make(hash, first, GatewayKey.withForm(gateway, form));
    series.push(entry, today, millis, sent, received);
    amounts.alone(form, sent, received);
    long day = clock.dayOf(millis);
    days.add(day(entry, day), amounts.tx, amounts.rx, 0);
    series.hour[entry] = day * HourAlerts.HOURS + clock.hourOf(day, millis);
    carried = amounts.both();
    series.hourBytes[entry] = carried;
    return entry;
  }

  /** Another series of the gateway for which this record is too late; −1 if there is none. */
  private int tooLateFor() {
    for (GatewayForm each : GatewayForm.ALL) {
      int other = series.find(hash, first, GatewayKey.withForm(gateway, each.code()));
      if (other >= 0 && isTooLate(other, series.time(other, 0))) {
        return other;
      }
    }
    return -1;
  }

  private boolean isTooLate(int entry, long newest) {
    return millis < newest - lateMillis || (series.isFull(entry) && millis < series.oldest(entry));
  }

  private void follow(int entry, long newest, long today, Emitter<TableBlock> out) {
    long gap = millis - newest;
    long day = clock.dayOf(millis);
    turnHour(entry, day, out);
    if (gap > gapMillis) {
      amounts.alone(form, sent, received);
      days.add(day(entry, day), amounts.tx, amounts.rx, 0);
    } else {
      amounts.between(form, gap, series.tx(entry, 0), series.rx(entry, 0), sent, received);
      if (newest >= clock.startOf(day)) {
        days.add(day(entry, day), amounts.tx, amounts.rx, gap);
      } else {
        prorate(entry, 1, newest, millis);
        days.add(day(entry, day), Days.RECORDS, 1);
      }
    }
    carried = amounts.both();
    series.hourBytes[entry] = Volumes.plus(series.hourBytes[entry], carried);
    long leaving = series.isFull(entry) ? series.oldest(entry) : Long.MAX_VALUE;
    series.push(entry, today, millis, sent, received);
    settle(entry, leaving);
  }

  private void prorate(int entry, int sign, long from, long to) {
    long gap = to - from;
    long txBefore = 0;
    long rxBefore = 0;
    long last = clock.dayOf(to);
    for (long day = clock.dayOf(from); day <= last; day++) {
      long start = Math.max(from, clock.startOf(day));
      long end = Math.min(to, clock.startOf(day + 1));
      long txUntil = Amounts.part(amounts.tx, end - from, gap);
      long rxUntil = Amounts.part(amounts.rx, end - from, gap);
      int row = day(entry, day);
      days.add(row, Days.TX, sign * (txUntil - txBefore));
      days.add(row, Days.RX, sign * (rxUntil - rxBefore));
      days.add(row, Days.MILLIS, sign * (end - start));
      txBefore = txUntil;
      rxBefore = rxUntil;
    }
  }

  /** Handles a record with the same time as another one: the first one is kept. */
  private void repeat(int entry) {
    days.add(day(entry, clock.dayOf(millis)), Days.DOUBLED, 1);
    doubled.add(1);
  }

  private void place(int entry, long newest) {
    boolean dropsAll = config.dropLate() && form != GatewayForm.COUNTER.code();
    if (dropsAll || isTooLate(entry, newest)) {
      drop(day(entry, clock.dayOf(newest)));
      return;
    }
    int count = series.count(entry);
    int place = 1;
    while (place < count && series.time(entry, place) > millis) {
      place++;
    }
    if (place < count && series.time(entry, place) == millis) {
      repeat(entry);
      return;
    }
    long next = series.time(entry, place - 1);
    long nextTx = series.tx(entry, place - 1);
    long nextRx = series.rx(entry, place - 1);
    if (place < count) {
      long before = series.time(entry, place);
      long beforeTx = series.tx(entry, place);
      long beforeRx = series.rx(entry, place);
      apply(entry, -1, before, beforeTx, beforeRx, next, nextTx, nextRx);
      apply(entry, 1, before, beforeTx, beforeRx, millis, sent, received);
    } else {
      alone(entry, -1, next, nextTx, nextRx);
      alone(entry, 1, millis, sent, received);
    }
    apply(entry, 1, millis, sent, received, next, nextTx, nextRx);
    series.hourBytes[entry] = Volumes.plus(series.hourBytes[entry], carried);
    int row = day(entry, clock.dayOf(millis));
    days.add(row, Days.RECORDS, 1);
    days.add(row, Days.LATE, 1);
    late.add(1);
    long leaving = series.isFull(entry) ? series.oldest(entry) : Long.MAX_VALUE;
    series.insert(entry, place, millis, sent, received);
    settle(entry, leaving);
  }

  private void apply(
      int entry, int sign, long from, long fromTx, long fromRx, long to, long toTx, long toRx) {
    if (to - from > gapMillis) {
      alone(entry, sign, to, toTx, toRx);
      return;
    }
    amounts.between(form, to - from, fromTx, fromRx, toTx, toRx);
    prorate(entry, sign, from, to);
    carried = Volumes.plus(carried, sign * amounts.both());
  }

  private void alone(int entry, int sign, long at, long tx, long rx) {
    amounts.alone(form, tx, rx);
    int row = day(entry, clock.dayOf(at));
    days.add(row, Days.TX, sign * amounts.tx);
    days.add(row, Days.RX, sign * amounts.rx);
    carried = Volumes.plus(carried, sign * amounts.both());
  }

  private void settle(int entry, long leaving) {
    if (leaving == Long.MAX_VALUE) {
      return;
    }
    long until = clock.dayOf(series.oldest(entry));
    for (long day = clock.dayOf(leaving); day < until; day++) {
      if (hasLeft(day)) {
        days.settle(hash, first, gateway, day);
      }
    }
  }

  private boolean hasLeft(long day) {
    for (GatewayForm each : GatewayForm.ALL) {
      int other = series.find(hash, first, GatewayKey.withForm(gateway, each.code()));
      if (other >= 0 && (!series.isFull(other) || clock.dayOf(series.oldest(other)) <= day)) {
        return false;
      }
    }
    return true;
  }

  private void turnHour(int entry, long day, Emitter<TableBlock> out) {
    long hour = day * HourAlerts.HOURS + clock.hourOf(day, millis);
    if (hour > series.hour[entry]) {
      alerts.close(series, entry, out);
      series.hour[entry] = hour;
      series.hourBytes[entry] = 0;
    }
  }

  @Override
  public long tickMicros() {
    return intervalMicros;
  }

  @Override
  public void tick(long micros, Emitter<TableBlock> out) {
    settleRestored();
    days.write(ids, out::emit);
  }

  /** Emits completed arrival intervals; once a day, removes idle gateways. */
  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    settleRestored();
    intervals.close(micros, out);
    if (micros == Long.MAX_VALUE) {
      days.write(ids, out::emit);
      state.clear();
    } else if (state.forget(arrivalDay)) {
      intervals.bind(series);
    }
  }

  private void settleRestored() {
    if (state.settleRestored()) {
      series = state.series();
      intervals.bind(series);
    }
  }

  @Override
  public StateSnapshot snapshot() {
    settleRestored();
    return state.snapshot();
  }

  @Override
  public void restore(int group, BlockInput in) {
    state.restore(in);
  }

  @Override
  public long incrementalFrom() {
    return INCREMENTAL_BYTES;
  }
}

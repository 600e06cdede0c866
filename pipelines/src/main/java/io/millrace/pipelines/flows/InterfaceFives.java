package io.millrace.pipelines.flows;

import io.millrace.analytics.Output;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.KeyHash;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.time.Duration;
import java.util.List;

/**
 * Five-minute values of interface counters, for months: the table {@code interface_counters_five}
 * has the first octet counters of each interface in each five-minute interval, the view {@code
 * interface_fives} the rates between them, the view {@code interface_months} the monthly 95th
 * percentiles of these rates.
 *
 * <p>Counters of one interface reach several subtasks, and each stores the first that it sees, so
 * an interval may have several rows; the views use the earliest. The memory of a subtask is
 * bounded; an evicted interface gets an extra row. Not thread-safe.
 */
final class InterfaceFives {
  static final Output<TableBlock> ROWS = Output.ofTable("interface-fives");

  static final String RATES = "interface_fives";

  static final String MONTHS = "interface_months";

  private static final TableSchema SCHEMA =
      TableSchema.builder()
          .time("time")
          .address("exporter")
          .address("agent")
          .number("sub_agent")
          .number("interface")
          .number("speed")
          .number("in_octets")
          .number("out_octets")
          .build();

  /** 13 months and some days; a thousand ports take less than the limit. */
  private static final ResultRetention RETENTION =
      new ResultRetention(Duration.ofDays(400), 8L << 30);

  static final ResultSpec TABLE =
      new ResultSpec("interface_counters_five", SCHEMA, List.of(), RETENTION);

  private static final long FIVE_MINUTES = 300_000_000;

  /** Maximum time between the two rows of a five-minute value. */
  private static final int MAX_SECONDS = 900;

  /** A rate above this multiple of the speed is a counter discontinuity, not traffic. */
  private static final int MAX_SPEEDS = 2;

  private static final int REMEMBERED = 1 << 14;

  private final long[] interfaces = new long[REMEMBERED];
  private final long[] fives = new long[REMEMBERED];

  /** The first row of each interface in a five-minute interval; null if there are none. */
  TableBlock rows(CounterBlock counters) {
    TableBlock table = null;
    long[] times = counters.longs(CounterColumn.TIME);
    for (int row = 0; row < counters.rows(); row++) {
      if (!isFirst(interfaceOf(counters, row), Math.floorDiv(times[row], FIVE_MINUTES))) {
        continue;
      }
      if (table == null) {
        table = new TableBlock(SCHEMA, counters.rows() - row);
      }
      add(counters, row, table);
    }
    return table;
  }

  private boolean isFirst(long its, long five) {
    int place = (int) its & (REMEMBERED - 1);
    if (interfaces[place] == its && fives[place] == five) {
      return false;
    }
    interfaces[place] = its;
    fives[place] = five;
    return true;
  }

  private static long interfaceOf(CounterBlock counters, int row) {
    long hash =
        KeyHash.of(
            counters.addressHigh(CounterColumn.EXPORTER)[row],
            counters.addressLow(CounterColumn.EXPORTER)[row]);
    hash = KeyHash.with(hash, counters.addressHigh(CounterColumn.AGENT)[row]);
    hash = KeyHash.with(hash, counters.addressLow(CounterColumn.AGENT)[row]);
    hash = KeyHash.with(hash, counters.ints(CounterColumn.SUB_AGENT)[row]);
    return KeyHash.with(hash, counters.ints(CounterColumn.IF_INDEX)[row]);
  }

  private static void add(CounterBlock counters, int row, TableBlock table) {
    int to = table.rows();
    table.longs(0)[to] = counters.longs(CounterColumn.TIME)[row];
    table.addressHigh(1)[to] = counters.addressHigh(CounterColumn.EXPORTER)[row];
    table.addressLow(1)[to] = counters.addressLow(CounterColumn.EXPORTER)[row];
    table.addressHigh(2)[to] = counters.addressHigh(CounterColumn.AGENT)[row];
    table.addressLow(2)[to] = counters.addressLow(CounterColumn.AGENT)[row];
    table.longs(3)[to] = number(counters.ints(CounterColumn.SUB_AGENT)[row]);
    table.longs(4)[to] = number(counters.ints(CounterColumn.IF_INDEX)[row]);
    table.longs(5)[to] = counter(counters.longs(CounterColumn.IF_SPEED)[row]);
    table.longs(6)[to] = counter(counters.longs(CounterColumn.IN_OCTETS)[row]);
    table.longs(7)[to] = counter(counters.longs(CounterColumn.OUT_OCTETS)[row]);
    table.rows(to + 1);
  }

  private static long number(int value) {
    return value == FlowBlock.NULL ? TableBlock.NULL : Integer.toUnsignedLong(value);
  }

  private static long counter(long value) {
    return value < 0 ? TableBlock.NULL : value;
  }

  static String rates() {
    return rates("");
  }

  static String rates(String where) {
    return """
        SELECT five AS time, exporter, "interface", max(speed) AS speed,
          max(8 * in_bytes / seconds) AS in_bits, max(8 * out_bytes / seconds) AS out_bits
        FROM (SELECT *, lag(own_five) OVER counted AS five, (micros - lag(micros) OVER counted) / 1e6 AS seconds,
            in_octets::HUGEINT - lag(in_octets) OVER counted AS in_bytes,
            out_octets::HUGEINT - lag(out_octets) OVER counted AS out_bytes
          FROM (SELECT time_bucket(INTERVAL 5 MINUTE, time) AS own_five, exporter, agent, sub_agent, "interface",
              min(epoch_us(time)) AS micros, arg_min(speed, time) AS speed,
              arg_min(in_octets, time) AS in_octets, arg_min(out_octets, time) AS out_octets
            FROM %s %s GROUP BY ALL)
          WINDOW counted AS (PARTITION BY exporter, agent, sub_agent, "interface" ORDER BY micros))
        WHERE seconds > 0 AND seconds <= %d AND in_bytes >= 0 AND out_bytes >= 0
          AND (coalesce(speed, 0) = 0 OR 8 * greatest(in_bytes, out_bytes) / seconds <= %d * speed)
        GROUP BY ALL
        """
        .formatted(TABLE.name(), where, MAX_SECONDS, MAX_SPEEDS);
  }

  static String months() {
    return percentiles("date_trunc('month', time)::DATE AS month", "(" + rates() + ")");
  }

  /** Query of 95th percentiles: the largest value after dropping the largest 5% (rounded down). */
  static String percentiles(String period, String rates) {
    String group = period.replaceFirst("^.* AS ", "");
    return """
        SELECT %1$s, exporter, "interface", max(speed) AS speed, count(*) AS fives,
          max(in_bits) FILTER (WHERE in_rank > all_fives // 20) AS in_p95,
          max(out_bits) FILTER (WHERE out_rank > all_fives // 20) AS out_p95
        FROM (SELECT *, count(*) OVER port AS all_fives,
            row_number() OVER (PARTITION BY %1$s, exporter, "interface" ORDER BY in_bits DESC) AS in_rank,
            row_number() OVER (PARTITION BY %1$s, exporter, "interface" ORDER BY out_bits DESC) AS out_rank
          FROM (SELECT %2$s, exporter, "interface", speed, in_bits, out_bits FROM %3$s)
          WINDOW port AS (PARTITION BY %1$s, exporter, "interface"))
        GROUP BY ALL
        """
        .formatted(group, period, rates);
  }
}

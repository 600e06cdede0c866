package io.millrace.pipelines.flows;

import io.millrace.analytics.Output;
import io.millrace.store.ResultRetention;
import io.millrace.store.ResultSpec;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.time.Duration;
import java.util.List;

/**
 * Interface counters of devices, from sFlow: the table {@code interface_counters} has their values,
 * the view {@code interface_rates} the rates between consecutive rows.
 *
 * <p>Counters that a device does not support are null. Packets are the sum of unicast, multicast
 * and broadcast packets, modulo 2³² like the counters.
 */
final class InterfaceCounters {
  static final Output<TableBlock> ROWS = Output.ofTable("interface-counters");

  private static final TableSchema SCHEMA =
      TableSchema.builder()
          .time("time")
          .address("exporter")
          .address("agent")
          .number("sub_agent")
          .number("interface")
          .number("speed")
          .number("status")
          .number("in_octets")
          .number("in_packets")
          .number("in_errors")
          .number("in_discards")
          .number("out_octets")
          .number("out_packets")
          .number("out_errors")
          .number("out_discards")
          .build();

  /** Holds a month of a chassis with a thousand ports, and no sender can fill the disk. */
  private static final ResultRetention RETENTION =
      new ResultRetention(Duration.ofDays(31), 2L << 30);

  static final ResultSpec TABLE =
      new ResultSpec("interface_counters", SCHEMA, List.of(), RETENTION);

  static final String RATES = "interface_rates";

  private static final long WRAP = 1L << 32;

  private InterfaceCounters() {}

  /**
   * Query of the rates. The first row has none, nor a row after a restart of the device, where
   * octets decrease.
   */
  static String rates() {
    return rates(TABLE.name());
  }

  static String rates(String counters) {
    return """
        SELECT time, exporter, agent, sub_agent, "interface", speed, seconds,
          8 * in_bytes / seconds AS in_bits, 8 * out_bytes / seconds AS out_bits,
          100 * 8 * in_bytes / seconds / nullif(speed, 0) AS in_percent,
          100 * 8 * out_bytes / seconds / nullif(speed, 0) AS out_percent,
          %s, %s, %s, %s, %s, %s
        FROM (SELECT *, (epoch_us(time) - epoch_us(lag(time) OVER counted)) / 1e6 AS seconds,
            in_octets::HUGEINT - lag(in_octets) OVER counted AS in_bytes,
            out_octets::HUGEINT - lag(out_octets) OVER counted AS out_bytes,
            %s, %s, %s, %s, %s, %s
          FROM %s
          WINDOW counted AS (PARTITION BY exporter, agent, sub_agent, "interface" ORDER BY time))
        WHERE seconds > 0 AND in_bytes >= 0 AND out_bytes >= 0
        """
        .formatted(
            rate("in_packets"),
            rate("in_errors"),
            rate("in_discards"),
            rate("out_packets"),
            rate("out_errors"),
            rate("out_discards"),
            more("in_packets"),
            more("in_errors"),
            more("in_discards"),
            more("out_packets"),
            more("out_errors"),
            more("out_discards"),
            counters);
  }

  private static String rate(String column) {
    return "more_%1$s / seconds AS %1$s".formatted(column);
  }

  private static String more(String column) {
    return "(%1$s - lag(%1$s) OVER counted + %2$d) %% %2$d AS more_%1$s".formatted(column, WRAP);
  }

  static TableBlock rows(CounterBlock counters) {
    int rows = counters.rows();
    TableBlock table = new TableBlock(SCHEMA, rows);
    copy(counters, CounterColumn.TIME, table, "time");
    address(counters, CounterColumn.EXPORTER, table, "exporter");
    address(counters, CounterColumn.AGENT, table, "agent");
    copy(counters, CounterColumn.SUB_AGENT, table, "sub_agent");
    copy(counters, CounterColumn.IF_INDEX, table, "interface");
    copy(counters, CounterColumn.IF_SPEED, table, "speed");
    copy(counters, CounterColumn.IF_STATUS, table, "status");
    copy(counters, CounterColumn.IN_OCTETS, table, "in_octets");
    copy(counters, CounterColumn.IN_ERRORS, table, "in_errors");
    copy(counters, CounterColumn.IN_DISCARDS, table, "in_discards");
    copy(counters, CounterColumn.OUT_OCTETS, table, "out_octets");
    copy(counters, CounterColumn.OUT_ERRORS, table, "out_errors");
    copy(counters, CounterColumn.OUT_DISCARDS, table, "out_discards");
    sum(
        counters,
        List.of(CounterColumn.IN_UNICAST, CounterColumn.IN_MULTICAST, CounterColumn.IN_BROADCAST),
        table,
        "in_packets");
    sum(
        counters,
        List.of(
            CounterColumn.OUT_UNICAST, CounterColumn.OUT_MULTICAST, CounterColumn.OUT_BROADCAST),
        table,
        "out_packets");
    table.rows(rows);
    return table;
  }

  private static void copy(CounterBlock from, CounterColumn column, TableBlock to, String name) {
    long[] values = to.longs(SCHEMA.indexOf(name));
    for (int row = 0; row < from.rows(); row++) {
      values[row] = value(from, column, row);
    }
  }

  /**
   * Value of a counter; {@link TableBlock#NULL} if not supported, or 2⁶³ or more, which is always
   * wrong.
   */
  private static long value(CounterBlock from, CounterColumn column, int row) {
    if (column.type().isInt()) {
      int value = from.ints(column)[row];
      return value == FlowBlock.NULL ? TableBlock.NULL : Integer.toUnsignedLong(value);
    }
    long value = from.longs(column)[row];
    return value < 0 ? TableBlock.NULL : value;
  }

  private static void sum(
      CounterBlock from, List<CounterColumn> columns, TableBlock to, String name) {
    long[] values = to.longs(SCHEMA.indexOf(name));
    for (int row = 0; row < from.rows(); row++) {
      long sum = 0;
      boolean isKept = false;
      for (CounterColumn column : columns) {
        long value = value(from, column, row);
        isKept |= value != TableBlock.NULL;
        sum += value == TableBlock.NULL ? 0 : value;
      }
      values[row] = isKept ? sum % WRAP : TableBlock.NULL;
    }
  }

  private static void address(CounterBlock from, CounterColumn column, TableBlock to, String name) {
    int place = SCHEMA.indexOf(name);
    System.arraycopy(from.addressHigh(column), 0, to.addressHigh(place), 0, from.rows());
    System.arraycopy(from.addressLow(column), 0, to.addressLow(place), 0, from.rows());
  }
}

package io.millrace.store.duckdb.rollup;

import io.millrace.store.Flows;
import io.millrace.store.rollup.Grain;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Sums rows one by one, for comparison. */
public final class RollupModel {
  public static final long NULL = FlowBlock.NULL;
  private static final long MINUTE = Grain.MINUTE.micros();

  /** A row; times in microseconds, {@link #NULL} for none. */
  public record Row(
      int partition,
      long offset,
      long time,
      int port,
      int inIf,
      long packets,
      long bytes,
      int rate,
      long start,
      long end) {

    List<Object> group(List<String> columns) {
      return columns.stream()
          .map(
              column ->
                  (Object)
                      switch (column) {
                        case "dst_port" -> port == FlowBlock.NULL ? "null" : "" + port;
                        case "in_if" -> inIf == FlowBlock.NULL ? "null" : "" + inIf;
                        case "proto" -> "6";
                        default -> "null";
                      })
          .toList();
    }

    BigInteger[] counts() {
      BigInteger scale = BigInteger.valueOf(rate == FlowBlock.NULL ? 1 : rate);
      BigInteger p = BigInteger.valueOf(packets);
      BigInteger b = BigInteger.valueOf(bytes);
      return new BigInteger[] {BigInteger.ONE, p, b, p.multiply(scale), b.multiply(scale)};
    }
  }

  private RollupModel() {}

  /** F(to) − F(from), by definition. */
  private static BigInteger part(BigInteger x, long s, long e, long from, long to) {
    return upTo(x, s, e, to).subtract(upTo(x, s, e, from));
  }

  private static BigInteger upTo(BigInteger x, long s, long e, long t) {
    if (t <= s) {
      return BigInteger.ZERO;
    }
    if (t >= e) {
      return x;
    }
    return x.multiply(BigInteger.valueOf(t - s)).divide(BigInteger.valueOf(e - s));
  }

  /** Sums by bucket and group from the first whole bucket after a time on, as views return them. */
  public static List<String> sums(
      List<Row> rows,
      List<String> columns,
      Grain grain,
      long from,
      boolean isSpread,
      long longestFlow,
      long longestDelay) {
    Map<String, BigInteger[]> sums = new TreeMap<>();
    for (Row row : rows) {
      long e = row.time;
      if (isSpread
          && row.end != NULL
          && row.end <= row.time
          && row.end >= row.time - longestDelay) {
        e = row.end;
      }
      boolean hasDuration = row.end != NULL && row.start != NULL && row.start <= row.end;
      long s = e - (isSpread && hasDuration ? Math.min(row.end - row.start, longestFlow) : 0);
      for (long minute = s - s % MINUTE; minute <= e; minute += MINUTE) {
        BigInteger[] counts = row.counts();
        for (int i = 0; i < counts.length; i++) {
          counts[i] = part(counts[i], s, e, minute, minute + MINUTE);
        }
        if (grain.bucket(minute) >= from) {
          add(sums, grain.bucket(minute) + "|" + row.group(columns), counts);
        }
      }
    }
    List<String> lines = new ArrayList<>();
    sums.forEach(
        (group, counts) -> {
          if (Arrays.stream(counts).anyMatch(count -> count.signum() != 0)) {
            lines.add(group + "|" + Arrays.toString(counts));
          }
        });
    return lines;
  }

  private static void add(Map<String, BigInteger[]> sums, String group, BigInteger[] counts) {
    BigInteger[] sum =
        sums.computeIfAbsent(
            group,
            g -> {
              BigInteger[] zeros = new BigInteger[counts.length];
              Arrays.fill(zeros, BigInteger.ZERO);
              return zeros;
            });
    for (int i = 0; i < counts.length; i++) {
      sum[i] = sum[i].add(counts[i]);
    }
  }

  /** Random rows of one log value that arrive about a time: packets, or records of flows. */
  public static List<Row> rows(
      Random random, int partition, long offset, long about, boolean isRecords) {
    List<Row> rows = new ArrayList<>();
    for (int n = 1 + random.nextInt(8); n > 0; n--) {
      long time =
          about
              - (random.nextInt(8) == 0
                  ? random.nextLong(5_400_000_000L)
                  : random.nextInt(2_000_000));
      long end = NULL;
      long start = NULL;
      if (isRecords) {
        end =
            switch (random.nextInt(6)) {
              case 0 -> NULL;
              case 1 -> time + random.nextInt(10_000_000); // the exporter's clock is ahead
              case 2 -> time - random.nextLong(9_000_000_000L); // or far in the past
              default -> time - random.nextInt(90_000_000);
            };
        long known = end == NULL ? time : end;
        start =
            switch (random.nextInt(6)) {
              case 0 -> NULL;
              case 1 -> known;
              case 2 -> known + random.nextInt(1_000_000);
              case 3 -> known - random.nextLong(7_200_000_000L);
              default -> known - random.nextInt(400_000_000);
            };
        if (random.nextInt(8) == 0) {
          start = start == NULL ? NULL : start - start % MINUTE;
          end = end == NULL ? NULL : end - end % MINUTE;
        }
      }
      rows.add(
          new Row(
              partition,
              offset,
              time,
              random.nextInt(4) == 0 ? FlowBlock.NULL : random.nextInt(3),
              random.nextInt(4) == 0 ? FlowBlock.NULL : random.nextInt(3),
              random.nextInt(1_000),
              random.nextInt(1_000_000),
              random.nextInt(3) == 0 ? FlowBlock.NULL : random.nextInt(5_000),
              start,
              end));
    }
    return rows;
  }

  /** Block of these rows. */
  public static FlowBlock block(List<Row> rows) {
    FlowBlock block = Flows.bare(rows.size(), rows.get(0).partition, rows.get(0).offset);
    boolean isRecords = rows.stream().anyMatch(row -> row.start != NULL || row.end != NULL);
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      block.longs(FlowColumn.TIME)[i] = row.time;
      block.ints(FlowColumn.DST_PORT)[i] = row.port;
      block.ints(FlowColumn.IN_IF)[i] = row.inIf;
      block.longs(FlowColumn.PACKETS)[i] = row.packets;
      block.longs(FlowColumn.BYTES)[i] = row.bytes;
      block.ints(FlowColumn.SAMPLING_RATE)[i] = row.rate;
      if (isRecords) {
        block.longs(FlowColumn.FLOW_START)[i] = row.start;
        block.longs(FlowColumn.FLOW_END)[i] = row.end;
      }
    }
    return block;
  }
}

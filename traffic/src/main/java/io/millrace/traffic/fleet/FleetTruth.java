package io.millrace.traffic.fleet;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Expected totals by gateway and day of the stream job, computed from all records in memory,
 * without sharing code with the job.
 *
 * <p>The rules: a record is counted once, by its gateway and time. The bytes between successive
 * records are a counter's value, a rate times the interval, or the difference of running values. If
 * one of the two decreases, it has wrapped if the distance across the wrap is at most half the
 * range; if both decrease, or the distance is longer, the gateway has restarted, and both values
 * are its counts since. An interval across midnight is divided proportionally, in whole bytes; a
 * longer interval than allowed is ignored, except for the bytes of a counter.
 */
public final class FleetTruth {
  /**
   * Totals of a gateway and day.
   *
   * @param tx bytes sent
   * @param rx bytes received
   * @param millis covered by intervals
   * @param records number of counted records
   */
  public record Total(BigInteger tx, BigInteger rx, long millis, long records) {
    private static final Total NOTHING = new Total(BigInteger.ZERO, BigInteger.ZERO, 0, 0);

    private Total plus(Total more) {
      return new Total(
          tx.add(more.tx), rx.add(more.rx), millis + more.millis, records + more.records);
    }
  }

  private record Values(GatewayForm form, long tx, long rx) {}

  private final ZoneId zone;
  private final long wrapAt;
  private final Duration maxGap;
  private final Map<String, TreeMap<Long, Values>> gateways = new HashMap<>();

  /**
   * @param zone whose midnights divide the days
   * @param wrapAt value at which running values wrap
   * @param maxGap maximum counted interval
   */
  public FleetTruth(ZoneId zone, long wrapAt, Duration maxGap) {
    this.zone = zone;
    this.wrapAt = wrapAt;
    this.maxGap = maxGap;
  }

  /** Adds records, in any order and any number of times. A gateway has only one form. */
  public void add(TableBlock block) {
    for (int row = 0; row < block.rows(); row++) {
      gateways
          .computeIfAbsent(block.texts(GatewayRecords.ID).get(row), none -> new TreeMap<>())
          .putIfAbsent(
              block.longs(GatewayRecords.TIME)[row] / 1_000,
              new Values(
                  GatewayForm.of((int) block.longs(GatewayRecords.FORM)[row]),
                  block.longs(GatewayRecords.TX)[row],
                  block.longs(GatewayRecords.RX)[row]));
    }
  }

  /** Totals by day and gateway, separated by a blank: {@code 2026-03-01 gw-0000017}. */
  public Map<String, Total> totals() {
    Map<String, Total> totals = new TreeMap<>();
    gateways.forEach((gateway, records) -> addUp(gateway, records, totals));
    return totals;
  }

  private void addUp(String gateway, Map<Long, Values> records, Map<String, Total> totals) {
    long before = Long.MIN_VALUE;
    Values last = null;
    for (Map.Entry<Long, Values> entry : records.entrySet()) {
      long now = entry.getKey();
      Values values = entry.getValue();
      put(totals, now, gateway, new Total(BigInteger.ZERO, BigInteger.ZERO, 0, 1));
      boolean isCounter = values.form() == GatewayForm.COUNTER;
      if (last != null && now - before <= maxGap.toMillis()) {
        BigInteger[] amounts = amounts(last, values, now - before);
        divide(totals, gateway, before, now, amounts[0], amounts[1]);
      } else if (isCounter) {
        put(totals, now, gateway, new Total(big(values.tx()), big(values.rx()), 0, 0));
      }
      before = now;
      last = values;
    }
  }

  private BigInteger[] amounts(Values before, Values now, long gap) {
    BigInteger tx = big(now.tx());
    BigInteger rx = big(now.rx());
    return switch (now.form()) {
      case COUNTER -> new BigInteger[] {tx, rx};
      case RATE ->
          new BigInteger[] {
            tx.multiply(big(gap)).divide(big(1_000)), rx.multiply(big(gap)).divide(big(1_000))
          };
      case CUMULATIVE -> {
        BigInteger moreTx = tx.subtract(big(before.tx()));
        BigInteger moreRx = rx.subtract(big(before.rx()));
        if (hasWrapped(before.tx(), moreTx) && moreRx.signum() >= 0) {
          yield new BigInteger[] {moreTx.add(big(wrapAt)), moreRx};
        }
        if (hasWrapped(before.rx(), moreRx) && moreTx.signum() >= 0) {
          yield new BigInteger[] {moreTx, moreRx.add(big(wrapAt))};
        }
        boolean startedAnew = moreTx.signum() < 0 || moreRx.signum() < 0;
        yield startedAnew ? new BigInteger[] {tx, rx} : new BigInteger[] {moreTx, moreRx};
      }
    };
  }

  private boolean hasWrapped(long before, BigInteger more) {
    BigInteger distance = more.add(big(wrapAt));
    return more.signum() < 0
        && before < wrapAt
        && distance.add(distance).compareTo(big(wrapAt)) <= 0;
  }

  private void divide(
      Map<String, Total> totals, String gateway, long from, long to, BigInteger tx, BigInteger rx) {
    BigInteger gap = big(to - from);
    BigInteger txBefore = BigInteger.ZERO;
    BigInteger rxBefore = BigInteger.ZERO;
    for (long at = from; at < to; ) {
      long midnight = day(at).plusDays(1).atStartOfDay(zone).toInstant().toEpochMilli();
      long end = Math.min(midnight, to);
      BigInteger txThere = tx.multiply(big(end - from)).divide(gap);
      BigInteger rxThere = rx.multiply(big(end - from)).divide(gap);
      put(
          totals,
          at,
          gateway,
          new Total(txThere.subtract(txBefore), rxThere.subtract(rxBefore), end - at, 0));
      txBefore = txThere;
      rxBefore = rxThere;
      at = end;
    }
  }

  private void put(Map<String, Total> totals, long millis, String gateway, Total more) {
    totals.merge(day(millis) + " " + gateway, Total.NOTHING.plus(more), Total::plus);
  }

  private LocalDate day(long millis) {
    return Instant.ofEpochMilli(millis).atZone(zone).toLocalDate();
  }

  private static BigInteger big(long value) {
    return BigInteger.valueOf(value);
  }
}

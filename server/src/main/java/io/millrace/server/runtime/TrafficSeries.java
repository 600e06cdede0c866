package io.millrace.server.runtime;

import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Estimated traffic of the last minutes, by second of arrival at the collector. It sums stored rows
 * by their {@code time}, so delayed rows count in their second, and rows that are stored again
 * count once. The newest seconds are incomplete.
 *
 * <p>Each sample reads the seconds since the last sample, and a few earlier ones, whose rows may
 * have been delayed. Thread-safe.
 */
final class TrafficSeries {
  static final int STEP_MILLIS = 1_000;
  static final int STEPS = 300;

  /** Number of seconds before the last sample that are read again. */
  private static final int LATE_STEPS = 15;

  private static final Duration TIME_LIMIT = Duration.ofSeconds(2);
  private static final int BITS = 8;

  /** Bits by second since the epoch modulo the length; NaN if not read yet. */
  private final double[] bits = new double[STEPS];

  private long newestStep = Long.MIN_VALUE;

  TrafficSeries() {
    Arrays.fill(bits, Double.NaN);
  }

  void sample(Store store, long nowMillis) {
    long now = nowMillis / STEP_MILLIS;
    long from;
    synchronized (this) {
      if (newestStep > now + LATE_STEPS) { // the clock was set back
        newestStep = Long.MIN_VALUE;
        Arrays.fill(bits, Double.NaN);
      }
      from = Math.max(now - STEPS + 1, newestStep == Long.MIN_VALUE ? 0 : newestStep - LATE_STEPS);
    }
    double[] sums = new double[(int) Math.max(0, now - from + 1)];
    String sql =
        ("SELECT epoch_us(time) // 1000000, sum(bytes * greatest(1, coalesce(sampling_rate, 1)))"
                + "::DOUBLE FROM %s WHERE time >= make_timestamp(%d) AND time < make_timestamp(%d)"
                + " GROUP BY 1")
            .formatted(Store.FLOWS, from * 1_000_000, (now + 1) * 1_000_000);
    try (QueryResult rows = store.query(new QueryRequest(sql, TIME_LIMIT, sums.length, true))) {
      while (rows.next()) {
        sums[(int) ((long) rows.value(0) - from)] = (double) rows.value(1) * BITS;
      }
    } catch (QueryException | StoreException e) {
      return; // the store is busy or reopening; the next sample retries
    }
    synchronized (this) {
      for (int i = 0; i < sums.length; i++) {
        bits[(int) ((from + i) % STEPS)] = sums[i];
      }
      newestStep = Math.max(newestStep, now);
    }
  }

  /**
   * Values of the API, oldest first, null if unknown; incomplete from {@code completeMillis} on.
   */
  synchronized Map<String, Object> report(long completeMillis) {
    List<Double> series = new ArrayList<>();
    if (newestStep != Long.MIN_VALUE) {
      for (long step = newestStep - STEPS + 1; step <= newestStep; step++) {
        double value = bits[(int) (step % STEPS)];
        series.add(Double.isNaN(value) ? null : (Double) value);
      }
    }
    long endMillis = (newestStep == Long.MIN_VALUE ? 0 : newestStep + 1) * STEP_MILLIS;
    long open = (Math.max(0, endMillis - completeMillis) + STEP_MILLIS - 1) / STEP_MILLIS;
    Map<String, Object> traffic = new LinkedHashMap<>();
    traffic.put("end_ms", endMillis);
    traffic.put("step_ms", STEP_MILLIS);
    traffic.put("open_steps", Math.min(series.size(), open));
    traffic.put("bits_per_second", series);
    return traffic;
  }
}

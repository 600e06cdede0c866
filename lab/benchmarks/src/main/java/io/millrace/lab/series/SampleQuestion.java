package io.millrace.lab.series;

import io.millrace.lab.topn.WeekOfFlows;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * A query for the total of flows that match a filter in a time window. No rollup has all columns of
 * the filter.
 *
 * @param filter in the filter language and in SQL
 * @param measure measure to sum up
 * @param from start of the window, microseconds since the epoch
 * @param to end of the window, exclusive
 */
record SampleQuestion(String filter, Measure measure, long from, long to) {
  /** Number of queries that one statement computes from the rows. */
  private static final int AT_ONCE = 40;

  /** Returns a random query for 0.1% to 50% of the flows of at least a week. */
  static SampleQuestion random(SplittableRandom random, int days) {
    long length = TimeUnit.DAYS.toMicros(7 + random.nextInt(days - 14));
    long latest = TimeUnit.DAYS.toMicros(days - 7) - length;
    long from = WeekOfFlows.START_MICROS + (latest <= 0 ? 0 : random.nextLong(latest));
    String port = "dst_port < " + (int) Math.pow(60_000, 0.2 + 0.8 * random.nextDouble());
    String other =
        switch (random.nextInt(4)) {
          case 0 -> "in_if = " + random.nextInt(64);
          case 1 -> "src_as < " + (64_512 + 1 + random.nextInt(200));
          case 2 -> "dst_as < " + (64_512 + 1 + random.nextInt(1_000));
          default -> "proto = 17 and out_if < " + (1 + random.nextInt(64));
        };
    return new SampleQuestion(
        port + " and " + other,
        random.nextBoolean() ? Measure.BITS : Measure.PACKETS,
        from,
        from + length);
  }

  /** Returns a query for an address and ports over the whole year. */
  static SampleQuestion ofTheYear() {
    return new SampleQuestion(
        "src_addr = '80.0.0.1' and dst_port < 1024",
        Measure.BITS,
        WeekOfFlows.START_MICROS,
        WeekOfFlows.START_MICROS + TimeUnit.DAYS.toMicros(400));
  }

  FlowQuery request() {
    return FlowQuery.top(
            List.of("proto", "in_if"),
            measure,
            Optional.of(instant(from)),
            Optional.of(instant(to)),
            Optional.empty(),
            10,
            Store.FLOWS)
        .withFilter(filter);
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** Returns the query of the window's total without filter, which rollups can answer. */
  FlowQuery unfiltered() {
    return FlowQuery.top(
        List.of("as"),
        measure,
        Optional.of(instant(from)),
        Optional.of(instant(to)),
        Optional.empty(),
        1,
        Store.FLOWS);
  }

  /** Computes the exact results from the rows. */
  static double[] truths(Store store, List<SampleQuestion> questions) {
    double[] sums = new double[questions.size()];
    for (int first = 0; first < sums.length; first += AT_ONCE) {
      List<String> columns = new ArrayList<>();
      int end = Math.min(sums.length, first + AT_ONCE);
      for (SampleQuestion question : questions.subList(first, end)) {
        columns.add(question.sum());
      }
      String sql = "SELECT " + String.join(", ", columns) + " FROM flows";
      try (QueryResult result =
          store.query(new QueryRequest(sql, Duration.ofMinutes(5), 1, true))) {
        result.next();
        for (int i = first; i < end; i++) {
          sums[i] = (Double) result.value(i - first);
        }
      }
    }
    return sums;
  }

  private String sum() {
    return "coalesce(sum(%s::DOUBLE * sampling_rate) FILTER (time >= '%s' AND time < '%s' AND %s), 0)::DOUBLE"
        .formatted(
            measure == Measure.BITS ? "bytes" : "packets", sqlTime(from), sqlTime(to), filter);
  }

  private static String sqlTime(long micros) {
    return instant(micros).toString().replace('T', ' ').replace("Z", "");
  }
}

package io.millrace.pipelines.flows;

import io.millrace.store.FlowQuery;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.SqlLiteral;
import io.millrace.store.Store;
import io.millrace.store.TopResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** 95th percentiles of ports from their own counters, in addition to those of their flows. */
public final class PortPercentiles {
  private static final Duration TIME = Duration.ofSeconds(30);
  private static final String EXPORTER = "exporter";

  private PortPercentiles() {}

  /**
   * Percentiles of the ports in a result, from the five-minute intervals with counters that are
   * entirely in its range.
   *
   * @return bits per second of each row, null if the port has no counters in that range; empty if
   *     the groups are not the ports of one direction, or only some of their flows are selected
   */
  public static Optional<List<Double>> of(Store store, FlowQuery request, TopResult result) {
    Optional<String> side = side(request, result);
    if (side.isEmpty()) {
      return Optional.empty();
    }
    int exporter = result.columns().indexOf(EXPORTER);
    int number = 1 - exporter;
    Map<List<String>, Double> found = new HashMap<>();
    if (!result.rows().isEmpty()) {
      String sql =
          "SELECT exporter, \"interface\", "
              + (side.get().equals("in_if") ? "in_p95" : "out_p95")
              + " FROM ("
              + InterfaceFives.percentiles("1 AS whole", rates(result, exporter, number))
              + ")";
      try (QueryResult rows = store.query(new QueryRequest(sql, TIME, 1_000_000, false))) {
        while (rows.next()) {
          if (rows.value(2) instanceof Number bits) {
            found.put(
                List.of(String.valueOf(rows.value(0)), String.valueOf(rows.value(1))),
                bits.doubleValue());
          }
        }
      } catch (
          QueryException e) { // no table of counters, or too slow: keep the percentiles from flows
        return Optional.empty();
      }
    }
    List<Double> percentiles = new ArrayList<>();
    for (TopResult.Row row : result.rows()) {
      String device = key(row.values().get(exporter));
      String port = key(row.values().get(number));
      percentiles.add(device == null || port == null ? null : found.get(List.of(device, port)));
    }
    return Optional.of(percentiles);
  }

  private static String key(String labelled) {
    return labelled == null ? null : labelled.replaceFirst(" .*", "");
  }

  private static Optional<String> side(FlowQuery request, TopResult result) {
    boolean isWhole =
        request.p95()
            && request.measure() == FlowQuery.Measure.BITS
            && request.table().equals(Store.FLOWS)
            && request.filter().isEmpty()
            && result.fives() > 0;
    if (!isWhole || result.columns().size() != 2 || !result.columns().contains(EXPORTER)) {
      return Optional.empty();
    }
    return result.columns().stream()
        .filter(column -> column.equals("in_if") || column.equals("out_if"))
        .findFirst();
  }

  private static String rates(TopResult result, int exporter, int number) {
    Set<String> exporters = new HashSet<>();
    Set<String> numbers = new HashSet<>();
    for (TopResult.Row row : result.rows()) {
      if (row.values().get(exporter) != null && row.values().get(number) != null) {
        exporters.add(SqlLiteral.of(key(row.values().get(exporter))));
        numbers.add(key(row.values().get(number)));
      }
    }
    String where =
        "WHERE exporter IN (%s) AND \"interface\" IN (%s) AND time >= %s AND time < %s + INTERVAL 15 MINUTE"
            .formatted(
                exporters.isEmpty() ? "NULL" : String.join(", ", exporters),
                numbers.isEmpty() ? "NULL" : numbers.stream().collect(Collectors.joining(", ")),
                timestamp(result.from()),
                timestamp(result.to()));
    return "(SELECT * FROM (%s) WHERE time >= %s AND time <= %s - INTERVAL 5 MINUTE)"
        .formatted(InterfaceFives.rates(where), timestamp(result.from()), timestamp(result.to()));
  }

  private static String timestamp(Instant at) {
    return "make_timestamp(%d)".formatted(at.getEpochSecond() * 1_000_000 + at.getNano() / 1_000);
  }
}

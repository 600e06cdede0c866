package io.millrace.pipelines.gateways;

import io.millrace.pipelines.ApiEndpoint;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import java.math.BigInteger;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The gateways with the greatest totals of a day, from {@code gateway_days}: bytes sent and
 * received together. Thread-safe.
 *
 * <p>Queried from the table, not maintained by the job: the totals of a day are two numeric
 * columns, which takes milliseconds to read for a million gateways.
 */
public final class TopGateways {
  /** The view with the top ten of each day. */
  public static final String VIEW = "gateway_top";

  private static final int VIEW_RANKS = 10;
  private static final Duration TIME = Duration.ofSeconds(10);

  private final Store store;

  /**
   * A gateway's totals of a day.
   *
   * @param rank from 1 on
   * @param gateway its id
   * @param total bytes sent and received
   * @param tx bytes sent
   * @param rx bytes received
   * @param seconds time covered by records
   */
  public record Row(int rank, String gateway, BigInteger total, long tx, long rx, double seconds) {}

  /**
   * The greatest totals of a day.
   *
   * @param day empty if there is no day yet
   * @param gateways number of gateways with a row for the day
   * @param rows in descending order; of equal totals the lesser id first
   */
  public record Top(Optional<LocalDate> day, long gateways, List<Row> rows) {}

  /** Creates queries on a store with the pipeline's tables. */
  public TopGateways(Store store) {
    this.store = store;
  }

  static String view() {
    return """
        SELECT day::DATE AS day, rank, gateway, total, tx, rx, seconds
        FROM (SELECT day, row_number() OVER (PARTITION BY day ORDER BY tx::HUGEINT + rx DESC, gateway) AS rank,
                gateway, tx::HUGEINT + rx AS total, tx, rx, seconds
              FROM %s
              WHERE records > 0 OR seconds > 0)
        WHERE rank <= %d
        """
        .formatted(GatewaysPipeline.DAYS.name(), VIEW_RANKS);
  }

  /**
   * The greatest totals of a day.
   *
   * @param day empty for the newest
   * @param limit rows, at least 1
   */
  public Top of(Optional<LocalDate> day, int limit) {
    Optional<LocalDate> selected = day.isPresent() ? day : newest();
    if (selected.isEmpty()) {
      return new Top(selected, 0, List.of());
    }
    String table = GatewaysPipeline.DAYS.name();
    String where =
        " FROM "
            + table
            + " WHERE (records > 0 OR seconds > 0) AND day = TIMESTAMP '"
            + selected.get()
            + "'";
    List<Row> rows = new ArrayList<>();
    long gateways;
    try (QueryResult count = run("SELECT count(*)" + where)) {
      gateways = count.next() ? number(count, 0) : 0;
    }
    try (QueryResult result =
        run(
            "SELECT gateway, tx::HUGEINT + rx AS total, tx, rx, seconds"
                + where
                + " ORDER BY total DESC, gateway LIMIT "
                + limit)) {
      while (result.next()) {
        rows.add(
            new Row(
                rows.size() + 1,
                String.valueOf(result.value(0)),
                new BigInteger(result.value(1).toString()),
                number(result, 2),
                number(result, 3),
                ((Number) result.value(4)).doubleValue()));
      }
    }
    return new Top(selected, gateways, rows);
  }

  Map<String, Object> query(ApiEndpoint.Parameters parameters) {
    Top top =
        of(
            parameters.get("day").map(TopGateways::day),
            parameters.intParameter("n", 10, 1, 10_000));
    List<Object> rows = new ArrayList<>();
    for (Row row : top.rows()) {
      Map<String, Object> each = new LinkedHashMap<>();
      each.put("rank", row.rank());
      each.put("gateway", row.gateway());
      each.put("total", row.total());
      each.put("tx", row.tx());
      each.put("rx", row.rx());
      each.put("seconds", row.seconds());
      rows.add(each);
    }
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("day", top.day().map(LocalDate::toString).orElse(null));
    response.put("gateways", top.gateways());
    response.put("rows", rows);
    return response;
  }

  private static LocalDate day(String text) {
    try {
      return LocalDate.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("day: " + text + " is not a date, expected 2026-01-31", e);
    }
  }

  /** A fingerprint of the totals of each day, in order. */
  public SortedMap<LocalDate, String> marks() {
    SortedMap<LocalDate, String> marks = new TreeMap<>();
    try (QueryResult result =
        run(
            "SELECT day::DATE::VARCHAR, count(*) || ' ' || sum(records) || ' ' || sum(tx::HUGEINT + rx) FROM "
                + GatewaysPipeline.DAYS.name()
                + " WHERE records > 0 OR seconds > 0"
                + " GROUP BY day")) {
      while (result.next()) {
        marks.put(
            LocalDate.parse(String.valueOf(result.value(0))), String.valueOf(result.value(1)));
      }
    }
    return marks;
  }

  private Optional<LocalDate> newest() {
    try (QueryResult result =
        run(
            "SELECT coalesce(max(day) FILTER (WHERE day <= now()::TIMESTAMP + INTERVAL 1 DAY),"
                + " max(day))::DATE::VARCHAR FROM "
                + GatewaysPipeline.DAYS.name()
                + " WHERE records > 0 OR seconds > 0")) {
      return result.next()
          ? Optional.ofNullable(result.value(0)).map(text -> LocalDate.parse(text.toString()))
          : Optional.empty();
    }
  }

  private static long number(QueryResult result, int column) {
    return ((Number) result.value(column)).longValue();
  }

  private QueryResult run(String sql) {
    return store.query(new QueryRequest(sql, TIME, Long.MAX_VALUE, false));
  }
}

package io.millrace.server.api;

import io.millrace.pipelines.flows.PortPercentiles;
import io.millrace.server.series.SeriesGaps;
import io.millrace.store.Cancellation;
import io.millrace.store.FlowQuery;
import io.millrace.store.QueryException;
import io.millrace.store.QueryResult;
import io.millrace.store.SeriesResult;
import io.millrace.store.Store;
import io.millrace.store.TopResult;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * {@code GET /api/v1/top?by=as&metric=bytes&last=5m&n=10}: the largest groups by estimated volume.
 *
 * <p>{@code by} is a comma-separated list; {@code last} is in seconds; {@code from} and {@code to}
 * are instants in ISO 8601; without a time range all rows count. {@code filter} is a condition in
 * the filter language. {@code scan=true} bypasses rollups; {@code p95=true} ranks by the 95th
 * percentile of 5-minute rates, and adds that of the counters for interfaces. The query is
 * cancelled when its client disconnects.
 */
public final class TopEndpoint implements Endpoint {
  /** Maximum reported half-width of a confidence interval, relative to the estimate. */
  private static final double MAX_ERROR = 0.3;

  private final Store store;
  private final LongSupplier unsampled;

  /**
   * Creates an endpoint that queries this store.
   *
   * @param unsampled supplies the number of rows with an unknown sampling rate
   */
  public TopEndpoint(Store store, LongSupplier unsampled) {
    this.store = store;
    this.unsampled = unsampled;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    String mediaType = RowsResponse.mediaType(exchange, exchange.parameter("format").orElse(""));
    long started = System.nanoTime();
    FlowQuery request;
    TopResult result;
    Cancellation cancellation = new Cancellation();
    try (ClientWatch watch = exchange.awaitWorker(cancellation)) {
      request = FlowQueryParameters.top(exchange);
      result = store.top(request, cancellation);
    } catch (QueryException e) {
      throw ApiException.of(e);
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, e.getMessage());
    }
    if (!mediaType.equals(MediaTypes.JSON)) {
      TopRows rows = new TopRows(result);
      RowsResponse.write(exchange, mediaType, rows, rows.next(), true, started, Optional.empty());
      return;
    }
    Optional<List<Double>> counted = PortPercentiles.of(store, request, result);
    List<Object> rows = new ArrayList<>();
    for (TopResult.Row row : result.rows()) {
      Map<String, Object> group = new LinkedHashMap<>();
      group.put("values", row.values());
      group.put("volume", WholeNumbers.of(row.volume()));
      group.put("flows", row.flows());
      group.put("bound", WholeNumbers.of(row.bound()));
      group.put("error", WholeNumbers.of(row.error()));
      if (request.p95()) {
        group.put("p95", result.fives() == 0 ? null : row.p95());
      }
      if (counted.isPresent()) {
        group.put("counters_p95", counted.get().get(rows.size()));
      }
      rows.add(group);
    }
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("columns", result.columns());
    response.put("metric", FlowQueryParameters.metric(request.measure()));
    response.put("rows", rows);
    response.put("total", WholeNumbers.of(result.total()));
    response.put("bound", WholeNumbers.of(result.bound()));
    response.put("error", WholeNumbers.of(result.error()));
    response.put("others", WholeNumbers.of(result.others()));
    response.put("seconds", result.seconds());
    response.put("estimated", result.estimated());
    response.put("source", result.source());
    response.put("from", result.from().toString());
    response.put("to", result.to().toString());
    if (request.p95()) {
      response.put("fives", result.fives());
    }
    String gaps = request.p95() && result.fives() > 0 ? gaps(request, result, cancellation) : "";
    response.put("note", note(request, result, unsampled.getAsLong()) + gaps);
    exchange.respond(response);
  }

  private String gaps(FlowQuery request, TopResult result, Cancellation cancellation) {
    boolean isLong = result.fives() >= FlowQuery.MAX_POINTS;
    FlowQuery all =
        FlowQuery.series(FlowQuery.Measure.BITS)
            .withTable(request.table())
            .withFrom(Optional.of(result.from()))
            .withTo(Optional.of(result.to()))
            .withStep(Optional.of(Duration.ofMinutes(isLong ? 60 : 5)))
            .withN(1);
    try {
      SeriesResult total = store.series(all, cancellation);
      boolean[] gaps = new SeriesGaps(all, total, its -> total).of(total.period());
      return SeriesGaps.text(gaps, total.period().from(), total.step());
    } catch (IllegalArgumentException e) {
      return ""; // too many points
    } catch (QueryException e) {
      throw ApiException.of(e);
    }
  }

  private static String note(FlowQuery request, TopResult result, long unsampled) {
    if (result.rows().isEmpty()) {
      return result.error() > 0
          ? "none in the sample: at most %,.0f (95%%)".formatted(result.error())
          : result.bound() > 0
              ? "none was retained" + unknown(result)
              : "no rows in this time range";
    }
    if (request.p95() && result.fives() == 0) {
      return "no 95th percentile: no complete 5 minutes in this time range; ranked by volume";
    }
    String volumes =
        sampled(result.error(), result.total()) + volumes(result.estimated(), unsampled);
    String unknown = result.bound() > 0 ? unknown(result) : "";
    return request.p95()
        ? volumes + unknown + "; 95th percentile of " + result.fives() + " complete 5 minutes"
        : volumes + unknown;
  }

  private static String unknown(TopResult result) {
    return String.format(
        Locale.ROOT, "; groups too small to be retained may add up to %,.0f", result.bound());
  }

  static String sampled(double error, double total) {
    if (error > MAX_ERROR * total) {
      return "too few samples for an estimate (more than ± 30%, 95%); ";
    }
    return error > 0
        ? String.format(
            Locale.ROOT,
            "estimated ± %.1f%% (95%%) from a sample of the rows; ",
            100 * error / total)
        : "";
  }

  static String volumes(boolean isEstimated, long unsampled) {
    if (isEstimated) {
      return "estimated: rows are scaled by their sampling rate"
          + (unsampled > 0 ? ", or by 1 if it is unknown" : "");
    }
    return unsampled > 0
        ? "sampling rate unknown, counted as 1: see millrace doctor for the exporters"
        : "exact: no row was sampled";
  }

  /**
   * Parses a boolean parameter; false if missing.
   *
   * @throws ApiException if the value is invalid
   */
  public static boolean flag(Exchange exchange, String name) {
    String text = exchange.get(name).orElse("false");
    if (!text.equals("true") && !text.equals("false")) {
      throw new ApiException(400, name + ": " + text + ": expected true or false");
    }
    return text.equals("true");
  }

  private static final class TopRows implements QueryResult {
    private final List<Column> columns = new ArrayList<>();
    private final List<TopResult.Row> rows;
    private int next;

    TopRows(TopResult top) {
      top.columns().forEach(name -> columns.add(new Column(name, "VARCHAR", Kind.TEXT)));
      columns.add(new Column("volume", "HUGEINT", Kind.DECIMAL));
      columns.add(new Column("flows", "BIGINT", Kind.INTEGER));
      rows = top.rows();
    }

    @Override
    public List<Column> columns() {
      return columns;
    }

    @Override
    public boolean next() {
      return next++ < rows.size();
    }

    @Override
    public Object value(int column) {
      TopResult.Row row = rows.get(next - 1);
      int names = row.values().size();
      if (column < names) {
        return row.values().get(column);
      }
      return column == names ? WholeNumbers.of(row.volume()) : (Object) row.flows();
    }

    @Override
    public boolean truncated() {
      return false;
    }

    @Override
    public void close() {}
  }
}

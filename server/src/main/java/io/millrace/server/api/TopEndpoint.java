package io.millrace.server.api;

import io.millrace.store.QueryException;
import io.millrace.store.Store;
import io.millrace.store.TopRequest;
import io.millrace.store.TopResult;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * {@code GET /api/v1/top?dimension=as&by=bytes&last=300&n=10}: the largest groups by estimated
 * volume.
 *
 * <p>{@code dimension} is a list with commas; {@code last} is in seconds; {@code from} and {@code
 * to} are instants in ISO 8601; without any of them all rows count.
 */
public final class TopEndpoint implements Endpoint {
  private final Store store;

  /** Questions to the store. */
  public TopEndpoint(Store store) {
    this.store = store;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    TopRequest request;
    TopResult result;
    try {
      request = request(exchange);
      result = store.top(request);
    } catch (QueryException | IllegalArgumentException e) {
      throw new ApiException(400, e.getMessage());
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("dimensions", result.columns());
    answer.put("by", request.by().name().toLowerCase(Locale.ROOT));
    answer.put("estimated", result.estimated());
    answer.put(
        "note",
        result.estimated()
            ? "volumes are estimates: each row counts with its sampling rate"
            : "volumes are exact: no row was sampled");
    answer.put("seconds", result.seconds());
    answer.put("total", result.total());
    List<Object> rows = new ArrayList<>();
    for (TopResult.Row row : result.rows()) {
      Map<String, Object> group = new LinkedHashMap<>();
      for (int i = 0; i < result.columns().size(); i++) {
        group.put(result.columns().get(i), row.values().get(i));
      }
      group.put("volume", row.volume());
      group.put("flows", row.flows());
      group.put("share", result.total() == 0 ? 0 : row.volume() / result.total());
      rows.add(group);
    }
    answer.put("rows", rows);
    exchange.answer(answer);
  }

  private static TopRequest request(Exchange exchange) {
    String dimensions =
        exchange
            .parameter("dimension")
            .orElseThrow(() -> new ApiException(400, "dimension: is missing, for example as"));
    return new TopRequest(
        List.of(dimensions.split(",")),
        exchange.parameter("by").map(TopEndpoint::measure).orElse(TopRequest.Measure.BYTES),
        exchange.parameter("from").map(text -> instant("from", text)),
        exchange.parameter("to").map(text -> instant("to", text)),
        last(exchange),
        exchange.intParameter("n", 10, 1, 10_000),
        exchange.parameter("table").orElse(Store.FLOWS));
  }

  private static Optional<Duration> last(Exchange exchange) {
    int seconds = exchange.intParameter("last", 0, 0, Integer.MAX_VALUE);
    return seconds == 0 ? Optional.empty() : Optional.of(Duration.ofSeconds(seconds));
  }

  private static TopRequest.Measure measure(String text) {
    return switch (text) {
      case "bytes" -> TopRequest.Measure.BYTES;
      case "packets" -> TopRequest.Measure.PACKETS;
      default -> throw new ApiException(400, "by: " + text + " is neither bytes nor packets");
    };
  }

  private static Instant instant(String name, String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new ApiException(
          400, name + ": " + text + " is not an instant, write 2026-01-31T12:00:00Z");
    }
  }
}

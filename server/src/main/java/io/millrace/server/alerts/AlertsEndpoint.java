package io.millrace.server.alerts;

import io.millrace.analytics.alerts.AlertKind;
import io.millrace.analytics.alerts.AlertText;
import io.millrace.pipelines.Pipeline;
import io.millrace.server.alerts.AlertHistory.Alert;
import io.millrace.server.api.ApiException;
import io.millrace.server.api.Endpoint;
import io.millrace.server.api.Exchange;
import io.millrace.server.api.TopEndpoint;
import io.millrace.store.FlowQuery;
import io.millrace.store.QueryException;
import io.millrace.store.Store;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * {@code GET /api/v1/alerts?last=1d}: past alerts of heavy hitters, changes and trends, each once;
 * see {@code openapi.yaml}.
 */
public final class AlertsEndpoint implements Endpoint {
  private static final Duration DEFAULT_LAST = Duration.ofDays(1);
  private static final Duration MAX = Duration.ofDays(366);
  private static final int DEFAULT_N = 100;
  private static final int MAX_N = 1_000;

  private final AlertHistory history;

  /**
   * Creates an endpoint that queries this store.
   *
   * @param pipelines enabled pipelines
   * @param resolveAfter time without a report after which a key starts a new alert
   */
  public AlertsEndpoint(Store store, List<Pipeline> pipelines, Duration resolveAfter) {
    history =
        new AlertHistory(
            store,
            pipelines.stream().flatMap(each -> each.alerts().stream()).toList(),
            resolveAfter);
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    Map<String, Object> response = new LinkedHashMap<>();
    exchange.awaitWorker();
    try {
      AlertQuery query = query(exchange, Instant.now());
      List<Alert> alerts = history.find(query);
      response.put("from", query.from().toString());
      response.put("to", query.to().toString());
      response.put("rows", alerts.stream().map(alert -> row(alert, Instant.now())).toList());
      response.put(
          "note",
          history.sources().isEmpty()
              ? "no enabled pipeline produces alerts: set hitters.enabled: true or"
                  + " flow_trends.enabled: true"
              : "");
    } catch (QueryException e) {
      throw ApiException.of(e);
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, e.getMessage());
    }
    exchange.respond(response);
  }

  private static AlertQuery query(Exchange exchange, Instant now) {
    Instant to = exchange.instantParameter("to").orElse(now);
    Duration last =
        exchange
            .parameter("last")
            .map(text -> FlowQuery.duration("last", text))
            .orElse(DEFAULT_LAST);
    Instant from = exchange.instantParameter("from").orElse(to.minus(last));
    if (from.isAfter(to) || Duration.between(from, to).compareTo(MAX) > 0) {
      throw new ApiException(400, "from " + from + " to " + to + ": range exceeds 0 to 366 days");
    }
    return new AlertQuery(
        from,
        to,
        kinds(exchange.parameter("kind").orElse("")),
        exchange.parameter("key"),
        exchange.intParameter("n", DEFAULT_N, 1, MAX_N),
        TopEndpoint.flag(exchange, "begun"));
  }

  private static Set<AlertKind> kinds(String text) {
    if (text.isEmpty()) {
      return EnumSet.allOf(AlertKind.class);
    }
    Set<AlertKind> kinds = EnumSet.noneOf(AlertKind.class);
    for (String label : text.split(",", -1)) {
      kinds.add(
          AlertKind.of(label)
              .orElseThrow(
                  () ->
                      new ApiException(
                          400, "kind: " + label + ": expected hitter, changer or trend")));
    }
    return kinds;
  }

  private Map<String, Object> row(Alert alert, Instant now) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("kind", alert.kind());
    row.put("by", alert.by());
    row.put("key", alert.key());
    row.put("measure", alert.measure());
    row.put("first_seen", instant(alert.firstMicros()).toString());
    row.put("last_seen", instant(alert.lastMicros() + 1).toString());
    row.put("ongoing", !instant(alert.lastMicros()).plus(history.resolveAfter()).isBefore(now));
    row.put("window_seconds", Math.round(alert.windowMicros() / 1e6));
    row.put("windows", alert.windows());
    row.put("peak", alert.peak());
    row.put("baseline", alert.baseline());
    row.put("share", alert.share());
    row.put(
        "page",
        AlertText.page(
            alert.by(),
            alert.key(),
            alert.firstMicros(),
            alert.lastMicros(),
            alert.windowMicros()));
    return row;
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}

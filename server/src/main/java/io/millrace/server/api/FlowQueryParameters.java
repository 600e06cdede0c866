package io.millrace.server.api;

import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.FlowQueryBuilder;
import io.millrace.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Parses the parameters of {@code top} and {@code series}. */
final class FlowQueryParameters {
  private static final int DEFAULT_TOP = 10;

  private FlowQueryParameters() {}

  /** Parses a query of {@code top}, which has one point. */
  static FlowQuery top(Exchange exchange) {
    if (exchange.parameter("by").isEmpty()) {
      throw new ApiException(400, "by: missing, expected for example by=as");
    }
    return common(exchange, DEFAULT_TOP, FlowQuery.MAX_TOP)
        .measure(exchange.parameter("metric").map(FlowQueryParameters::metric).orElse(Measure.BITS))
        .points(1)
        .p95(flag(exchange, "p95"))
        .build();
  }

  /** Parses a query of {@code series}. */
  static FlowQuery series(Exchange exchange) {
    return common(exchange, FlowQuery.DEFAULT_N, FlowQuery.MAX_N)
        .measure(exchange.get("measure").map(Measure::of).orElse(Measure.BITS))
        .step(duration(exchange, "step"))
        .points(exchange.intParameter("points", FlowQuery.DEFAULT_POINTS, 2, FlowQuery.MAX_POINTS))
        .previous(flag(exchange, "previous"))
        .reverse(isBoth(exchange.get("direction").orElse("forward")))
        .rolled(flag(exchange, "rolled"))
        .build();
  }

  private static FlowQueryBuilder common(Exchange exchange, int n, int mostN) {
    return FlowQueryBuilder.builder()
        .dimensions(exchange.parameter("by").map(by -> List.of(by.split(","))).orElse(List.of()))
        .from(exchange.instantParameter("from"))
        .to(exchange.instantParameter("to"))
        .last(duration(exchange, "last"))
        .n(exchange.intParameter("n", n, 1, mostN))
        .table(exchange.parameter("table").orElse(Store.FLOWS))
        .filter(exchange.parameter("filter"))
        .scan(flag(exchange, "scan"));
  }

  /** Name of a measure in the parameter {@code metric} of {@code top}. */
  static String metric(Measure measure) {
    return measure == Measure.BITS ? "bytes" : measure.label();
  }

  private static Measure metric(String text) {
    return switch (text) {
      case "bytes" -> Measure.BITS;
      case "packets" -> Measure.PACKETS;
      default -> throw new ApiException(400, "metric: " + text + ": expected bytes or packets");
    };
  }

  private static boolean isBoth(String direction) {
    if (!direction.equals("forward") && !direction.equals("both")) {
      throw new ApiException(400, "direction: " + direction + ": expected forward or both");
    }
    return direction.equals("both");
  }

  private static boolean flag(Exchange exchange, String name) {
    return TopEndpoint.flag(exchange, name);
  }

  /** Parses a duration such as {@code 5m}; seconds without a unit. */
  private static Optional<Duration> duration(Exchange exchange, String name) {
    return exchange.parameter(name).map(text -> FlowQuery.duration(name, text));
  }
}

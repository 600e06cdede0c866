package io.millrace.server.runtime;

import io.millrace.server.api.Endpoint;
import io.millrace.server.metrics.Latencies;
import java.util.Map;
import java.util.TreeMap;

/** Durations of the queries since the start, by kind. Thread-safe. */
final class QueryTimes {
  private final Map<String, Latencies> kinds = new TreeMap<>();

  QueryTimes() {
    for (String kind : new String[] {"flight", "series", "sql", "top"}) {
      kinds.put(kind, new Latencies());
    }
  }

  Latencies of(String kind) {
    return kinds.get(kind);
  }

  Map<String, Latencies> all() {
    return kinds;
  }

  Endpoint timed(String kind, Endpoint endpoint) {
    Latencies latencies = of(kind);
    return exchange -> latencies.time(() -> endpoint.handle(exchange));
  }
}

package io.millrace.server.search;

import io.millrace.server.api.ApiException;
import io.millrace.server.api.Endpoint;
import io.millrace.server.api.Exchange;
import io.millrace.store.FlowSchema;
import io.millrace.store.QueryException;
import io.millrace.store.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * {@code GET /api/v1/search?q=…}: interpretations of a text, as suggestions with their pages; see
 * {@code openapi.yaml}. Takes at most two seconds.
 */
public final class SearchEndpoint implements Endpoint {
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final int MAX = 200;
  private static final int SHORTEST_NAME = 2; // one letter matches almost all names

  private final StoredNames names;

  /**
   * Creates an endpoint that queries this store.
   *
   * @param schema current schema of the table of flows
   */
  public SearchEndpoint(Store store, Supplier<FlowSchema> schema) {
    names = new StoredNames(store, schema);
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    String typed = exchange.parameter("q").orElse("").strip();
    if (typed.length() > MAX) {
      throw new ApiException(400, "q: %d characters, at most %d".formatted(typed.length(), MAX));
    }
    int n = exchange.intParameter("n", 10, 1, 50);
    List<Suggestion> found = new ArrayList<>(TypedForms.of(typed));
    boolean isComplete = true;
    if (typed.length() >= SHORTEST_NAME) {
      exchange.awaitWorker();
      try {
        isComplete = names.find(typed.toLowerCase(Locale.ROOT), n, found, LIMIT);
      } catch (QueryException e) {
        throw ApiException.of(e);
      }
    }
    Map<String, Object> response = new LinkedHashMap<>();
    response.put(
        "rows", new LinkedHashSet<>(found).stream().limit(n).map(SearchEndpoint::row).toList());
    response.put("complete", isComplete);
    exchange.respond(response);
  }

  private static Map<String, Object> row(Suggestion each) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("kind", each.kind());
    row.put("text", each.text());
    row.put("detail", each.detail());
    row.put("page", each.page());
    return row;
  }
}

package io.millrace.server.api;

import io.millrace.store.FlowSchema;
import io.millrace.store.filter.Filter;
import io.millrace.store.filter.FilterException;
import io.millrace.store.filter.FilterParser;
import io.millrace.store.filter.FilterPrinter;
import io.millrace.store.filter.FilterQuery;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;

/**
 * {@code GET /api/v1/filter?filter=…}: validates a condition of the filter language, and returns
 * its canonical form and its SQL on {@code flows}. Reads no rows.
 */
public final class FilterEndpoint implements Endpoint {
  private final Supplier<FlowSchema> schema;

  /**
   * Creates an endpoint for filters of flows.
   *
   * @param schema current schema of the table
   */
  public FilterEndpoint(Supplier<FlowSchema> schema) {
    this.schema = schema;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    try {
      Filter filter = FilterParser.parse(exchange.parameter("filter").orElse("any"), schema.get());
      exchange.respond(
          Map.of("filter", FilterPrinter.print(filter), "sql", FilterQuery.condition(filter)));
    } catch (FilterException e) {
      throw ApiException.of(e);
    }
  }
}

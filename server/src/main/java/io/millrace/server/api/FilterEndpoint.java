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
 * {@code GET /api/v1/filter?filter=…}: whether a condition of the filter language can be read, the
 * same as it is printed, and what it means in SQL on {@code flows}. Reads no rows.
 */
public final class FilterEndpoint implements Endpoint {
  private final Supplier<FlowSchema> schema;

  /** Filters on the table that has this schema at the moment. */
  public FilterEndpoint(Supplier<FlowSchema> schema) {
    this.schema = schema;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    try {
      Filter filter = FilterParser.parse(exchange.parameter("filter").orElse("any"), schema.get());
      exchange.answer(
          Map.of("filter", FilterPrinter.print(filter), "sql", FilterQuery.condition(filter)));
    } catch (FilterException e) {
      throw ApiException.of(e);
    }
  }
}

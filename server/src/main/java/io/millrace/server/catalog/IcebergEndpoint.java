package io.millrace.server.catalog;

import io.millrace.server.api.ApiException;
import io.millrace.server.api.Endpoint;
import io.millrace.server.api.Exchange;
import io.millrace.server.api.HttpServer;
import io.millrace.store.iceberg.TableCatalog;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Iceberg's REST catalog below {@code /api/v1/iceberg}, by which other engines read the newest
 * snapshots of the tables of flows. Read-only: it rejects requests that write.
 */
public final class IcebergEndpoint implements Endpoint {
  private static final String JSON = "application/json";

  private static final String READ_ONLY =
      "the catalog is read-only: Millrace is the only writer of its tables";

  private final TableCatalog catalog;

  /** Creates an endpoint for a catalog. */
  public IcebergEndpoint(TableCatalog catalog) {
    this.catalog = catalog;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    boolean isHead = exchange.method().equals("HEAD");
    if (!isHead && !exchange.method().equals("GET")) {
      throw new ApiException(406, READ_ONLY);
    }
    List<String> steps =
        Arrays.asList(exchange.path().substring(HttpServer.ICEBERG.length() + 1).split("/", -1));
    String response = response(exchange, steps);
    if (isHead) {
      exchange.respondEmpty();
      return;
    }
    try (OutputStream out = exchange.respond(exchange.preferred(List.of(JSON)))) {
      out.write(response.getBytes(StandardCharsets.UTF_8));
    }
  }

  private String response(Exchange exchange, List<String> steps) {
    if (steps.equals(List.of("v1", "config"))) {
      return catalog.config();
    }
    if (steps.size() < 2 || !steps.subList(0, 2).equals(List.of("v1", "namespaces"))) {
      throw unknown(exchange);
    }
    if (steps.size() == 2) {
      String parent = exchange.parameter("parent").orElse("");
      if (!parent.isEmpty()) {
        checkNamespace(parent);
      }
      return parent.isEmpty() ? catalog.namespaces() : catalog.noNamespaces();
    }
    checkNamespace(steps.get(2));
    if (steps.size() == 3) {
      return catalog.namespace();
    }
    if (!steps.get(3).equals("tables") || steps.size() > 5) {
      throw unknown(exchange);
    }
    if (steps.size() == 4) {
      return catalog.tables();
    }
    return catalog.table(steps.get(4)).orElseThrow(() -> noTable(steps.get(4)));
  }

  private static void checkNamespace(String name) {
    if (!name.equals(TableCatalog.NAMESPACE)) {
      throw ApiException.ofKind(
          404,
          "NoSuchNamespaceException",
          "unknown namespace " + name + ", expected " + TableCatalog.NAMESPACE);
    }
  }

  private static ApiException noTable(String name) {
    return ApiException.ofKind(
        404, "NoSuchTableException", "unknown table " + TableCatalog.NAMESPACE + "." + name);
  }

  private static ApiException unknown(Exchange exchange) {
    return ApiException.ofKind(404, "NotFoundException", "unknown path " + exchange.path());
  }
}

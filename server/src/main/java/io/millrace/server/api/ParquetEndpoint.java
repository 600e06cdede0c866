package io.millrace.server.api;

import io.millrace.store.Cancellation;
import io.millrace.store.ExportedRows;
import io.millrace.store.ImportedRows;
import io.millrace.store.QueryException;
import io.millrace.store.Store;
import io.millrace.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code GET /api/v1/export?table=NAME&from=T&to=T} returns flows as a Parquet file, {@code POST
 * /api/v1/import?table=NAME} imports one. Times are instants in ISO 8601. The Content-Type of an
 * import must be that of Parquet, so that a page of another origin cannot send one without a
 * preflight request.
 */
public final class ParquetEndpoint {
  private static final String ROWS_HEADER = "X-Rows";

  private final Store store;

  /** Exports from and imports into this store. */
  public ParquetEndpoint(Store store) {
    this.store = store;
  }

  /** Exports rows of a time range. */
  public void export(Exchange exchange) throws IOException {
    Instant from = instant(exchange, "from");
    Instant to = instant(exchange, "to");
    if (!from.isBefore(to)) {
      throw new ApiException(400, "from: " + from + " must be before to: " + to);
    }
    ExportedRows exported;
    Cancellation cancellation = new Cancellation();
    try (ClientWatch watch = exchange.awaitExport(cancellation)) {
      exported = store.exportRows(table(exchange), from, to, cancellation);
    } catch (QueryException e) {
      throw ApiException.of(e);
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, e.getMessage());
    } catch (StoreException e) {
      throw new ApiException(503, e.getMessage());
    }
    exchange.releaseWorker();
    try {
      exchange.header(ROWS_HEADER, Long.toString(exported.rows()));
      exchange.header("Content-Length", Long.toString(Files.size(exported.file())));
      try (OutputStream out = exchange.respond(MediaTypes.PARQUET)) {
        Files.copy(exported.file(), out);
      }
    } finally {
      Files.deleteIfExists(exported.file());
    }
  }

  /** Imports a file. */
  public void add(Exchange exchange) throws IOException {
    String type = exchange.header("Content-Type").orElse("nothing");
    if (!type.equals(MediaTypes.PARQUET)) {
      throw new ApiException(
          415, "unsupported Content-Type: " + type + ", expected " + MediaTypes.PARQUET);
    }
    try (InputStream body = exchange.stream()) {
      ImportedRows imported = store.importRows(table(exchange), body);
      Map<String, Object> response = new LinkedHashMap<>();
      response.put("table", table(exchange));
      response.put("added", imported.added());
      response.put("skipped", imported.skipped());
      exchange.respond(response);
    } catch (QueryException e) {
      throw ApiException.of(e);
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, e.getMessage());
    } catch (StoreException e) {
      throw new ApiException(503, e.getMessage());
    }
  }

  private static String table(Exchange exchange) {
    return exchange.parameter("table").orElse(Store.FLOWS);
  }

  private static Instant instant(Exchange exchange, String name) {
    return exchange
        .instantParameter(name)
        .orElseThrow(() -> new ApiException(400, name + ": missing, expected an instant"));
  }
}

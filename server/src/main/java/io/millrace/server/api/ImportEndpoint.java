package io.millrace.server.api;

import io.millrace.pipelines.imports.ImportOptions;
import io.millrace.server.imports.FileImports;
import io.millrace.store.Store;
import io.millrace.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * {@code POST /api/v1/import/file?table=NAME&name=FILE&mapping=…&time=T&sha256=…} uploads a file
 * and starts its import; {@code GET /api/v1/import/file?table=NAME&sha256=…} returns its state. The
 * Content-Type must be that of bytes, so that a page of another origin cannot send a file without a
 * preflight request.
 */
public final class ImportEndpoint {
  private static final String BYTES = "application/octet-stream";
  private static final int MAX_NAME = 255;

  private final FileImports imports;

  /** Creates the endpoint of these imports. */
  public ImportEndpoint(FileImports imports) {
    this.imports = imports;
  }

  /** Uploads a file. */
  public void upload(Exchange exchange) throws IOException {
    String type = exchange.header("Content-Type").orElse("nothing");
    if (!type.equals(BYTES)) {
      throw new ApiException(415, "unsupported Content-Type: " + type + ", expected " + BYTES);
    }
    String name = exchange.parameter("name").orElse("upload");
    if (name.length() > MAX_NAME) {
      throw new ApiException(400, "name: longer than " + MAX_NAME + " characters");
    }
    ImportOptions options =
        new ImportOptions(exchange.parameter("mapping"), exchange.instantParameter("time"));
    String sha256 = exchange.parameter("sha256").orElse("");
    long size = exchange.header("Content-Length").map(ImportEndpoint::number).orElse(0L);
    try (InputStream body = exchange.stream()) {
      respond(exchange, imports.upload(table(exchange), name, options, sha256, size, body));
    } catch (IllegalArgumentException e) {
      throw new ApiException(400, e.getMessage());
    } catch (StoreException e) {
      throw new ApiException(503, e.getMessage());
    }
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return 0; // an invalid value counts as unset
    }
  }

  /** Returns the state of an import. */
  public void status(Exchange exchange) throws IOException {
    String sha256 =
        exchange
            .parameter("sha256")
            .filter(text -> text.matches("[0-9a-f]{64}"))
            .orElseThrow(
                () ->
                    new ApiException(400, "sha256: expected 64 hexadecimal digits in lower case"));
    try {
      respond(exchange, imports.status(sha256, table(exchange)));
    } catch (StoreException e) {
      throw new ApiException(503, e.getMessage());
    }
  }

  private static String table(Exchange exchange) {
    return exchange.parameter("table").orElse(Store.FLOWS);
  }

  private static void respond(Exchange exchange, FileImports.Status status) throws IOException {
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("sha256", status.sha256());
    response.put("table", status.table());
    response.put("file", status.file());
    response.put("format", status.format());
    response.put("state", status.state());
    response.put("bytes", status.bytes());
    response.put("position", status.position());
    response.put("rows", status.rows());
    response.put("rejected", status.rejected());
    response.put("problem", status.problem());
    response.put("new", status.isNew());
    exchange.respond(response);
  }
}

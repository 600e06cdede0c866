package io.millrace.server.api;

import io.millrace.store.QueryResult;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

final class RowsResponse {
  private static final List<String> TYPES =
      List.of(MediaTypes.JSON, MediaTypes.CSV, MediaTypes.ARROW);

  private RowsResponse() {}

  /** Media type of the response; {@code format} takes precedence over the header {@code Accept}. */
  static String mediaType(Exchange exchange, String format) {
    return switch (format) {
      case "json" -> MediaTypes.JSON;
      case "csv" -> MediaTypes.CSV;
      case "arrow" -> MediaTypes.ARROW;
      case "" -> exchange.preferred(TYPES);
      default -> throw new ApiException(400, "format: " + format + ": expected json, csv or arrow");
    };
  }

  /**
   * Writes the current row and all following rows.
   *
   * @param mediaType result of {@link #mediaType}
   * @param mayBeCut whether the client set a row limit. If not, CSV and Arrow abort at the limit,
   *     because they cannot report truncation
   * @param startNanos start of the query, by {@link System#nanoTime()}
   * @param rowsFrom arrival of the oldest flow, if older ones were removed; sent as a header, and
   *     in JSON
   */
  static void write(
      Exchange exchange,
      String mediaType,
      QueryResult rows,
      boolean hasRow,
      boolean mayBeCut,
      long startNanos,
      Optional<Instant> rowsFrom)
      throws IOException {
    // Closed only on success, so that an aborted response does not look complete.
    rowsFrom.ifPresent(time -> exchange.header("X-Rows-From", time.toString()));
    rows.freshTo().ifPresent(time -> exchange.header("X-Fresh-To", time.toString()));
    boolean csv = mediaType.equals(MediaTypes.CSV);
    OutputStream out = exchange.respond(csv ? mediaType + "; charset=utf-8" : mediaType);
    switch (mediaType) {
      case MediaTypes.CSV -> CsvResult.write(rows, hasRow, out);
      case MediaTypes.ARROW -> ArrowResult.write(rows, hasRow, out);
      default -> JsonResult.write(rows, hasRow, startNanos, rowsFrom, out);
    }
    if (rows.truncated() && !mayBeCut && !mediaType.equals(MediaTypes.JSON)) {
      throw new IOException("result exceeds store.query-row-limit");
    }
    out.close();
  }
}

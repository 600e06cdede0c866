package io.millrace.server.api;

import io.millrace.store.QueryResult;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Rows in the form that the client wants, written while they are read. */
final class RowsAnswer {
  private static final List<String> TYPES =
      List.of(MediaTypes.JSON, MediaTypes.CSV, MediaTypes.ARROW);

  private RowsAnswer() {}

  /**
   * The media type that the client wants.
   *
   * @param format {@code json}, {@code csv} or {@code arrow}, which goes before {@code Accept};
   *     empty for none
   * @throws ApiException with status 400 for another format, 406 if {@code Accept} names no type
   *     that there is
   */
  static String mediaType(Exchange exchange, String format) {
    return switch (format) {
      case "json" -> MediaTypes.JSON;
      case "csv" -> MediaTypes.CSV;
      case "arrow" -> MediaTypes.ARROW;
      case "" -> exchange.wanted(TYPES);
      default ->
          throw new ApiException(400, "format: " + format + " is not one of json, csv, arrow");
    };
  }

  /**
   * Writes the rows from the current one on.
   *
   * @param mediaType one of {@link #mediaType}'s
   * @param hasRow whether there is a current row
   * @param mayBeCut whether the client knows that rows are left out for a limit: it asked for one.
   *     If not, CSV and Arrow break off in their place, as these have nowhere to say so
   * @param startNanos when they were asked for, by {@link System#nanoTime()}
   * @param rowsFrom arrival from which on rows of flows are there, if some were removed; told by a
   *     header, and in JSON
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
    // Closed only when all is well: an answer that breaks off must not look like a whole one.
    rowsFrom.ifPresent(time -> exchange.header("X-Rows-From", time.toString()));
    boolean csv = mediaType.equals(MediaTypes.CSV);
    OutputStream out = exchange.answer(csv ? mediaType + "; charset=utf-8" : mediaType);
    switch (mediaType) {
      case MediaTypes.CSV -> CsvResult.write(rows, hasRow, out);
      case MediaTypes.ARROW -> ArrowResult.write(rows, hasRow, out);
      default -> JsonResult.write(rows, hasRow, startNanos, rowsFrom, out);
    }
    if (rows.truncated() && !mayBeCut && !mediaType.equals(MediaTypes.JSON)) {
      throw new IOException("more rows than store.query-row-limit");
    }
    out.close();
  }
}

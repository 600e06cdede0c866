package io.millrace.server.api;

import io.millrace.store.QueryResult;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/**
 * Writes the rows of a query as CSV (RFC 4180) with a header line; NULL is an empty field, an empty
 * text a quoted one.
 */
final class CsvResult {
  private CsvResult() {}

  static void write(QueryResult result, boolean hasRow, OutputStream out) throws IOException {
    Writer csv = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    int columns = result.columns().size();
    for (int i = 0; i < columns; i++) {
      csv.write(i == 0 ? "" : ",");
      cell(csv, result.columns().get(i).name());
    }
    csv.write("\r\n");
    for (boolean more = hasRow; more; more = result.next()) {
      for (int i = 0; i < columns; i++) {
        csv.write(i == 0 ? "" : ",");
        Object value = result.value(i);
        if (value != null) {
          cell(csv, value.toString());
        }
      }
      csv.write("\r\n");
    }
    csv.flush();
  }

  private static void cell(Writer csv, String text) throws IOException {
    boolean plain = !text.isEmpty();
    for (int i = 0; plain && i < text.length(); i++) {
      plain = "\",\r\n".indexOf(text.charAt(i)) < 0;
    }
    csv.write(plain ? text : '"' + text.replace("\"", "\"\"") + '"');
  }
}

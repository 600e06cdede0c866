package io.millrace.server.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.millrace.store.QueryResult;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/** Writes the rows of a query as a JSON object: columns, rows as arrays, and statistics. */
final class JsonResult {
  private static final int SAFE_BITS = 53;
  private static final long MAX_SAFE_INTEGER = (1L << SAFE_BITS) - 1;

  private JsonResult() {}

  static void write(
      QueryResult result,
      boolean hasRow,
      long startNanos,
      Optional<Instant> rowsFrom,
      OutputStream out)
      throws IOException {
    // Not closed if the query fails, so that the JSON stays incomplete.
    JsonGenerator json = Exchange.JSON.createGenerator(out);
    json.writeStartObject();
    json.writeArrayFieldStart("columns");
    for (QueryResult.Column column : result.columns()) {
      json.writeStartObject();
      json.writeStringField("name", column.name());
      json.writeStringField("type", column.sqlType());
      json.writeStringField("kind", column.kind().name().toLowerCase(Locale.ROOT));
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("rows");
    int columns = result.columns().size();
    for (boolean more = hasRow; more; more = result.next()) {
      json.writeStartArray();
      for (int i = 0; i < columns; i++) {
        value(json, result.value(i));
      }
      json.writeEndArray();
    }
    json.writeEndArray();
    json.writeBooleanField("truncated", result.truncated());
    json.writeNumberField("elapsed_ms", (System.nanoTime() - startNanos) / 1e6);
    if (rowsFrom.isPresent()) {
      json.writeStringField("rows_from", rowsFrom.get().toString());
    }
    if (result.freshTo().isPresent()) {
      json.writeStringField("fresh_to", result.freshTo().get().toString());
    }
    json.writeEndObject();
    json.flush();
  }

  /** Writes a value; numbers that a double would round become texts. */
  private static void value(JsonGenerator json, Object value) throws IOException {
    if (value instanceof Long number && Math.abs(number) <= MAX_SAFE_INTEGER) {
      json.writeNumber(number);
    } else if (value instanceof BigInteger number && number.bitLength() < SAFE_BITS) {
      json.writeNumber(number);
    } else if (value instanceof Double number && Double.isFinite(number)) {
      json.writeNumber(number);
    } else if (value instanceof Boolean bool) {
      json.writeBoolean(bool);
    } else if (value == null) {
      json.writeNull();
    } else {
      json.writeString(value.toString());
    }
  }
}

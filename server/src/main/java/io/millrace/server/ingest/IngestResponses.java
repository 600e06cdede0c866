package io.millrace.server.ingest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.wire.record.RecordErrors;
import io.millrace.wire.record.RecordErrors.InvalidRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

final class IngestResponses {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] ACCEPTED = "{\"accepted\":".getBytes(StandardCharsets.US_ASCII);

  static final String NO_SHARE =
      "this sender's unfinished requests fill its share of ingest.buffer; finish some first";

  private IngestResponses() {}

  static Map<String, Object> tooLarge(RecordErrors errors, IngestConfig config) {
    return body(
        413,
        errors.isOversized()
            ? "body exceeds "
                + config.maxBodyBytes()
                + " bytes after decompression (ingest.max-body)"
            : "records of one partition exceed the size of a log value; send fewer at" + " a time");
  }

  static byte[] accepted(long records) {
    byte[] digits = Long.toString(records).getBytes(StandardCharsets.US_ASCII);
    byte[] response = new byte[ACCEPTED.length + digits.length + 1];
    System.arraycopy(ACCEPTED, 0, response, 0, ACCEPTED.length);
    System.arraycopy(digits, 0, response, ACCEPTED.length, digits.length);
    response[response.length - 1] = '}';
    return response;
  }

  /**
   * Response to partly invalid records: {@code {"accepted":N,"rejected":M,"records":[…]}} with the
   * first invalid records; {@code "truncated":true} if the rest could not be parsed.
   */
  static Map<String, Object> partly(long accepted, RecordErrors errors) {
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("accepted", accepted);
    response.put("rejected", errors.count());
    response.put("records", records(errors.list()));
    if (errors.isTruncated()) {
      response.put("truncated", true);
    }
    return response;
  }

  static byte[] error(int status, String message) {
    return bytes(Map.of("error", body(status, message)));
  }

  static Map<String, Object> invalid(int status, RecordErrors errors) {
    return invalid(status, errors.count(), errors.list());
  }

  static Map<String, Object> foreign(int index, String key) {
    return invalid(403, 1, List.of(new InvalidRecord(index, key, "differs from the token's key")));
  }

  private static Map<String, Object> invalid(int status, long count, List<InvalidRecord> invalid) {
    InvalidRecord first = invalid.get(0);
    String field = first.field().isEmpty() ? "" : ", " + first.field();
    String more = count > 1 ? "; " + (count - 1) + " more" : "";
    Map<String, Object> error =
        body(
            status,
            "record "
                + first.index()
                + field
                + ": "
                + first.reason()
                + more
                + "; all records of this request were rejected");
    error.put("invalid", count);
    error.put("records", records(invalid));
    return error;
  }

  private static Map<String, Object> body(int status, String message) {
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("message", message);
    error.put("status", HttpStatus.getMessage(status));
    return error;
  }

  private static List<Map<String, Object>> records(List<InvalidRecord> invalid) {
    List<Map<String, Object>> records = new ArrayList<>();
    for (InvalidRecord record : invalid) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("index", record.index());
      fields.put("field", record.field());
      fields.put("reason", record.reason());
      records.add(fields);
    }
    return records;
  }

  static byte[] bytes(Map<String, Object> value) {
    try {
      return JSON.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("serialization failed", e);
    }
  }

  static void fail(Response response, Callback callback, int status, byte[] json) {
    fail(response, callback, status, json, null);
  }

  static void fail(
      Response response, Callback callback, int status, byte[] json, HttpField header) {
    response.reset();
    if (header != null) {
      response.getHeaders().put(header);
    }
    response.setStatus(status);
    if (status == 401) {
      response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer realm=\"millrace\"");
    } else if (status == 429 || status == 503) {
      response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
    }
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
    response.write(true, ByteBuffer.wrap(json), callback);
  }
}

package io.millrace.server.ingest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.wire.record.RecordErrors;
import io.millrace.wire.record.RecordErrors.WrongRecord;
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

/** The texts of answers: JSON, with errors shaped as those of the API. */
final class Answers {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] ACCEPTED = "{\"accepted\":".getBytes(StandardCharsets.US_ASCII);

  /** Of a sender that holds as much memory as is free. */
  static final String NO_SHARE =
      "what this sender has begun and not ended takes its share of ingest.buffer: end some first";

  private Answers() {}

  /** What is longer than it may be when it is unpacked, or than the log takes at once. */
  static Map<String, Object> tooLarge(RecordErrors errors, IngestConfig config) {
    return body(
        413,
        errors.isOversized()
            ? "the body is longer than "
                + config.maxBodyBytes()
                + " bytes (ingest.max-body), unpacked"
            : "records of one partition are longer together than a value of the log; send fewer at"
                + " a time");
  }

  /** {@code {"accepted":N}}. */
  static byte[] accepted(long records) {
    byte[] digits = Long.toString(records).getBytes(StandardCharsets.US_ASCII);
    byte[] answer = new byte[ACCEPTED.length + digits.length + 1];
    System.arraycopy(ACCEPTED, 0, answer, 0, ACCEPTED.length);
    System.arraycopy(digits, 0, answer, ACCEPTED.length, digits.length);
    answer[answer.length - 1] = '}';
    return answer;
  }

  /**
   * {@code {"accepted":N,"refused":M,"records":[…]}}: which records were wrong, the first ones;
   * {@code "truncated":true} if what follows the last of them could not be read.
   */
  static Map<String, Object> partly(long accepted, RecordErrors errors) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("accepted", accepted);
    answer.put("refused", errors.count());
    answer.put("records", records(errors.list()));
    if (errors.isTruncated()) {
      answer.put("truncated", true);
    }
    return answer;
  }

  /** {@code {"error":{"message":…,"status":…}}}. */
  static byte[] error(int status, String message) {
    return bytes(Map.of("error", body(status, message)));
  }

  /** As above, with {@code index}, {@code field} and {@code reason} of each wrong record. */
  static Map<String, Object> wrong(int status, RecordErrors errors) {
    return wrong(status, errors.count(), errors.list());
  }

  /** A record of another gateway than that of the token, by its index. */
  static Map<String, Object> foreign(int index) {
    return wrong(
        403, 1, List.of(new WrongRecord(index, "gateway_id", "is not the gateway of the token")));
  }

  private static Map<String, Object> wrong(int status, long count, List<WrongRecord> wrong) {
    WrongRecord first = wrong.get(0);
    String field = first.field().isEmpty() ? "" : ", " + first.field();
    String more = count > 1 ? "; " + (count - 1) + " more" : "";
    Map<String, Object> error =
        body(
            status,
            "record " + first.index() + field + ": " + first.reason() + more + "; nothing is kept");
    error.put("wrong", count);
    error.put("records", records(wrong));
    return error;
  }

  private static Map<String, Object> body(int status, String message) {
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("message", message);
    error.put("status", HttpStatus.getMessage(status));
    return error;
  }

  private static List<Map<String, Object>> records(List<WrongRecord> wrong) {
    List<Map<String, Object>> records = new ArrayList<>();
    for (WrongRecord record : wrong) {
      Map<String, Object> told = new LinkedHashMap<>();
      told.put("index", record.index());
      told.put("field", record.field());
      told.put("reason", record.reason());
      records.add(told);
    }
    return records;
  }

  static byte[] bytes(Map<String, Object> value) {
    try {
      return JSON.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("texts and numbers are JSON", e);
    }
  }

  /** Answers with an error. What is left of the request's body is not waited for. */
  static void fail(Response response, Callback callback, int status, byte[] json) {
    fail(response, callback, status, json, null);
  }

  /** As above, with a header; null for none. */
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

package io.millrace.server.flight;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.apache.arrow.flight.CallStatus;

/**
 * A statement as clients keep it for us, in JSON. It is no secret and no promise: who shows one
 * might as well send its text.
 *
 * @param id of one execution, by which it is cancelled; empty before it is executed
 * @param sql as written
 * @param parameters values, as {@link io.millrace.store.SqlLiteral} writes them
 */
record StatementHandle(String id, String sql, List<String> parameters) {
  private static final ObjectMapper JSON = new ObjectMapper();

  StatementHandle {
    if (id == null || sql == null || parameters == null) {
      throw new IllegalArgumentException("the handle of a statement is none of ours");
    }
    parameters = List.copyOf(parameters);
  }

  static StatementHandle of(String sql) {
    return new StatementHandle("", sql, List.of());
  }

  /** The same, about to be executed once. */
  StatementHandle toExecution() {
    return new StatementHandle(UUID.randomUUID().toString(), sql, parameters);
  }

  StatementHandle withParameters(List<String> values) {
    return new StatementHandle(id, sql, values);
  }

  ByteString toBytes() {
    try {
      return ByteString.copyFrom(JSON.writeValueAsBytes(this));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("texts can be written as JSON", e);
    }
  }

  static StatementHandle parse(ByteString bytes) {
    try {
      return JSON.readValue(bytes.toByteArray(), StatementHandle.class);
    } catch (IOException e) {
      throw CallStatus.INVALID_ARGUMENT
          .withDescription("the handle of a statement is none of ours")
          .withCause(e)
          .toRuntimeException();
    }
  }
}

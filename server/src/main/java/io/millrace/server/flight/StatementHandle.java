package io.millrace.server.flight;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.apache.arrow.flight.CallStatus;

/**
 * A complete statement in JSON, which the client holds as a handle. It is not secret: a client
 * could also send the SQL.
 *
 * @param id id of one execution, for cancelling; empty before the execution
 * @param sql SQL as the client sent it
 * @param parameters values of parameters, written by {@link io.millrace.store.SqlLiteral}
 */
record StatementHandle(String id, String sql, List<String> parameters) {
  private static final ObjectMapper JSON = new ObjectMapper();

  StatementHandle {
    if (id == null || sql == null || parameters == null) {
      throw new IllegalArgumentException("invalid statement handle");
    }
    parameters = List.copyOf(parameters);
  }

  static StatementHandle of(String sql) {
    return new StatementHandle("", sql, List.of());
  }

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
      throw new IllegalStateException("serialization failed", e);
    }
  }

  static StatementHandle parse(ByteString bytes) {
    try {
      return JSON.readValue(bytes.toByteArray(), StatementHandle.class);
    } catch (IOException e) {
      throw CallStatus.INVALID_ARGUMENT
          .withDescription("invalid statement handle")
          .withCause(e)
          .toRuntimeException();
    }
  }
}

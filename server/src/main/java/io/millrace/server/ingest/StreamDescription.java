package io.millrace.server.ingest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.wire.record.RecordSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

final class StreamDescription {
  private static final Map<String, String> ANSWERS =
      new TreeMap<>(
          Map.of(
              "202", "records are in the log",
              "400", "invalid records: index, field and reason of each; all are rejected",
              "401", "missing or unknown token",
              "403", "token restricted to records of one gateway",
              "413", "larger than ingest.max-body (also after decompression) or than a log value",
              "415", "unsupported media type or encoding",
              "429", "rate limit exceeded; retry after Retry-After",
              "503", "back-pressure of the log; retry after Retry-After"));

  private StreamDescription() {}

  static byte[] of(List<RecordSchema> streams) {
    Map<String, Object> paths = new LinkedHashMap<>();
    for (RecordSchema stream : streams) {
      paths.put(IngestHandler.STREAMS + stream.name(), Map.of("post", post(stream)));
    }
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("openapi", "3.0.3");
    all.put("info", Map.of("title", "Records of streams", "version", "1"));
    all.put("paths", paths);
    all.put(
        "components",
        Map.of("securitySchemes", Map.of("token", Map.of("type", "http", "scheme", "bearer"))));
    all.put("security", List.of(Map.of("token", List.of())));
    try {
      return new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsBytes(all);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("serialization failed", e);
    }
  }

  private static Map<String, Object> post(RecordSchema stream) {
    Map<String, Object> record = record(stream);
    Map<String, Object> content = new LinkedHashMap<>();
    content.put(
        "application/json",
        Map.of(
            "schema", Map.of("oneOf", List.of(record, Map.of("type", "array", "items", record)))));
    content.put("application/x-ndjson", Map.of("schema", record));
    content.put("application/avro", Map.of("schema", Map.of("type", "string", "format", "binary")));
    Map<String, Object> post = new LinkedHashMap<>();
    post.put("operationId", stream.name());
    post.put("summary", "Sends records of the stream " + stream.name());
    post.put(
        "parameters",
        List.of(
            Map.of(
                "name", "partial",
                "in", "query",
                "description", "whether valid records are accepted if others are invalid",
                "schema", Map.of("type", "boolean", "default", false))));
    post.put("requestBody", Map.of("required", true, "content", content));
    Map<String, Object> responses = new LinkedHashMap<>();
    ANSWERS.forEach((status, what) -> responses.put(status, Map.of("description", what)));
    post.put("responses", responses);
    return post;
  }

  private static Map<String, Object> record(RecordSchema stream) {
    Map<String, Object> properties = new LinkedHashMap<>();
    stream.fields().forEach(field -> properties.put(field.name(), field(field)));
    Map<String, Object> record = new LinkedHashMap<>();
    record.put("type", "object");
    record.put("properties", properties);
    record.put(
        "required",
        stream.fields().stream()
            .filter(RecordSchema.Field::required)
            .map(RecordSchema.Field::name)
            .toList());
    return record;
  }

  private static Map<String, Object> field(RecordSchema.Field field) {
    Map<String, Object> all = new LinkedHashMap<>();
    switch (field.type()) {
      case NUMBER -> {
        all.put("type", "integer");
        all.put("format", "int64");
        all.put("minimum", field.least());
        all.put("maximum", field.most());
      }
      case FRACTION -> {
        all.put("type", "number");
        if (field.least() != Long.MIN_VALUE) {
          all.put("minimum", field.least());
          all.put("maximum", field.most());
        }
      }
      case FLAG -> all.put("type", "boolean");
      case TEXT -> {
        all.put("type", "string");
        all.put("description", field.least() + " to " + field.most() + " bytes in UTF-8");
      }
      case TIME -> {
        all.put("type", "integer");
        all.put("format", "int64");
        all.put(
            "description",
            field.unit().name().toLowerCase(Locale.ROOT) + " since the epoch; or RFC 3339 text");
      }
    }
    if (field.absent() != null) {
      all.put("default", field.absent());
    }
    if (!field.required() && field.absent() == null) {
      all.put("nullable", true);
    }
    return all;
  }
}

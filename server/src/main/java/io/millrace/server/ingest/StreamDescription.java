package io.millrace.server.ingest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.wire.record.RecordSchema;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Builds the OpenAPI description of all streams: a template whose paths of STREAM are repeated for
 * each stream.
 */
final class StreamDescription {
  private static final ObjectMapper JSON = new ObjectMapper();

  private StreamDescription() {}

  static byte[] of(List<RecordSchema> streams) {
    try (InputStream in = StreamDescription.class.getResourceAsStream("openapi.json")) {
      ObjectNode all = (ObjectNode) JSON.readTree(in);
      String template = all.remove("stream").toString();
      for (RecordSchema stream : streams) {
        JsonNode paths = JSON.readTree(template.replace("STREAM", stream.name()));
        paths.findValues("parameters").forEach(each -> addAttributes(stream, (ArrayNode) each));
        ((ObjectNode) all.get("paths")).setAll((ObjectNode) paths);
        ((ObjectNode) all.get("components").get("schemas")).set(stream.name(), record(stream));
      }
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(all);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void addAttributes(RecordSchema stream, ArrayNode parameters) {
    for (RecordSchema.Field field : stream.fields()) {
      if (field.attribute()) {
        parameters.add(
            JSON.valueToTree(
                Map.of(
                    "name",
                    field.name(),
                    "in",
                    "query",
                    "description",
                    "Value for records without it",
                    "schema",
                    field(field))));
      }
    }
  }

  private static JsonNode record(RecordSchema stream) {
    Map<String, Object> properties = new LinkedHashMap<>();
    stream.fields().forEach(field -> properties.put(field.name(), field(field)));
    Map<String, Object> record = new LinkedHashMap<>();
    record.put("type", "object");
    record.put("properties", properties);
    record.put(
        "required",
        stream.fields().stream()
            .filter(field -> field.required() && !field.attribute())
            .map(RecordSchema.Field::name)
            .toList());
    return JSON.valueToTree(record);
  }

  private static Map<String, Object> field(RecordSchema.Field field) {
    Map<String, Object> all = new LinkedHashMap<>();
    switch (field.type()) {
      case NUMBER -> {
        all.put("type", field.rounded() ? "number" : "integer");
        all.put("format", "int64");
        all.put("minimum", field.min());
        all.put("maximum", field.max());
      }
      case FRACTION -> {
        all.put("type", "number");
        if (field.min() != Long.MIN_VALUE) {
          all.put("minimum", field.min());
          all.put("maximum", field.max());
        }
      }
      case FLAG -> all.put("type", "boolean");
      case CHOICE -> {
        all.put("type", "string");
        all.put("enum", field.choices());
      }
      case TEXT -> {
        all.put("type", "string");
        all.put("description", field.min() + " to " + field.max() + " bytes in UTF-8");
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

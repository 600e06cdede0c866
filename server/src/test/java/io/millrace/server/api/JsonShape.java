package io.millrace.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Compares JSON with the part of JSON Schema that the description of the API uses. */
final class JsonShape {
  private final Map<String, Object> document;
  private final List<String> faults = new ArrayList<>();

  private JsonShape(Map<String, Object> document) {
    this.document = document;
  }

  /** Violations of a schema with their positions; empty if there are none. */
  static List<String> faults(Map<String, Object> document, Object schema, JsonNode value) {
    JsonShape shape = new JsonShape(document);
    shape.check(shape.resolve(schema), value, "$");
    return shape.faults;
  }

  /** Follows a reference within the document. */
  @SuppressWarnings("unchecked") // of a YAML document
  private Map<String, Object> resolve(Object schema) {
    Map<String, Object> map = (Map<String, Object>) schema;
    return map.containsKey("$ref") ? at(document, (String) map.get("$ref")) : map;
  }

  /** Resolves a reference such as {@code #/components/schemas/Top}. */
  @SuppressWarnings("unchecked") // of a YAML document
  static Map<String, Object> at(Map<String, Object> document, String reference) {
    Map<String, Object> found = document;
    for (String step : reference.substring(2).split("/", -1)) {
      found = (Map<String, Object>) found.get(step);
    }
    return found;
  }

  private void check(Map<String, Object> schema, JsonNode value, String place) {
    Object type = schema.get("type");
    List<?> types = type instanceof List<?> list ? list : type == null ? List.of() : List.of(type);
    if (!types.isEmpty() && types.stream().noneMatch(one -> is((String) one, value))) {
      faults.add(place + ": " + value + " is not of " + types);
    }
    if (schema.get("enum") instanceof List<?> allowed && !allowed.contains(value.asText())) {
      faults.add(place + ": " + value + " is not one of " + allowed);
    }
    if (schema.get("minimum") instanceof Number min && value.asLong() < min.longValue()) {
      faults.add(place + ": " + value + " is less than " + min);
    }
    if (value.isArray() && schema.containsKey("items")) {
      for (int i = 0; i < value.size(); i++) {
        check(resolve(schema.get("items")), value.get(i), place + "[" + i + "]");
      }
    } else if (value.isObject()) {
      checkObject(schema, value, place);
    }
  }

  private void checkObject(Map<String, Object> schema, JsonNode value, String place) {
    if (schema.get("required") instanceof List<?> required) {
      for (Object name : required) {
        if (!value.has((String) name)) {
          faults.add(place + ": " + name + " is missing");
        }
      }
    }
    Map<?, ?> properties =
        schema.get("properties") instanceof Map<?, ?> declared ? declared : Map.of();
    Object others = schema.getOrDefault("additionalProperties", true);
    for (Map.Entry<String, JsonNode> field : value.properties()) {
      Object property = properties.get(field.getKey());
      if (property == null && others instanceof Map<?, ?>) {
        property = others;
      }
      if (property != null) {
        check(resolve(property), field.getValue(), place + "." + field.getKey());
      } else if (Boolean.FALSE.equals(others)) {
        faults.add(place + ": " + field.getKey() + " is not described");
      }
    }
  }

  private static boolean is(String type, JsonNode value) {
    return switch (type) {
      case "object" -> value.isObject();
      case "array" -> value.isArray();
      case "string" -> value.isTextual();
      case "integer" -> value.isIntegralNumber();
      case "number" -> value.isNumber();
      case "boolean" -> value.isBoolean();
      case "null" -> value.isNull();
      default -> throw new AssertionError("no type of JSON: " + type);
    };
  }
}

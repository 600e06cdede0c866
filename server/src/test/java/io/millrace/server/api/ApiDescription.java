package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** An OpenAPI description, with which responses of a server are compared. */
public final class ApiDescription {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, Object> document;

  private ApiDescription(Map<String, Object> document) {
    this.document = document;
  }

  /** Parses the description that a server returns. */
  public static ApiDescription parse(String yaml) {
    return new ApiDescription(map(new Load(LoadSettings.builder().build()).loadFromString(yaml)));
  }

  private static Map<String, Object> map(Object yaml) {
    @SuppressWarnings("unchecked") // of a YAML document
    Map<String, Object> map = (Map<String, Object>) yaml;
    return map;
  }

  /** All methods and paths, such as {@code GET /api/v1/top}. */
  public Set<String> operations() {
    Set<String> operations = new TreeSet<>();
    map(document.get("paths"))
        .forEach(
            (path, methods) ->
                map(methods)
                    .keySet()
                    .forEach(
                        method -> operations.add(method.toUpperCase(Locale.ROOT) + " " + path)));
    return operations;
  }

  /**
   * Paths of GET requests that violate the description of one parameter: it is missing, empty, out
   * of range, or malformed.
   */
  public List<String> wrongQueries() {
    List<String> invalid = new ArrayList<>();
    map(document.get("paths"))
        .forEach(
            (path, methods) -> {
              Object get = map(methods).get("get");
              if (get != null && map(get).get("parameters") instanceof List<?> parameters) {
                parameters.forEach(one -> invalidValues(path, map(one), parameters, invalid));
              }
            });
    return invalid;
  }

  private static void invalidValues(
      String path, Map<String, Object> parameter, List<?> all, List<String> invalid) {
    String others =
        all.stream()
            .map(ApiDescription::map)
            .filter(one -> one != parameter && Boolean.TRUE.equals(one.get("required")))
            .map(one -> one.get("name") + "=" + sample(map(one.get("schema"))) + "&")
            .collect(Collectors.joining());
    if (Boolean.TRUE.equals(parameter.get("required"))) {
      invalid.add(path + "?" + others);
    }
    Map<String, Object> schema = map(parameter.get("schema"));
    List<Object> values = new ArrayList<>();
    if (schema.containsKey("enum") || schema.containsKey("format")) {
      values.add("bogus");
    }
    if (schema.containsKey("format") || schema.containsKey("minLength")) {
      values.add("");
    }
    if (schema.get("type").equals("boolean")) {
      values.addAll(List.of("", "maybe", "1"));
    }
    if (schema.get("type").equals("integer")) {
      values.addAll(List.of("", "x", "1.5", "99999999999999999999"));
      values.add(((Number) schema.get("minimum")).longValue() - 1);
      values.add(((Number) schema.get("maximum")).longValue() + 1);
    }
    values.forEach(value -> invalid.add(path + "?" + others + parameter.get("name") + "=" + value));
  }

  private static String sample(Map<String, Object> schema) {
    return "date-time".equals(schema.get("format")) ? "2026-01-31T12:00:00Z" : "as";
  }

  /**
   * Asserts that a response matches the description: its status, media type and, for JSON, its
   * schema.
   *
   * @param operation one of {@link #operations()}
   * @param name the request, for the message
   */
  public void check(String operation, String name, HttpResponse<String> answer) throws IOException {
    String[] parts = operation.split(" ", 2);
    Map<String, Object> path = map(map(document.get("paths")).get(parts[1]));
    assertThat(path).as(name).isNotNull();
    Map<String, Object> responses =
        map(map(path.get(parts[0].toLowerCase(Locale.ROOT))).get("responses"));
    String status = Integer.toString(answer.statusCode());
    assertThat(responses).as(name).containsKey(status);
    Map<String, Object> declared = map(responses.get(status));
    if (declared.containsKey("$ref")) {
      declared = JsonShape.at(document, (String) declared.get("$ref"));
    }
    Map<String, Object> content = map(declared.get("content"));
    String type = mediaType(answer);
    assertThat(content).as(name).containsKey(type);
    if (type.equals("application/json")) {
      Object schema = map(content.get(type)).get("schema");
      assertThat(JsonShape.faults(document, schema, JSON.readTree(answer.body())))
          .as(name + ": " + answer.body())
          .isEmpty();
    }
  }

  /** Media type of a response, without parameters. */
  public static String mediaType(HttpResponse<?> answer) {
    return answer.headers().firstValue("Content-Type").orElse("").replaceAll(";.*", "").strip();
  }
}

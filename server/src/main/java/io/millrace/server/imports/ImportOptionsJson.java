package io.millrace.server.imports;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.pipelines.imports.ImportOptions;
import java.time.Instant;
import java.util.Optional;

final class ImportOptionsJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ImportOptionsJson() {}

  static String write(ImportOptions options) {
    ObjectNode node = JSON.createObjectNode();
    options.mapping().ifPresent(mapping -> node.put("mapping", mapping));
    options.time().ifPresent(time -> node.put("time", time.toString()));
    return node.toString();
  }

  static ImportOptions read(String text) {
    try {
      JsonNode node = JSON.readTree(text);
      return new ImportOptions(
          Optional.ofNullable(node.path("mapping").textValue()),
          Optional.ofNullable(node.path("time").textValue()).map(Instant::parse));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("invalid options in the table imports: " + text, e);
    }
  }
}

package io.millrace.cli.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.testing.GrafanaSql;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The dashboards and alerts of {@code deploy}. */
final class Dashboards {
  static final Path DEPLOY = Path.of("..", "deploy");
  static final Path RULES = DEPLOY.resolve("prometheus").resolve("millrace.rules.yml");
  static final Path RULES_TEST = DEPLOY.resolve("prometheus").resolve("millrace.rules.test.yml");

  private Dashboards() {}

  /** A query of a panel or of a variable. */
  record Query(String dashboard, String panel, String format, String text) {
    @Override
    public String toString() {
      return dashboard + ", " + panel;
    }

    /** As Grafana writes out PromQL for one instance. */
    String expandedPromQl(String instance, String exporters) {
      return text.replace("$__rate_interval", "10s")
          .replace("$instance", instance)
          .replace("$exporter", exporters);
    }
  }

  static List<JsonNode> all() {
    try {
      List<JsonNode> all = new ArrayList<>();
      for (Path file : GrafanaSql.dashboards()) {
        all.add(new ObjectMapper().readTree(file.toFile()));
      }
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<Query> sql() {
    return queries("queryText");
  }

  static List<Query> promQl() {
    return queries("expr");
  }

  private static List<Query> queries(String field) {
    List<Query> queries = new ArrayList<>();
    for (JsonNode dashboard : all()) {
      String title = dashboard.path("title").asText();
      for (JsonNode panel : dashboard.path("panels")) {
        for (JsonNode target : panel.path("targets")) {
          if (target.has(field)) {
            queries.add(
                new Query(
                    title,
                    panel.path("title").asText(),
                    target.path("format").asText(),
                    target.path(field).asText()));
          }
        }
      }
    }
    return queries;
  }

  /** The alerts, each with its fields. */
  @SuppressWarnings("unchecked")
  static List<Map<String, Object>> alerts() {
    List<Map<String, Object>> groups = (List<Map<String, Object>>) yaml(RULES).get("groups");
    return groups.stream()
        .flatMap(group -> ((List<Map<String, Object>>) group.get("rules")).stream())
        .toList();
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> yaml(Path file) {
    try {
      return (Map<String, Object>)
          new Load(LoadSettings.builder().build()).loadFromString(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The query of the variable for exporters. */
  static String exporterVariable() {
    for (JsonNode dashboard : all()) {
      for (JsonNode variable : dashboard.path("templating").path("list")) {
        if (variable.path("name").asText().equals("exporter")) {
          return variable.path("query").asText();
        }
      }
    }
    throw new IllegalStateException("no dashboard has a variable for exporters");
  }
}

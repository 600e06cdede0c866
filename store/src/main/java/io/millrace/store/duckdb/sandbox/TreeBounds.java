package io.millrace.store.duckdb.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Limits the size of queries so that parsing and planning take a moment: neither can be
 * interrupted, and planning time is quadratic in the number of conditions, or doubles with each
 * name in {@code WITH} that is used twice.
 */
public final class TreeBounds {
  static final int MAX_CHARACTERS = 64 << 10;

  static final int MAX_BRACKETS = 200;

  static final int MAX_EXPRESSIONS = 1_000;

  static final int MAX_TABLES = 100;

  private static final int MAX_SAMPLE = 1_000_000;

  private static final int MAX_SELECTS = 200;
  private static final int MAX_GROUPING_SETS = 64;
  private static final int MAX_PATH = 8;

  private static final Pattern SELECT = Pattern.compile("(?i)\\bselect\\b");

  private static final Pattern CUBE = Pattern.compile("(?i)\\bcube\\s*+\\((?:[^,()]*+,){6}");

  private static final Pattern PATH =
      Pattern.compile("(?:\\.\\s*+[\\p{L}_][\\p{L}\\p{N}_]*+\\s*+){" + MAX_PATH + "}");

  private int expressions;

  private TreeBounds() {}

  /** Checks a query before it is parsed. */
  public static void checkText(String sql) {
    if (sql.length() > MAX_CHARACTERS) {
      throw tooMuch(MAX_CHARACTERS, "characters");
    }
    int open = 0; // also counts brackets in texts, since nothing is parsed yet
    for (int i = 0; i < sql.length(); i++) {
      switch (sql.charAt(i)) {
        case '(', '[', '{' -> open++;
        case ')', ']', '}' -> open = Math.max(0, open - 1);
        default -> {}
      }
      if (open > MAX_BRACKETS) {
        throw tooMuch(MAX_BRACKETS, "nested brackets");
      }
    }
    // These make the parser's result large. They are roughly counted here, and exactly in the
    // result.
    if (SELECT.matcher(sql).results().skip(MAX_SELECTS).findAny().isPresent()) {
      throw tooMuch(MAX_SELECTS, "SELECTs");
    }
    if (CUBE.matcher(sql).find()) {
      throw tooMuch(6, "columns in CUBE");
    }
    if (PATH.matcher(sql).find()) {
      throw tooMuch(MAX_PATH, "parts of a name");
    }
  }

  static void check(JsonNode query) {
    TreeBounds bounds = new TreeBounds();
    bounds.count(query);
    bounds.tables(query, new HashMap<>());
  }

  private static RuntimeException tooMuch(int most, String what) {
    return Sandbox.rejected("more than " + most + " " + what);
  }

  private void count(JsonNode node) {
    String kind = node.path("class").asText();
    if (!kind.isEmpty() && !kind.equals("CONSTANT") && ++expressions > MAX_EXPRESSIONS) {
      throw tooMuch(MAX_EXPRESSIONS, "columns, functions and comparisons");
    }
    if (node.path("group_sets").size() > MAX_GROUPING_SETS) {
      throw tooMuch(MAX_GROUPING_SETS, "grouping sets");
    }
    JsonNode sample = node.path("sample");
    if (!sample.path("is_percentage").asBoolean()
        && sample.path("sample_size").path("value").asDouble() > MAX_SAMPLE) {
      throw tooMuch(MAX_SAMPLE, "rows in a sample");
    }
    for (JsonNode child : node) {
      count(child);
    }
  }

  private double tables(JsonNode node, Map<String, Double> named) {
    Map<String, Double> inside = node.has("cte_map") ? new HashMap<>(named) : named;
    for (JsonNode entry : node.path("cte_map").path("map")) {
      String name = entry.path("key").asText().toLowerCase(Locale.ROOT);
      inside.put(name, 1.0); // its own name, if it is recursive
      inside.put(name, Math.max(1, tables(entry.path("value"), inside)));
    }
    double tables = 0;
    String type = node.path("type").asText();
    if (type.equals("BASE_TABLE")) {
      tables += inside.getOrDefault(node.path("table_name").asText().toLowerCase(Locale.ROOT), 1.0);
    } else if (type.equals("TABLE_FUNCTION")) {
      tables++;
    }
    if (node.isObject()) {
      for (var field : node.properties()) {
        if (!field.getKey().equals("cte_map")) {
          tables += tables(field.getValue(), inside);
        }
      }
    } else {
      for (JsonNode child : node) {
        tables += tables(child, inside);
      }
    }
    if (tables > MAX_TABLES) {
      throw tooMuch(MAX_TABLES, "tables");
    }
    return tables;
  }
}

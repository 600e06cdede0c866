package io.millrace.store.duckdb.sandbox;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Functions, syntax and types that a query may use, from the lists {@code functions.txt} and {@code
 * syntax.txt}.
 */
public final class AllowedSql {
  /** Page that lists the functions, below the root of the repository. */
  public static final String PAGE = "docs/reference/functions.md";

  static final String TABLES = "Tables";

  private static final String AGGREGATES = "Aggregates";

  private static final Map<String, Set<String>> FUNCTIONS = read("functions.txt");
  private static final Map<String, Set<String>> SYNTAX = read("syntax.txt");
  private static final Set<String> SCALARS = scalars();

  private AllowedSql() {}

  /** DuckDB's names of functions, by the name of their group. */
  public static Map<String, Set<String>> functions() {
    return FUNCTIONS;
  }

  static boolean isFunction(String name) {
    return SCALARS.contains(name.toLowerCase(Locale.ROOT));
  }

  static boolean isTableFunction(String name) {
    return FUNCTIONS.get(TABLES).contains(name.toLowerCase(Locale.ROOT));
  }

  static boolean isAggregate(String name) {
    return FUNCTIONS.get(AGGREGATES).contains(name.toLowerCase(Locale.ROOT));
  }

  static boolean isSyntax(String node) {
    return SYNTAX.get("queries").contains(node)
        || SYNTAX.get("tables").contains(node)
        || SYNTAX.get("expressions").contains(node);
  }

  static boolean isType(String name) {
    return SYNTAX.get("types").contains(name.toLowerCase(Locale.ROOT));
  }

  private static Set<String> scalars() {
    Set<String> scalars = new LinkedHashSet<>();
    FUNCTIONS.forEach(
        (group, names) -> {
          if (!group.equals(TABLES)) {
            names.forEach(name -> scalars.add(name.toLowerCase(Locale.ROOT)));
          }
        });
    return scalars;
  }

  private static Map<String, Set<String>> read(String file) {
    Map<String, Set<String>> groups = new LinkedHashMap<>();
    Set<String> group = new LinkedHashSet<>();
    try (InputStream bytes = AllowedSql.class.getResourceAsStream(file);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("[") && line.endsWith("]")) {
          group = new LinkedHashSet<>();
          groups.put(line.substring(1, line.length() - 1), group);
        } else if (!line.isBlank() && !line.startsWith("# ")) {
          group.add(line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return groups;
  }
}

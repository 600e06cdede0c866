package io.millrace.store;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Classification of interfaces by their names: each boundary with patterns as in SQL's {@code
 * ILIKE} ({@code %} for any text, {@code _} for one character, case-insensitive). An interface has
 * the first boundary with a pattern that its name or description matches, or none.
 *
 * @param patterns by boundary, in the order in which they are tried
 */
public record Boundaries(Map<String, List<String>> patterns) {
  /** An unquoted YAML number; no sensible pattern. */
  private static final Pattern NUMBER = Pattern.compile("[0-9.+-]+");

  private static final Pattern WORD = Pattern.compile("[a-z][a-z0-9_-]{0,62}");

  /** Copies and validates the patterns. */
  public Boundaries {
    Map<String, List<String>> copy = new LinkedHashMap<>();
    patterns.forEach((boundary, its) -> copy.put(boundary, List.copyOf(its)));
    patterns = Collections.unmodifiableMap(copy);
    patterns.forEach(Boundaries::check);
  }

  private static void check(String boundary, List<String> patterns) {
    String key = "store.boundaries." + boundary;
    if (!WORD.matcher(boundary).matches()) {
      throw new IllegalArgumentException(
          key
              + ": invalid boundary, expected lower-case letters, digits, _ and -, such as external");
    }
    if (patterns.isEmpty() || patterns.contains("")) {
      throw new IllegalArgumentException(
          key + ": missing pattern; expected one for names or descriptions, such as 'transit%'");
    }
    for (String pattern : patterns) {
      if (NUMBER.matcher(pattern).matches()) {
        throw new IllegalArgumentException(
            key
                + ": "
                + pattern
                + " is a number, expected a pattern for names or descriptions, such as"
                + " 'transit%'");
      }
    }
  }
}

package io.millrace.store;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What lies behind an interface, by what its device calls it: each boundary with patterns as SQL's
 * {@code ILIKE} has them ({@code %} for any text, {@code _} for one character, without regard to
 * case). An interface has the first boundary with a pattern that its name or its description
 * matches, and none where no pattern does.
 *
 * @param patterns by boundary, in the order in which they are tried
 */
public record Boundaries(Map<String, List<String>> patterns) {
  /** Of an interface perhaps, which is called otherwise. */
  private static final Pattern NUMBER = Pattern.compile("[0-9.+-]+");

  private static final Pattern WORD = Pattern.compile("[a-z][a-z0-9_-]{0,62}");

  /** Copies and checks the patterns. */
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
          key + ": a boundary is called by lower-case letters, digits, _ and -, such as external");
    }
    if (patterns.isEmpty() || patterns.contains("")) {
      throw new IllegalArgumentException(
          key + ": a pattern is missing; write what names or descriptions look like: 'transit%'");
    }
    for (String pattern : patterns) {
      if (NUMBER.matcher(pattern).matches()) {
        throw new IllegalArgumentException(
            key
                + ": "
                + pattern
                + " is a number and no pattern; write what names or descriptions look like:"
                + " 'transit%'");
      }
    }
  }
}

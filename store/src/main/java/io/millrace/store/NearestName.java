package io.millrace.store;

import java.util.Collection;
import java.util.Optional;

/**
 * Finds the known name that somebody meant: by the fewest changed, added or left out letters. For
 * messages of filters and settings.
 */
public final class NearestName {
  private NearestName() {}

  /** The nearest of the known names, if it is near enough to be a slip of the finger. */
  public static Optional<String> of(String wrong, Collection<String> known) {
    String best = null;
    // Of a word of three letters, two others would make any word.
    int bestDistance = Math.min(Math.max(2, wrong.length() / 3), wrong.length() / 2) + 1;
    for (String name : known) {
      int distance = distance(wrong, name);
      if (distance < bestDistance) {
        bestDistance = distance;
        best = name;
      }
    }
    return Optional.ofNullable(best);
  }

  /** Levenshtein's distance, one row at a time. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}

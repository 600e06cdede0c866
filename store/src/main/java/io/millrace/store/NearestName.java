package io.millrace.store;

import java.util.Collection;
import java.util.Optional;

/**
 * Finds the known name that somebody meant: by the fewest changed, added, left out or swapped
 * letters. For messages of filters, settings and commands.
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

  /** Levenshtein's distance, two neighbours that are swapped counting as one edit. */
  private static int distance(String a, String b) {
    int[][] edits = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      edits[i][0] = i;
    }
    for (int j = 0; j <= b.length(); j++) {
      edits[0][j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      for (int j = 1; j <= b.length(); j++) {
        int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int least = Math.min(edits[i - 1][j], edits[i][j - 1]) + 1;
        least = Math.min(least, edits[i - 1][j - 1] + change);
        boolean isSwap =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        edits[i][j] = isSwap ? Math.min(least, edits[i - 2][j - 2] + 1) : least;
      }
    }
    return edits[a.length()][b.length()];
  }
}

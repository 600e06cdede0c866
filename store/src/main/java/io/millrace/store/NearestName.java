package io.millrace.store;

import java.util.Collection;
import java.util.Optional;

/**
 * Suggests the known name for a mistyped one, by the fewest changed, added, missing or swapped
 * letters.
 */
public final class NearestName {
  private NearestName() {}

  /** The nearest known name, if the distance is small enough for a typo. */
  public static Optional<String> of(String wrong, Collection<String> known) {
    String best = null;
    // Two edits would turn a word of three letters into any other.
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
        int min = Math.min(edits[i - 1][j], edits[i][j - 1]) + 1;
        min = Math.min(min, edits[i - 1][j - 1] + change);
        boolean isSwap =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        edits[i][j] = isSwap ? Math.min(min, edits[i - 2][j - 2] + 1) : min;
      }
    }
    return edits[a.length()][b.length()];
  }
}

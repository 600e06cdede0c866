package io.millrace.lab.trends;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Page titles by rank, as text: a project, a space, a word of two to six syllables, an underscore
 * and the rank.
 */
final class Titles {
  private static final String[] PROJECTS = {"en", "de", "fr", "es", "ja", "en.m", "ru", "pt.m"};
  private static final String[] SYLLABLES = {
    "ba", "ri", "ton", "mel", "or", "sa", "gri", "lo", "nu", "ven", "ka", "du", "ster", "pi", "an"
  };

  private final byte[] bytes;
  private final int[] ends;

  Titles(int count) {
    SplittableRandom random = new SplittableRandom(5);
    ends = new int[count];
    byte[] all = new byte[count * 64];
    int end = 0;
    for (int rank = 0; rank < count; rank++) {
      StringBuilder title = new StringBuilder(PROJECTS[random.nextInt(PROJECTS.length)]);
      title.append(' ');
      for (int syllables = 2 + random.nextInt(5); syllables > 0; syllables--) {
        title.append(SYLLABLES[random.nextInt(SYLLABLES.length)]);
      }
      byte[] text = title.append('_').append(rank).toString().getBytes(StandardCharsets.UTF_8);
      System.arraycopy(text, 0, all, end, text.length);
      end += text.length;
      ends[rank] = end;
    }
    bytes = all;
  }

  private int start(int rank) {
    return rank == 0 ? 0 : ends[rank - 1];
  }

  /** Copies a title and returns the position after it. */
  int copy(int rank, byte[] to, int at) {
    int length = ends[rank] - start(rank);
    System.arraycopy(bytes, start(rank), to, at, length);
    return at + length;
  }

  String text(int rank) {
    return new String(bytes, start(rank), ends[rank] - start(rank), StandardCharsets.UTF_8);
  }
}

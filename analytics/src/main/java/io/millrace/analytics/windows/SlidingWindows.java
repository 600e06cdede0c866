package io.millrace.analytics.windows;

import java.io.Serializable;

/**
 * Windows of one length that start at multiples of a slide, counted from the epoch; and their
 * panes, each as long as the greatest common divisor of both.
 *
 * <pre>
 *   size 6, slide 4, pane 2
 *
 *   panes    | 0 | 2 | 4 | 6 | 8 |10 |12 |
 *   windows  |-----------|
 *                    |-----------|
 *                            |-----------|
 * </pre>
 *
 * A window is named by its end, exclusive. Times are microseconds since the epoch.
 *
 * @param size of a window in microseconds, at least 1
 * @param slide from the start of a window to the next one's, in microseconds, 1 to {@code size}
 */
public record SlidingWindows(long size, long slide) implements Serializable {
  public SlidingWindows {
    if (size < 1 || slide < 1 || slide > size) {
      throw new IllegalArgumentException(
          "windows of "
              + size
              + " µs that slide by "
              + slide
              + " µs: expected a slide from 1 to the size");
    }
  }

  /** Windows without overlap. */
  public static SlidingWindows tumbling(long size) {
    return new SlidingWindows(size, size);
  }

  /** Length of a pane in microseconds. */
  public long pane() {
    long a = size;
    long b = slide;
    while (b != 0) {
      long rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }

  /** Start of the pane of a time. */
  public long paneOf(long micros) {
    return Math.floorDiv(micros, pane()) * pane();
  }

  /** End of the first window that ends after a time. */
  public long firstEndAfter(long micros) {
    return Math.floorDiv(micros - size, slide) * slide + slide + size;
  }
}

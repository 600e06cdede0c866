package io.millrace.datasets.keyvalue;

/** Allocation-free stable merge sort of positions; one pass for sorted input. */
final class IndexSort {
  interface Order {
    int compare(int a, int b);
  }

  private IndexSort() {}

  /** Sorted positions; equal ones in ascending order. */
  static int[] sort(int n, Order by) {
    int[] from = new int[n];
    for (int i = 0; i < n; i++) {
      from[i] = i;
    }
    int[] to = new int[n];
    for (long width = 1; width < n; width *= 2) {
      for (long low = 0; low < n; low += 2 * width) {
        merge(
            from,
            to,
            (int) low,
            (int) Math.min(low + width, n),
            (int) Math.min(low + 2 * width, n),
            by);
      }
      int[] swap = from;
      from = to;
      to = swap;
    }
    return from;
  }

  private static void merge(int[] from, int[] to, int low, int middle, int high, Order by) {
    if (middle == high || by.compare(from[middle - 1], from[middle]) <= 0) {
      System.arraycopy(from, low, to, low, high - low);
      return;
    }
    int a = low;
    int b = middle;
    for (int i = low; i < high; i++) {
      boolean first = a < middle && (b == high || by.compare(from[a], from[b]) <= 0);
      to[i] = first ? from[a++] : from[b++];
    }
  }
}

package io.millrace.wire.netflow;

/**
 * Missing sequence numbers of one exporter, as the last {@value #MAX} gaps between datagrams.
 * Distinguishes late datagrams, whose numbers lie in a gap, from duplicates.
 *
 * <p>For protocols that number records (NetFlow version 5, IPFIX): a datagram has as many numbers
 * as records. Numbers have 32 bits and wrap around; all tracked numbers are within 2³¹ of each
 * other. Not thread-safe.
 */
public final class SequenceGaps {
  /** Maximum number of gaps. */
  public static final int MAX = 16;

  private final int[] from = new int[MAX]; // oldest first
  private final int[] to = new int[MAX];
  private int size;
  private int horizon;

  /** Number of gaps. */
  public int size() {
    return size;
  }

  /** First missing number of a gap; the oldest is gap 0. */
  public int from(int gap) {
    return from[gap];
  }

  /** First number after a gap. */
  public int to(int gap) {
    return to[gap];
  }

  /** Numbers before this one are not tracked. */
  public int horizon() {
    return horizon;
  }

  /** Removes all gaps and tracks numbers from this one. */
  public void clear(int number) {
    size = 0;
    horizon = number;
  }

  /** Adds the gap [{@code first}, {@code end}), which is after all others. */
  public void add(int first, int end) {
    insert(size, first, end);
  }

  /**
   * Removes [{@code first}, {@code end}) from the gap that contains all of it; false if there is no
   * such gap.
   */
  public boolean fill(int first, int end) {
    for (int i = 0; i < size; i++) {
      if (first - from[i] >= 0 && to[i] - end >= 0) {
        int rest = to[i];
        if (first != from[i]) {
          to[i] = first;
          if (end != rest) {
            insert(i + 1, end, rest);
          }
        } else if (end != rest) {
          from[i] = end;
        } else {
          remove(i, 1);
        }
        return true;
      }
    }
    return false;
  }

  private void insert(int at, int gapFrom, int gapTo) {
    int place = at;
    if (size == MAX) {
      horizon = to[0];
      remove(0, 1);
      place--;
    }
    System.arraycopy(from, place, from, place + 1, size - place);
    System.arraycopy(to, place, to, place + 1, size - place);
    from[place] = gapFrom;
    to[place] = gapTo;
    size++;
  }

  /** Removes the gaps that end at or before a number, which becomes the horizon. */
  public void forgetBefore(int number) {
    horizon = number;
    int old = 0;
    while (old < size && to[old] - number <= 0) {
      old++;
    }
    remove(0, old);
  }

  private void remove(int gap, int count) {
    size -= count;
    System.arraycopy(from, gap + count, from, gap, size - gap);
    System.arraycopy(to, gap + count, to, gap, size - gap);
  }
}

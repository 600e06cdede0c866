package io.millrace.wire.netflow;

/**
 * The numbers that one exporter has counted and that have not arrived, as the last {@value #MOST}
 * gaps between datagrams: a late datagram lies in one of them, a duplicate in none.
 *
 * <p>For protocols that number records (NetFlow version 5, IPFIX), where a datagram takes as many
 * numbers as it has records. Numbers have 32 bits and wrap; all that are held together lie within
 * 2³¹ of each other. Not thread-safe.
 */
public final class SequenceGaps {
  /** How many gaps are remembered. */
  public static final int MOST = 16;

  private final int[] from = new int[MOST]; // in order, the oldest first
  private final int[] to = new int[MOST];
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

  /** First number behind a gap. */
  public int to(int gap) {
    return to[gap];
  }

  /** Of what is before this number, nothing is known. */
  public int horizon() {
    return horizon;
  }

  /** Forgets all; nothing is known of what is before the number. */
  public void clear(int number) {
    size = 0;
    horizon = number;
  }

  /** Takes note that [{@code first}, {@code end}) is missing, behind all that is known. */
  public void add(int first, int end) {
    insert(size, first, end);
  }

  /**
   * Takes [{@code first}, {@code end}) out of the gap in which it lies; false if it lies in none as
   * a whole.
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

  /** Forgets the oldest gap where there is no room. */
  private void insert(int at, int gapFrom, int gapTo) {
    int place = at;
    if (size == MOST) {
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

  /** Forgets the gaps that end before a number. */
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

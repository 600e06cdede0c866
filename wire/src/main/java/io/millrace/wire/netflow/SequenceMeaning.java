package io.millrace.wire.netflow;

import java.util.Arrays;

/**
 * Learns what an exporter's sequence numbers count.
 *
 * <p>By the specifications version 9 counts datagrams and IPFIX data records. Exporters differ:
 * some of version 9 count flow records (softflowd before 1.0.1), some of IPFIX count datagrams,
 * leave out the records of options, or count those of one template alone. Each of these meanings
 * says which number comes next. Where the current one is wrong and another one right several times
 * in succession, that is taken from then on, and what seemed lost since is not. {@value #TURNS}
 * times are enough where the two were never told apart before, {@value #SURE_TURNS} otherwise, as
 * losses may look alike. Where none is ever right, the numbers tell nothing of losses. Not
 * thread-safe.
 */
public final class SequenceMeaning {
  /** Numbers rise by one for each datagram. */
  public static final int DATAGRAMS = 0;

  /** Numbers rise by the data records, those of options included. */
  public static final int RECORDS = 1;

  /** Numbers rise by the data records that are not of options. */
  public static final int FLOWS = 2;

  /**
   * Numbers rise by nothing that is known. Any other meaning is the id of the template it counts.
   */
  public static final int UNKNOWN = 3;

  static final int TURNS = 2;
  static final int SURE_TURNS = 16;

  /** Datagrams of which no meaning is right, until the numbers are taken to tell nothing. */
  static final int HOPELESS = 32;

  /** Lost datagrams or records for each that came, beyond which no loss explains the numbers. */
  private static final long MOST_LOST = 8;

  /** Datagrams that tell meanings apart, until the current one is not doubted any more. */
  private static final int CERTAIN = 64;

  private static final int MOST = 8;
  private static final int FIXED = 3;
  private static final int NONE = -1;
  private static final int FRONT = 4;
  private static final int EACH = 6;

  private final int[] meaning = new int[MOST];
  private final int[] records = new int[MOST]; // of the datagram at hand
  private final int[] rise = new int[MOST]; // by the datagram before; -1: not known
  private final int[] next = new int[MOST];
  private final int[] right = new int[MOST]; // in succession, while the current one was wrong
  private final int[] wrong = new int[MOST]; // while the current one was right
  private final long[] lostBefore = new long[MOST]; // what was lost when it began to be right
  private int size = FIXED;
  private int current;
  private int misses; // of the current meaning, until it is right for the first time
  private int certainty;
  private long lost;
  private boolean isKnown;

  /**
   * An exporter of which nothing is known but the protocol.
   *
   * @param usual {@link #DATAGRAMS} or {@link #RECORDS}
   */
  public SequenceMeaning(int usual) {
    current = usual;
    for (int i = 0; i < FIXED; i++) {
      meaning[i] = i;
    }
    Arrays.fill(rise, NONE);
  }

  /** What the numbers count. */
  public int meaning() {
    return current == NONE ? UNKNOWN : meaning[current];
  }

  /** Whether numbers count datagrams beyond doubt, so that records need not be counted for it. */
  public boolean isCertain() {
    return current == DATAGRAMS && certainty == CERTAIN;
  }

  /** A datagram begins, of no records so far. */
  public void begin() {
    Arrays.fill(records, 0, size, 0);
    isKnown = true;
  }

  /** Records of the datagram, all of one template. */
  public void add(int templateId, boolean isOptions, int count) {
    records[RECORDS] += count;
    records[FLOWS] += isOptions ? 0 : count;
    int i = FIXED;
    while (i < size && meaning[i] != templateId) {
      i++;
    }
    if (i < size) {
      records[i] += count;
    } else if (size < MOST) {
      meaning[size] = templateId;
      records[size] = count;
      rise[size++] = NONE;
    }
  }

  /** The datagram has records whose number cannot be told. */
  public void unknown() {
    isKnown = false;
  }

  /** By how much the numbers rise with the datagram at hand; -1 if that is not known. */
  public int rise() {
    return current == NONE ? NONE : rise(current);
  }

  private int rise(int i) {
    return i == DATAGRAMS ? 1 : isKnown ? records[i] : NONE;
  }

  /** What was lost, by what is known now; means something where the meaning has just changed. */
  public long lost() {
    return lost;
  }

  /**
   * Takes note of the number of the datagram at hand.
   *
   * @param lostSoFar what seems lost by the current meaning, without this datagram
   * @return whether the meaning is another one from this datagram on
   */
  public boolean observe(int sequence, long lostSoFar) {
    int before = current;
    boolean isRight = current != NONE && isRight(current, sequence);
    for (int i = 0; i < size; i++) {
      if (i != current && rise[i] != NONE) {
        compare(i, isRight, isRight(i, sequence), lostSoFar);
      }
    }
    if (isRight) {
      misses = NONE;
    } else if (current != NONE && rise[current] != NONE) {
      learn(lostSoFar);
    } else if (current == NONE) {
      learn(0);
    }
    for (int i = 0; i < size; i++) {
      rise[i] = rise(i);
      next[i] = sequence + Math.max(0, rise[i]);
    }
    return current != before;
  }

  private boolean isRight(int i, int sequence) {
    return rise[i] != NONE && next[i] == sequence;
  }

  /** A datagram that counts nothing by some meaning is no proof of it: it may have come twice. */
  private void compare(int i, boolean isCurrentRight, boolean isThisRight, long lostSoFar) {
    if (!isThisRight) {
      right[i] = 0;
      if (isCurrentRight && rise[current] > 0) {
        wrong[i] = Math.min(CERTAIN, wrong[i] + 1);
        certainty = Math.min(CERTAIN, certainty + (i == RECORDS ? 1 : 0));
      }
    } else if (!isCurrentRight && rise[i] > 0 && (current == NONE || rise[current] != NONE)) {
      lostBefore[i] = right[i] == 0 ? lostSoFar : lostBefore[i];
      right[i]++;
    }
  }

  private void learn(long lostSoFar) {
    int best = NONE;
    for (int i = 0; i < size; i++) {
      boolean isEnough = right[i] >= (wrong[i] == 0 ? TURNS : SURE_TURNS);
      if (i != current && isEnough && (best == NONE || right[i] > right[best])) {
        best = i;
      }
    }
    if (best != NONE) {
      lost = lostBefore[best];
      change(best);
    } else if (current != NONE
        && misses != NONE
        && ++misses == HOPELESS
        && lostSoFar > MOST_LOST * misses) {
      lost = 0;
      change(NONE);
    }
  }

  private void change(int to) {
    current = to;
    misses = NONE;
    certainty = 0;
    Arrays.fill(right, 0);
    Arrays.fill(wrong, 0);
  }

  /** The state, for {@link #restore}. */
  public long[] snapshot() {
    long[] state = new long[FRONT + EACH * size];
    state[0] = current;
    state[1] = misses;
    state[2] = certainty;
    state[3] = lost;
    for (int i = 0, at = FRONT; i < size; i++, at += EACH) {
      state[at] = meaning[i];
      state[at + 1] = rise[i];
      state[at + 2] = next[i];
      state[at + 3] = right[i];
      state[at + 4] = wrong[i];
      state[at + 5] = lostBefore[i];
    }
    return state;
  }

  /**
   * Takes the state that {@link #snapshot} gave.
   *
   * @throws IllegalArgumentException if it is none
   */
  public void restore(long[] state) {
    int many = (state.length - FRONT) / EACH;
    if ((state.length - FRONT) % EACH != 0
        || many < FIXED
        || many > MOST
        || state[0] < NONE
        || state[0] >= many) {
      throw new IllegalArgumentException(state.length + " numbers in the meaning of a sequence");
    }
    size = many;
    current = (int) state[0];
    misses = (int) state[1];
    certainty = (int) state[2];
    lost = state[3];
    for (int i = 0, at = FRONT; i < size; i++, at += EACH) {
      meaning[i] = (int) state[at];
      rise[i] = (int) state[at + 1];
      next[i] = (int) state[at + 2];
      right[i] = (int) state[at + 3];
      wrong[i] = (int) state[at + 4];
      lostBefore[i] = state[at + 5];
    }
  }
}

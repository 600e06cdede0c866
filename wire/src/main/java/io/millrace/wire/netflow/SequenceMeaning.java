package io.millrace.wire.netflow;

import java.util.Arrays;

/**
 * Detects the unit of an exporter's sequence numbers.
 *
 * <p>By the specifications version 9 counts datagrams and IPFIX data records. Exporters differ:
 * some count flow records in version 9 (softflowd before 1.0.1); in IPFIX some count datagrams,
 * omit options records, or count the records of only one template. Each meaning predicts the next
 * number. If the current meaning is wrong and another one right several times in succession, the
 * other one is used from then on, and losses since then are revoked. {@value #TURNS} times are
 * enough if the two were never distinguished before, otherwise {@value #SURE_TURNS}, since losses
 * may look the same. If no meaning is ever right, the numbers do not imply losses. Not thread-safe.
 */
public final class SequenceMeaning {
  /** Numbers increase by one for each datagram. */
  public static final int DATAGRAMS = 0;

  /** Numbers increase by the data records, including options. */
  public static final int RECORDS = 1;

  /** Numbers increase by the data records other than options. */
  public static final int FLOWS = 2;

  /** Unknown unit. Any other meaning is the id of the template that is counted. */
  public static final int UNKNOWN = 3;

  static final int TURNS = 2;
  static final int SURE_TURNS = 16;

  /** Number of datagrams without a matching meaning after which the numbers are ignored. */
  static final int HOPELESS = 32;

  /**
   * Maximum ratio of lost to received datagrams or records; above it, losses do not explain the
   * numbers.
   */
  private static final long MAX_LOST = 8;

  /** Number of datagrams that distinguish meanings after which the current one is certain. */
  private static final int CERTAIN = 64;

  private static final int MAX = 8;
  private static final int FIXED = 3;
  private static final int NONE = -1;
  private static final int FRONT = 4;
  private static final int EACH = 6;

  private final int[] meaning = new int[MAX];
  private final int[] records = new int[MAX]; // of the current datagram
  private final int[] rise = new int[MAX]; // by the previous datagram; -1: unknown
  private final int[] next = new int[MAX];
  private final int[] right = new int[MAX]; // in succession, while the current one was wrong
  private final int[] wrong = new int[MAX]; // while the current one was right
  private final long[] lostBefore = new long[MAX]; // loss when it began to be right
  private int size = FIXED;
  private int current;
  private int misses; // of the current meaning, until it is first right
  private int certainty;
  private long lost;
  private boolean isKnown;

  /**
   * Creates a detector for an exporter of which only the protocol is known.
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

  /** Unit of the numbers. */
  public int meaning() {
    return current == NONE ? UNKNOWN : meaning[current];
  }

  /** Whether numbers certainly count datagrams, so that records need not be counted. */
  public boolean isCertain() {
    return current == DATAGRAMS && certainty == CERTAIN;
  }

  /** Begins a datagram. */
  public void begin() {
    Arrays.fill(records, 0, size, 0);
    isKnown = true;
  }

  /** Adds records of one template to the datagram. */
  public void add(int templateId, boolean isOptions, int count) {
    records[RECORDS] += count;
    records[FLOWS] += isOptions ? 0 : count;
    int i = FIXED;
    while (i < size && meaning[i] != templateId) {
      i++;
    }
    if (i < size) {
      records[i] += count;
    } else if (size < MAX) {
      meaning[size] = templateId;
      records[size] = count;
      rise[size++] = NONE;
    }
  }

  /** Marks the datagram's number of records as unknown. */
  public void unknown() {
    isKnown = false;
  }

  /** Expected increment of the numbers by the current datagram; -1 if unknown. */
  public int rise() {
    return current == NONE ? NONE : rise(current);
  }

  private int rise(int i) {
    return i == DATAGRAMS ? 1 : isKnown ? records[i] : NONE;
  }

  /** Corrected losses; valid if the meaning has just changed. */
  public long lost() {
    return lost;
  }

  /**
   * Checks the number of the current datagram.
   *
   * @param lostSoFar losses by the current meaning, without this datagram
   * @return whether the meaning changes with this datagram
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

  /**
   * Compares predictions. A datagram with an increment of 0 is ignored, since it may be a
   * duplicate.
   */
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
        && lostSoFar > MAX_LOST * misses) {
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

  /** Restores the state of {@link #snapshot}. @throws IllegalArgumentException if it is invalid */
  public void restore(long[] state) {
    int many = (state.length - FRONT) / EACH;
    if ((state.length - FRONT) % EACH != 0
        || many < FIXED
        || many > MAX
        || state[0] < NONE
        || state[0] >= many) {
      throw new IllegalArgumentException(
          state.length + " numbers, not a valid state of a sequence's meaning");
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

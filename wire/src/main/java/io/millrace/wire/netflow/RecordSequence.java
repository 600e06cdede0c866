package io.millrace.wire.netflow;

/**
 * Counts lost flow records of protocols whose messages have the number of their first record:
 * NetFlow version 5 and IPFIX, whose numbers increase by the records of each message and wrap at
 * 2³².
 *
 * <p>The last {@link SequenceGaps#MOST} gaps are kept: a message with a lower number is late if it
 * lies in a gap, and its records are no longer lost; otherwise it is a duplicate. A jump larger
 * than an exporter could have counted in the elapsed time is doubtful and counts as no loss. If
 * numbers later continue from before the jump, two exporters share one identity or messages are
 * forged, and the losses of the jump are revoked. Not thread-safe. @see <a
 * href="https://www.rfc-editor.org/rfc/rfc7011#section-3.1">RFC 7011, section 3.1</a>
 */
public final class RecordSequence {
  /** A step of at most this many records is always a gap or a late message. */
  static final int NEAR = 1 << 12;

  /** Largest credible loss without elapsed time, in records. */
  static final int MAX_JUMP = 1 << 20;

  /** Largest credible loss at once, in records. */
  static final int MAX_GAP = 1 << 24;

  /** Credible records per millisecond: 100 datagrams of version 5. */
  private static final int MAX_RATE = 3_000;

  /** Maximum decrease of the clock of a late message; a larger one is a restart. */
  private static final int MAX_LATE_MILLIS = 60_000;

  /** Length of a state without gaps; each gap adds two. */
  public static final int STATE_LONGS = 14;

  private boolean started;
  private int next;
  private int clockMillis; // of the message with the highest number
  private long arrivalMillis;
  private final SequenceGaps gaps = new SequenceGaps();

  // Position before the last jump: another exporter with the same identity may continue from it.
  private boolean left;
  private int leftNext;
  private int leftClockMillis;
  private long leftGap; // records counted as missing at that position

  private long lost;
  private long resets;
  private long late;
  private long duplicates;
  private long doubts;

  /** Records missing so far. */
  public long lost() {
    return lost;
  }

  /** Number of restarts of the sequence. */
  public long resets() {
    return resets;
  }

  /** Messages that arrived after one with a higher number. */
  public long late() {
    return late;
  }

  /** Messages that arrived twice. */
  public long duplicates() {
    return duplicates;
  }

  /** Number of jumps that do not imply losses. */
  public long doubts() {
    return doubts;
  }

  /** Exporter's clock in the message with the highest number. */
  public int clockMillis() {
    return clockMillis;
  }

  /**
   * Counts a message. One with a much lower number is late if it was sent before the newest, and a
   * restart otherwise.
   *
   * @param sequence sequence number of its first record, unsigned
   * @param records in it; -1 if unknown, and then the next number is unknown too
   * @param clock when it was sent, milliseconds by the exporter's clock; wraps
   * @param restarted whether the clock shows a restart of the exporter
   * @param nowMillis when it arrived, milliseconds
   */
  public void observe(int sequence, int records, int clock, boolean restarted, long nowMillis) {
    int ahead = sequence - next;
    boolean isOld = started && ahead < 0 && !restarted && isLate(ahead, clock);
    long max = Math.min(MAX_GAP, MAX_JUMP + Math.max(0, nowMillis - arrivalMillis) * MAX_RATE);
    arrivalMillis = nowMillis;
    if (isOld) {
      fillIn(sequence, records);
      return;
    }
    if ((ahead < -NEAR || ahead > NEAR) && isBack(sequence, clock)) {
      doubts++;
      lost += sequence - leftNext - leftGap;
      int from = leftNext;
      leave(0);
      gaps.clear(from);
      if (sequence != from) {
        gaps.add(from, sequence);
      }
    } else if (started && (restarted || ahead < 0 || ahead > max)) {
      resets += restarted || ahead < 0 ? 1 : 0;
      doubts += restarted || ahead < 0 ? 0 : 1;
      leave(0);
      gaps.clear(sequence);
    } else if (!started) {
      gaps.clear(sequence);
    } else if (ahead > 0) {
      lost += ahead;
      gaps.add(next, sequence);
      if (ahead > NEAR) {
        leave(ahead);
      }
    }
    started = records >= 0;
    next = sequence + Math.max(0, records);
    clockMillis = clock;
    if (!started) {
      gaps.clear(sequence); // the next message may be from before or after a restart
    } else if (next - gaps.horizon() > MAX_JUMP) {
      gaps.forgetBefore(next - MAX_JUMP);
    }
  }

  /** Restarts with the next message, after the unit of the numbers was corrected. */
  public void beginAnew(long lostSoFar) {
    started = false;
    left = false;
    lost = lostSoFar;
    gaps.clear(next);
  }

  private boolean isLate(int ahead, int clock) {
    int age = clockMillis - clock;
    return ahead > -NEAR
        || (ahead > -MAX_JUMP
            && age >= 0
            && age < MAX_LATE_MILLIS
            && (age > 0 || !isBack(next + ahead, clock)));
  }

  private void leave(long gap) {
    left = true;
    leftNext = next;
    leftClockMillis = clockMillis;
    leftGap = gap;
  }

  private boolean isBack(int sequence, int clock) {
    int on = sequence - leftNext;
    return left && on >= 0 && on <= NEAR && clock - leftClockMillis >= 0;
  }

  private void fillIn(int sequence, int records) {
    boolean isOn = isBack(sequence, clockMillis);
    if (records > 0 && gaps.fill(sequence, sequence + records)) {
      lost -= records;
      leftGap = Math.max(0, leftGap - records);
      late++;
    } else if (sequence - gaps.horizon() < 0) {
      late++;
    } else {
      duplicates++;
    }
    if (isOn) { // continue: it may be another exporter whose clock is slow
      leftNext = sequence + Math.max(0, records);
    }
  }

  /**
   * The state, for {@link #restore}: 1 if it has begun, the next number, the clock, the last
   * arrival; 1 if there was a jump, with next number, clock and gap from before it; records lost;
   * restarts, late messages, duplicates, doubtful jumps; the horizon, and the gaps.
   */
  public long[] snapshot() {
    long[] state = new long[STATE_LONGS + 2 * gaps.size()];
    int i = 0;
    for (long each :
        new long[] {
          started ? 1 : 0,
          next,
          clockMillis,
          arrivalMillis,
          left ? 1 : 0,
          leftNext,
          leftClockMillis,
          leftGap,
          lost,
          resets,
          late,
          duplicates,
          doubts,
          gaps.horizon()
        }) {
      state[i++] = each;
    }
    for (int gap = 0; gap < gaps.size(); gap++) {
      state[i++] = gaps.from(gap);
      state[i++] = gaps.to(gap);
    }
    return state;
  }

  /**
   * Restores the state of {@link #snapshot}.
   *
   * @throws IllegalArgumentException if its length is invalid
   */
  public void restore(long[] state) {
    int numbers = state.length - STATE_LONGS;
    if (numbers < 0 || numbers > 2 * SequenceGaps.MAX || numbers % 2 != 0) {
      throw new IllegalArgumentException(
          state.length
              + " numbers in the state of a sequence, expected "
              + STATE_LONGS
              + " and two for each gap");
    }
    started = state[0] != 0;
    next = (int) state[1];
    clockMillis = (int) state[2];
    arrivalMillis = state[3];
    left = state[4] != 0;
    leftNext = (int) state[5];
    leftClockMillis = (int) state[6];
    leftGap = state[7];
    lost = state[8];
    resets = state[9];
    late = state[10];
    duplicates = state[11];
    doubts = state[12];
    gaps.clear((int) state[13]);
    for (int i = STATE_LONGS; i < state.length; i += 2) {
      gaps.add((int) state[i], (int) state[i + 1]);
    }
  }
}

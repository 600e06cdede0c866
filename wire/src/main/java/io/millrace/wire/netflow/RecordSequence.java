package io.millrace.wire.netflow;

/**
 * Counts the flow records that did not arrive, where a message's number is that of its first
 * record: NetFlow version 5 and IPFIX, whose numbers rise by the records of each message and wrap
 * at 2³².
 *
 * <p>The last {@link SequenceGaps#MOST} gaps are remembered: a message that comes behind a later
 * one and lies in one of them was late, and takes its records back; one that lies in none has come
 * before, and is a duplicate. A leap that no exporter could have counted in the time between is
 * doubted, and nothing is lost by it. The same where the numbers go on again at the place that they
 * left: then two exporters count under one name, or somebody forges, and what the leap seemed to
 * have lost was not lost. Not thread-safe.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7011#section-3.1">RFC 7011, section 3.1</a>
 */
public final class RecordSequence {
  /** A step of no more records is always a gap, or a late message: nobody left the place. */
  static final int NEAR = 1 << 12;

  /** No more records than this are believed to be lost in no time. */
  static final int MAX_JUMP = 1 << 20;

  /** No more records than this are believed to be lost at once. */
  static final int MAX_GAP = 1 << 24;

  /** Records a millisecond beyond which a gap is doubted: 100 datagrams of version 5. */
  private static final int MAX_RATE = 3_000;

  /** A clock set back further than this was set by a restart. */
  private static final int MAX_LATE_MILLIS = 60_000;

  /** Numbers of a state without gaps; a gap is two more. */
  public static final int STATE_LONGS = 14;

  private boolean started;
  private int next;
  private int clockMillis; // of the message with the highest number
  private long heardMillis;
  private final SequenceGaps gaps = new SequenceGaps();

  // The numbers that were left last: another exporter of the same name may go on with them.
  private boolean left;
  private int leftNext;
  private int leftClockMillis;
  private long leftGap; // records that were counted as missing when these were left

  private long lost;
  private long resets;
  private long late;
  private long duplicates;
  private long doubts;

  /** Records missing so far. */
  public long lost() {
    return lost;
  }

  /** How often the numbers began anew. */
  public long resets() {
    return resets;
  }

  /** Messages that arrived behind one with a higher number. */
  public long late() {
    return late;
  }

  /** Messages that arrived once more. */
  public long duplicates() {
    return duplicates;
  }

  /** How often the numbers leapt in a way that says nothing about losses. */
  public long doubts() {
    return doubts;
  }

  /** The exporter's clock in the message with the highest number. */
  public int clockMillis() {
    return clockMillis;
  }

  /**
   * Takes note of a message. One far behind is late if it was sent before the newest, and a new
   * beginning if not.
   *
   * @param sequence number of its first record, unsigned
   * @param records in it; -1 if that is not known, and then the next number is not known either
   * @param clock when it was sent, milliseconds by a clock of the exporter's; wraps
   * @param restarted whether the clock says that the exporter began anew
   * @param nowMillis when it arrived, milliseconds by our clock
   */
  public void observe(int sequence, int records, int clock, boolean restarted, long nowMillis) {
    int ahead = sequence - next;
    boolean behind = started && ahead < 0 && !restarted && isLate(ahead, clock);
    long most = Math.min(MAX_GAP, MAX_JUMP + Math.max(0, nowMillis - heardMillis) * MAX_RATE);
    heardMillis = nowMillis;
    if (behind) {
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
    } else if (started && (restarted || ahead < 0 || ahead > most)) {
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
      gaps.clear(sequence); // what comes next may be from before a restart or after it
    } else if (next - gaps.horizon() > MAX_JUMP) {
      gaps.forgetBefore(next - MAX_JUMP);
    }
  }

  /** Begins anew with the next message: what the numbers count is known better now. */
  public void beginAnew(long lostSoFar) {
    started = false;
    left = false;
    lost = lostSoFar;
    gaps.clear(next);
  }

  /** A message near behind is late whatever its clock says. */
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

  /** Whether a message goes on where the numbers were before they leapt. */
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
    if (isOn) { // goes on from there, if it is another exporter whose clock is slow
      leftNext = sequence + Math.max(0, records);
    }
  }

  /**
   * The state, for {@link #restore}: 1 if it has begun, the next number, the clock, when the last
   * was heard; 1 if a place was left, its next number, clock and gap; records lost; new beginnings,
   * late ones, duplicates, doubts; the number before which nothing is known, and the gaps.
   */
  public long[] snapshot() {
    long[] state = new long[STATE_LONGS + 2 * gaps.size()];
    int i = 0;
    for (long each :
        new long[] {
          started ? 1 : 0,
          next,
          clockMillis,
          heardMillis,
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
   * Takes the state that {@link #snapshot} gave.
   *
   * @throws IllegalArgumentException if its length is none of a state
   */
  public void restore(long[] state) {
    int numbers = state.length - STATE_LONGS;
    if (numbers < 0 || numbers > 2 * SequenceGaps.MOST || numbers % 2 != 0) {
      throw new IllegalArgumentException(state.length + " numbers in the state of a sequence");
    }
    started = state[0] != 0;
    next = (int) state[1];
    clockMillis = (int) state[2];
    heardMillis = state[3];
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

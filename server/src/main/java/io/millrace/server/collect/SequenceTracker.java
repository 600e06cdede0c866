package io.millrace.server.collect;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * Counts sent, missing, late and duplicate datagrams of one exporter by 32-bit sequence numbers.
 *
 * <p>Numbers rise by one and wrap at 2³². A number above the highest leaves a gap of missing
 * datagrams; a number below is a late datagram, which fills a gap, or a duplicate, as a bitmap of
 * the last {@value #WINDOW} numbers shows. A lower uptime shows that the agent, and with it the
 * numbers, restarted. A distant number without a restart is on probation, as in RFC 3550, appendix
 * A.1: it becomes the new position only if the next datagram continues from it, so that one stray
 * datagram does not count as thousands lost. A jump beyond the possible rate counts as doubtful and
 * not as a loss. So does a return to the position before a jump, which shows that two agents share
 * the name.
 *
 * <p>At any time {@code sent == arrived - duplicates + missing}. Needs {@value #WINDOW} bits and a
 * few counters per exporter. Not thread-safe.
 */
public final class SequenceTracker {
  /** Size of the bitmap, which covers the highest number and those below it. */
  static final int WINDOW = 1024;

  /** Maximum gap that counts without confirmation by the next datagram. */
  static final int MAX_JUMP = 1 << 16;

  static final int CONFIRM_WITHIN = 64;

  /** Maximum age of a late datagram; an even lower uptime shows a restart of the agent. */
  static final int MAX_LATE_MILLIS = 5_000;

  static final int MAX_GAP = 1 << 24;

  /** Maximum plausible datagrams per millisecond; a gap beyond it is doubtful. */
  private static final int MAX_RATE = 100;

  /** Tolerated drift of an agent's clock. */
  private static final long SLACK_MILLIS = 60_000;

  private final long[] seen = new long[WINDOW / 64]; // a ring, by sequence modulo WINDOW
  private boolean started;
  private int highest;
  private int uptimeMillis; // uptime in the datagram with the highest number
  private long runLength; // the highest number minus the first since a restart
  private boolean onProbation;
  private int suspect;
  private long leapMillis; // from the previous datagram to the one on probation

  // The position before the last jump: another agent of the same name may continue there.
  private boolean left;
  private int leftHighest;
  private int leftUptimeMillis;
  private long leftGap; // datagrams counted as missing due to that jump

  private long sent;
  private long missing;
  private long duplicates;
  private long late;
  private long resets;
  private long strays;
  private long doubts;

  /** Datagrams that the exporter has sent since it was first seen. */
  public long sent() {
    return sent;
  }

  long missing() {
    return missing;
  }

  /** Datagrams received more than once. */
  public long duplicates() {
    return duplicates;
  }

  /** Datagrams received after one with a higher number. */
  public long late() {
    return late;
  }

  /** Restarts of the numbers. */
  public long resets() {
    return resets;
  }

  /** Datagrams with implausible numbers; each counts as one sent. */
  public long strays() {
    return strays;
  }

  /** Jumps of the numbers that are not counted as losses. */
  public long doubts() {
    return doubts;
  }

  /** Whether the last datagram's number awaits confirmation by the next one. */
  public boolean onProbation() {
    return onProbation;
  }

  /**
   * Observes a datagram.
   *
   * @param sequence sequence number, unsigned
   * @param uptime milliseconds since the agent's start, unsigned; wraps after 49.7 days
   * @param elapsedMillis time since the previous datagram, by the collector's clock
   * @return change of {@link #missing}: positive for a gap, negative if a gap is filled or taken
   *     back, else 0
   */
  public long observe(int sequence, int uptime, long elapsedMillis) {
    if (!started) {
      started = true;
      sent++;
      begin(sequence, uptime, 0);
      return 0;
    }
    int ahead = sequence - highest;
    if (isBack(sequence, uptime) && (ahead <= -WINDOW || ahead > CONFIRM_WITHIN)) {
      return goBack(sequence, uptime);
    }
    if (isRestarted(uptimeMillis, uptime, elapsedMillis)) {
      resets++;
      sent++;
      leave(0);
      begin(sequence, uptime, 0);
      return 0;
    }
    if (ahead > 0 && ahead <= MAX_JUMP) {
      onProbation = false;
      if (ahead > WINDOW) {
        leave(ahead - 1L);
      }
      return advance(ahead, sequence, uptime);
    }
    if (ahead <= 0 && ahead > -WINDOW) {
      onProbation = false;
      return fillGap(sequence, -ahead);
    }
    return probation(sequence, uptime, elapsedMillis);
  }

  /** Restarts at the next datagram, and takes back the missing datagrams. */
  void restart() {
    started = false;
    onProbation = false;
    left = false;
    missing = 0;
  }

  /**
   * Whether the agent restarted: its uptime is lower, and the time elapsed is too short for 32 bits
   * to wrap.
   */
  static boolean isRestarted(int before, int now, long elapsedMillis) {
    long risen = (now - before) & 0xFFFF_FFFFL;
    long fallen = (before - now) & 0xFFFF_FFFFL;
    return Integer.compareUnsigned(now, before) < 0
        && fallen > MAX_LATE_MILLIS
        && risen > elapsedMillis + elapsedMillis / 8 + SLACK_MILLIS;
  }

  private void leave(long gap) {
    left = true;
    leftHighest = highest;
    leftUptimeMillis = uptimeMillis;
    leftGap = gap;
  }

  private boolean isBack(int sequence, int uptime) {
    int on = sequence - leftHighest;
    long risen = (uptime - leftUptimeMillis) & 0xFFFF_FFFFL;
    return left && on > 0 && on <= CONFIRM_WITHIN && risen <= SLACK_MILLIS;
  }

  /** Two agents share the name: takes back the losses of the jump. */
  private long goBack(int sequence, int uptime) {
    long gap = leftGap;
    int on = sequence - leftHighest;
    doubts++;
    sent += on - gap;
    missing += on - 1 - gap;
    leave(0);
    begin(sequence, uptime, 0);
    return on - 1 - gap;
  }

  private long advance(int ahead, int sequence, int uptime) {
    if (ahead >= WINDOW) {
      Arrays.fill(seen, 0);
    } else {
      for (int i = 1; i < ahead; i++) {
        seen[slot(highest + i)] &= ~bit(highest + i);
      }
    }
    seen[slot(sequence)] |= bit(sequence);
    highest = sequence;
    uptimeMillis = uptime;
    runLength += ahead;
    sent += ahead;
    missing += ahead - 1;
    return ahead - 1L;
  }

  private long fillGap(int sequence, int distance) {
    if ((seen[slot(sequence)] & bit(sequence)) != 0) {
      duplicates++;
      return 0;
    }
    seen[slot(sequence)] |= bit(sequence);
    late++;
    if (distance > runLength) { // sent before the first received datagram
      sent++;
      return 0;
    }
    missing--;
    leftGap = Math.max(0, leftGap - 1);
    return -1;
  }

  private long probation(int sequence, int uptime, long elapsedMillis) {
    int on = sequence - suspect;
    if (onProbation && on == 0) {
      duplicates++;
      return 0;
    }
    if (!onProbation || on < 0 || on > CONFIRM_WITHIN) {
      leapMillis = elapsedMillis;
      onProbation = true;
      suspect = sequence;
      strays++;
      sent++;
      return 0;
    }
    strays--; // the datagram was counted as a stray
    int jump = suspect - highest;
    long gap = 0;
    if (jump > 0 && jump <= Math.min(MAX_GAP, MAX_JUMP + leapMillis * MAX_RATE)) {
      gap = jump - 1L;
      sent += gap;
      missing += gap;
      leave(gap);
      begin(suspect, uptime, runLength + jump);
    } else {
      doubts += jump > 0 ? 1 : 0;
      resets += jump > 0 ? 0 : 1;
      leave(0);
      begin(suspect, uptime, 0);
    }
    return gap + advance(on, sequence, uptime);
  }

  private void begin(int sequence, int uptime, long length) {
    Arrays.fill(seen, 0);
    seen[slot(sequence)] |= bit(sequence);
    highest = sequence;
    uptimeMillis = uptime;
    runLength = length;
    onProbation = false;
  }

  private static int slot(int sequence) {
    return (sequence & (WINDOW - 1)) >>> 6;
  }

  private static long bit(int sequence) {
    return 1L << (sequence & 63);
  }

  void snapshot(DataOutput out) throws IOException {
    out.writeBoolean(started);
    out.writeInt(highest);
    out.writeInt(uptimeMillis);
    out.writeLong(runLength);
    out.writeBoolean(onProbation);
    out.writeInt(suspect);
    for (long counter : new long[] {sent, missing, duplicates, late, resets, strays}) {
      out.writeLong(counter);
    }
    for (long bits : seen) {
      out.writeLong(bits);
    }
    out.writeLong(leapMillis);
    out.writeBoolean(left);
    out.writeInt(leftHighest);
    out.writeInt(leftUptimeMillis);
    out.writeLong(leftGap);
    out.writeLong(doubts);
  }

  void restore(DataInput in) throws IOException {
    started = in.readBoolean();
    highest = in.readInt();
    uptimeMillis = in.readInt();
    runLength = in.readLong();
    onProbation = in.readBoolean();
    suspect = in.readInt();
    sent = in.readLong();
    missing = in.readLong();
    duplicates = in.readLong();
    late = in.readLong();
    resets = in.readLong();
    strays = in.readLong();
    for (int i = 0; i < seen.length; i++) {
      seen[i] = in.readLong();
    }
    leapMillis = in.readLong();
    left = in.readBoolean();
    leftHighest = in.readInt();
    leftUptimeMillis = in.readInt();
    leftGap = in.readLong();
    doubts = in.readLong();
  }
}

package io.millrace.server.collect;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * Counts what one exporter sent, from the 32-bit sequence numbers of what arrived.
 *
 * <p>The numbers rise by one for each datagram and wrap at 2³². A number ahead of the highest so
 * far leaves a gap, and the datagrams in it are missing; a number behind it is a late datagram that
 * takes one of the missing back, or a duplicate: a window of bits over the last {@value #WINDOW}
 * numbers knows which. An agent that restarts begins anew, which shows by its uptime. Numbers far
 * away without that sign are on probation, as in RFC 3550 appendix A.1: only when the next datagram
 * goes on from there do they become the new place, so that one stray datagram does not count as
 * thousands lost. A leap that no exporter could have counted in the time between is doubted, and
 * nothing is lost by it. The same where the numbers go on again at the place that they left: then
 * two agents count under one name.
 *
 * <p>At any time {@code sent == arrived - duplicates + missing}. Needs {@value #WINDOW} bits and a
 * few counters an exporter. Not thread-safe.
 */
public final class SequenceTracker {
  /** How many numbers behind the highest are remembered one by one. */
  static final int WINDOW = 1024;

  /** A gap longer than this is believed only with the datagram behind it. */
  static final int MAX_JUMP = 1 << 16;

  /** How far on from a datagram on probation the next may be to confirm it. */
  static final int CONFIRM_WITHIN = 64;

  /** A datagram whose uptime is older than this is no late one: its agent has restarted. */
  static final int MAX_LATE_MILLIS = 5_000;

  /** No more datagrams than this are believed to be lost at once. */
  static final int MAX_GAP = 1 << 24;

  /** Datagrams a millisecond beyond which a gap is doubted. */
  private static final int MAX_RATE = 100;

  /** How much faster than ours an agent's clock may seem to go. */
  private static final long SLACK_MILLIS = 60_000;

  private final long[] seen = new long[WINDOW / 64]; // a ring, by sequence modulo WINDOW
  private boolean started;
  private int highest;
  private int uptimeMillis; // of the datagram with the highest number
  private long runLength; // the highest number less the first one of this run
  private boolean onProbation;
  private int suspect;
  private long leapMillis; // between the suspect and the datagram before it

  // The numbers that were left last: another agent of the same name may go on with them.
  private boolean left;
  private int leftHighest;
  private int leftUptimeMillis;
  private long leftGap; // datagrams that were counted as missing when these were left

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

  /** Datagrams that were sent and did not arrive (so far). */
  long missing() {
    return missing;
  }

  /** Datagrams that arrived once more. */
  public long duplicates() {
    return duplicates;
  }

  /** Datagrams that arrived behind one with a higher number. */
  public long late() {
    return late;
  }

  /** How often the agent began its numbers anew. */
  public long resets() {
    return resets;
  }

  /** Datagrams whose number fits nowhere; counted as sent, one each. */
  public long strays() {
    return strays;
  }

  /** How often the numbers leapt in a way that says nothing about losses. */
  public long doubts() {
    return doubts;
  }

  /** Whether the last datagram's number awaits confirmation by the next one. */
  public boolean onProbation() {
    return onProbation;
  }

  /**
   * Takes note of a datagram.
   *
   * @param sequence its number, unsigned
   * @param uptime milliseconds since the agent started, unsigned, as the datagram says it; wraps
   *     after 49.7 days
   * @param elapsedMillis since the datagram before, by our clock
   * @return by how much {@link #missing} changed: positive for a gap, negative for datagrams that
   *     are not missing after all, otherwise 0
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
      return fillIn(sequence, -ahead);
    }
    return probation(sequence, uptime, elapsedMillis);
  }

  /** Begins anew with the next datagram: what was counted as missing was not. */
  void beginAnew() {
    started = false;
    onProbation = false;
    left = false;
    missing = 0;
  }

  /**
   * Whether an agent has started between two datagrams: its uptime fell, and not because the
   * counter of 32 bits began anew, which it does as slowly as time goes by.
   *
   * @param before uptime of the first
   * @param now uptime of the second
   * @param elapsedMillis between the two, by our clock
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

  /** Whether a datagram goes on where the numbers were before they leapt. */
  private boolean isBack(int sequence, int uptime) {
    int on = sequence - leftHighest;
    long risen = (uptime - leftUptimeMillis) & 0xFFFF_FFFFL;
    return left && on > 0 && on <= CONFIRM_WITHIN && risen <= SLACK_MILLIS;
  }

  /** Two agents count under one name: what the leap seemed to have lost was not lost. */
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

  private long fillIn(int sequence, int behind) {
    if ((seen[slot(sequence)] & bit(sequence)) != 0) {
      duplicates++;
      return 0;
    }
    seen[slot(sequence)] |= bit(sequence);
    late++;
    if (behind > runLength) { // sent before the first that arrived, and never missed
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
    strays--; // it was the first of its kind, and counted as sent then
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

  /** Writes the state; {@link #restore} reads it. */
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

  /** Takes the state that {@link #snapshot} wrote. */
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

package io.millrace.server.collect;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * Counts the flow records that did not arrive, where a datagram's number is that of its first
 * record: NetFlow version 5, whose {@code flow_sequence} rises by the records of each datagram and
 * wraps at 2³².
 *
 * <p>The last {@value #GAPS} gaps are remembered: a datagram that comes behind a later one and lies
 * in one of them was late, and takes its records back; one that lies in none has come before, and
 * is a duplicate. An exporter that restarts begins anew, which shows by its uptime; a number far
 * away without that sign is taken as the new place, without a loss. Not thread-safe.
 */
final class RecordSequence {
  /** A gap of more records is believed to be a new beginning. */
  static final int MAX_JUMP = 1 << 20;

  /** How many gaps are remembered. */
  static final int GAPS = 16;

  private boolean started;
  private int next;
  private int horizon; // of what is before this number, nothing is known
  private int uptimeMillis;
  private final int[] gapFrom = new int[GAPS]; // in order, the oldest first
  private final int[] gapTo = new int[GAPS];
  private int gaps;

  private long lost;
  private long resets;
  private long late;
  private long duplicates;

  /** Records missing so far. */
  long lost() {
    return lost;
  }

  /** How often the numbers began anew. */
  long resets() {
    return resets;
  }

  /** Datagrams that arrived behind one with a higher number. */
  long late() {
    return late;
  }

  /** Datagrams that arrived once more. */
  long duplicates() {
    return duplicates;
  }

  /** Takes note of a datagram: number of its first record, records in it, exporter's uptime. */
  void observe(int sequence, int records, int uptime) {
    int ahead = sequence - next;
    boolean restarted = uptimeMillis - uptime > SequenceTracker.MAX_LATE_MILLIS;
    if (!started || restarted || ahead > MAX_JUMP || ahead < -MAX_JUMP) {
      resets += started ? 1 : 0;
      started = true;
      gaps = 0;
      horizon = sequence;
    } else if (ahead < 0) {
      fillIn(sequence, records);
      return;
    } else if (ahead > 0) {
      lost += ahead;
      insert(gaps, next, sequence);
    }
    next = sequence + records;
    uptimeMillis = uptime;
    if (next - horizon > MAX_JUMP) {
      forgetBefore(next - MAX_JUMP);
    }
  }

  private void fillIn(int sequence, int records) {
    int end = sequence + records;
    for (int i = 0; i < gaps; i++) {
      if (sequence - gapFrom[i] >= 0 && gapTo[i] - end >= 0) {
        lost -= records;
        late++;
        int to = gapTo[i];
        gapTo[i] = sequence;
        if (to != end) {
          insert(i + 1, end, to);
        }
        return;
      }
    }
    if (sequence - horizon < 0) {
      late++;
    } else {
      duplicates++;
    }
  }

  /** Forgets the oldest gap where there is no room. */
  private void insert(int at, int from, int to) {
    int place = at;
    if (gaps == GAPS) {
      horizon = gapTo[0];
      remove(1);
      place--;
    }
    System.arraycopy(gapFrom, place, gapFrom, place + 1, gaps - place);
    System.arraycopy(gapTo, place, gapTo, place + 1, gaps - place);
    gapFrom[place] = from;
    gapTo[place] = to;
    gaps++;
  }

  private void forgetBefore(int number) {
    horizon = number;
    int old = 0;
    while (old < gaps && gapTo[old] - number <= 0) {
      old++;
    }
    remove(old);
  }

  private void remove(int oldest) {
    gaps -= oldest;
    System.arraycopy(gapFrom, oldest, gapFrom, 0, gaps);
    System.arraycopy(gapTo, oldest, gapTo, 0, gaps);
  }

  void snapshot(DataOutput out) throws IOException {
    out.writeBoolean(started);
    out.writeInt(next);
    out.writeInt(uptimeMillis);
    out.writeLong(lost);
    out.writeLong(resets);
    out.writeLong(late);
    out.writeLong(duplicates);
    out.writeInt(horizon);
    out.writeInt(gaps);
    for (int i = 0; i < gaps; i++) {
      out.writeInt(gapFrom[i]);
      out.writeInt(gapTo[i]);
    }
  }

  /**
   * Takes the state that {@link #snapshot} wrote.
   *
   * @param knowsGaps whether it did so in a release that remembered gaps
   */
  void restore(DataInput in, boolean knowsGaps) throws IOException {
    started = in.readBoolean();
    next = in.readInt();
    uptimeMillis = in.readInt();
    lost = in.readLong();
    resets = in.readLong();
    horizon = next;
    if (!knowsGaps) {
      return;
    }
    late = in.readLong();
    duplicates = in.readLong();
    horizon = in.readInt();
    int count = in.readInt();
    if (count < 0 || count > GAPS) {
      throw new IOException(count + " gaps in the saved state; there are at most " + GAPS);
    }
    for (gaps = 0; gaps < count; gaps++) {
      gapFrom[gaps] = in.readInt();
      gapTo[gaps] = in.readInt();
    }
  }
}

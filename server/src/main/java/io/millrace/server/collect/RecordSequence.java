package io.millrace.server.collect;

import io.millrace.wire.netflow.SequenceGaps;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * Counts the flow records that did not arrive, where a datagram's number is that of its first
 * record: NetFlow version 5, whose {@code flow_sequence} rises by the records of each datagram and
 * wraps at 2³².
 *
 * <p>The last {@link #GAPS} gaps are remembered: a datagram that comes behind a later one and lies
 * in one of them was late, and takes its records back; one that lies in none has come before, and
 * is a duplicate. An exporter that restarts begins anew, which shows by its uptime; a number far
 * away without that sign is taken as the new place, without a loss. Not thread-safe.
 */
final class RecordSequence {
  /** A gap of more records is believed to be a new beginning. */
  static final int MAX_JUMP = 1 << 20;

  /** How many gaps are remembered. */
  static final int GAPS = SequenceGaps.MOST;

  private boolean started;
  private int next;
  private int uptimeMillis;
  private final SequenceGaps gaps = new SequenceGaps();

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

  /**
   * Takes note of a datagram: number of its first record, records in it, exporter's uptime,
   * milliseconds since the one before.
   */
  void observe(int sequence, int records, int uptime, long elapsedMillis) {
    int ahead = sequence - next;
    boolean restarted = SequenceTracker.isRestarted(uptimeMillis, uptime, elapsedMillis);
    if (!started || restarted || ahead > MAX_JUMP || ahead < -MAX_JUMP) {
      resets += started ? 1 : 0;
      started = true;
      gaps.clear(sequence);
    } else if (ahead < 0) {
      fillIn(sequence, records);
      return;
    } else if (ahead > 0) {
      lost += ahead;
      gaps.add(next, sequence);
    }
    next = sequence + records;
    uptimeMillis = uptime;
    if (next - gaps.horizon() > MAX_JUMP) {
      gaps.forgetBefore(next - MAX_JUMP);
    }
  }

  private void fillIn(int sequence, int records) {
    if (gaps.fill(sequence, sequence + records)) {
      lost -= records;
      late++;
    } else if (sequence - gaps.horizon() < 0) {
      late++;
    } else {
      duplicates++;
    }
  }

  void snapshot(DataOutput out) throws IOException {
    out.writeBoolean(started);
    out.writeInt(next);
    out.writeInt(uptimeMillis);
    out.writeLong(lost);
    out.writeLong(resets);
    out.writeLong(late);
    out.writeLong(duplicates);
    out.writeInt(gaps.horizon());
    out.writeInt(gaps.size());
    for (int i = 0; i < gaps.size(); i++) {
      out.writeInt(gaps.from(i));
      out.writeInt(gaps.to(i));
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
    gaps.clear(next);
    if (!knowsGaps) {
      return;
    }
    late = in.readLong();
    duplicates = in.readLong();
    gaps.clear(in.readInt());
    int count = in.readInt();
    if (count < 0 || count > GAPS) {
      throw new IOException(count + " gaps in the saved state; there are at most " + GAPS);
    }
    for (int i = 0; i < count; i++) {
      gaps.add(in.readInt(), in.readInt());
    }
  }
}

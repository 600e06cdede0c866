package io.millrace.server.collect;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * Counts the flow records that did not arrive, where a datagram's number is that of its first
 * record: NetFlow version 5, whose {@code flow_sequence} rises by the records of each datagram and
 * wraps at 2³².
 *
 * <p>A datagram that comes behind a later one takes its records back. An exporter that restarts
 * begins anew, which shows by its uptime; a number far away without that sign is taken as the new
 * place, without a loss. Not thread-safe.
 */
final class RecordSequence {
  /** A gap of more records is believed to be a new beginning. */
  static final int MAX_JUMP = 1 << 20;

  private boolean started;
  private int next;
  private int uptimeMillis;
  private long lost;
  private long resets;

  /** Records missing so far. */
  long lost() {
    return lost;
  }

  /** How often the numbers began anew. */
  long resets() {
    return resets;
  }

  /** Takes note of a datagram: number of its first record, records in it, exporter's uptime. */
  void observe(int sequence, int records, int uptime) {
    int ahead = sequence - next;
    boolean restarted = uptimeMillis - uptime > SequenceTracker.MAX_LATE_MILLIS;
    if (!started || restarted || ahead > MAX_JUMP || ahead < -MAX_JUMP) {
      resets += started ? 1 : 0;
      started = true;
    } else if (ahead >= 0) {
      lost += ahead;
    } else {
      lost -= Math.min(lost, records);
      return;
    }
    next = sequence + records;
    uptimeMillis = uptime;
  }

  void snapshot(DataOutput out) throws IOException {
    out.writeBoolean(started);
    out.writeInt(next);
    out.writeInt(uptimeMillis);
    out.writeLong(lost);
    out.writeLong(resets);
  }

  void restore(DataInput in) throws IOException {
    started = in.readBoolean();
    next = in.readInt();
    uptimeMillis = in.readInt();
    lost = in.readLong();
    resets = in.readLong();
  }
}

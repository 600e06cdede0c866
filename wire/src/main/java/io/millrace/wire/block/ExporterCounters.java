package io.millrace.wire.block;

import java.util.Arrays;

/**
 * Counters of the datagrams of one log value, by exporter: they accompany the decoded {@link
 * FlowBlock} and are stored and rolled back in the same transaction, so that the counts are as
 * exact as the rows.
 *
 * <p>An exporter is a sender, its agent and a {@link Channel}: the scope of one sequence of
 * numbers. A log value usually has runs of few exporters, so lookups try the last hit first, then
 * scan. If there are many, which senders can cause, a hash table is used. Not thread-safe.
 */
public final class ExporterCounters {
  /** Datagrams decoded without an error. */
  public static final int DATAGRAMS = 0;

  /** Datagrams with an error; the rows decoded before it are kept. */
  public static final int MALFORMED_DATAGRAMS = 1;

  /** Rows decoded. */
  public static final int ROWS = 2;

  /** Templates received less those withdrawn; the sum is the number of known templates. */
  public static final int TEMPLATES = 3;

  /** Templates that replaced one with another layout. */
  public static final int TEMPLATE_CHANGES = 4;

  /** Rows of unknown sampling rate. */
  public static final int UNSAMPLED_ROWS = 5;

  /** Records lost by the protocol's sequence numbers, as far as the decoder counts them. */
  public static final int LOST_RECORDS = 6;

  /** Data sets that waited for their template, whether or not it was received. */
  public static final int HELD_SETS = 7;

  /**
   * Rows dropped by load shedding; the sampling rates of the remaining rows are raised accordingly.
   */
  public static final int SHED_ROWS = 8;

  /** Duplicate messages in the log, written because the bridge restarted; they become no rows. */
  public static final int REPEATED_MESSAGES = 9;

  /** Marks the counters of a block that is followed by others of the same value; never stored. */
  private static final int PARTS = 10;

  /** Jumps of sequence numbers that do not imply losses. */
  public static final int DOUBTS = 11;

  /** Sum of the rejected sampling rates; with their number, gives their mean. */
  public static final int REJECTED_RATES = 12;

  /** Rows of packets that the opposite interface reports too. */
  public static final int BOTH_SIDES_ROWS = 13;

  /** First of the reject counts: {@code FIRST_REASON + reason.ordinal()}. */
  public static final int FIRST_REASON = 16;

  /** Number of counts of an exporter. */
  public static final int COUNTS = FIRST_REASON + RejectReason.values().length;

  /** Upper bound of the number of exporters in a log value. */
  private static final int MAX_EXPORTERS = 1 << 16;

  private static final int MAX_COUNTS = 64;
  private static final int KEY_LONGS = 5;
  private static final int FEW = 8;

  private long[] keys = new long[4 * KEY_LONGS];
  private long[] counts = new long[4 * COUNTS];
  private int size;
  private int last;

  /** Index of an exporter plus one, by hash; null while there are only few. */
  private int[] slots;

  /** Counters of a block whose value continues in another block, which has the counts of both. */
  static ExporterCounters ofPart() {
    ExporterCounters counters = new ExporterCounters();
    int nobody =
        counters.exporter(Addresses.NULL, Addresses.NULL, Addresses.NULL, Addresses.NULL, 0);
    counters.add(nobody, PARTS, 1);
    return counters;
  }

  /** Whether more blocks of the same value follow, which have the counts instead. */
  public boolean isPart() {
    return size == 1 && count(0, PARTS) > 0;
  }

  /** Stable name of a count, for tables and documents. */
  public static String label(int count) {
    return switch (count) {
      case DATAGRAMS -> "datagrams";
      case MALFORMED_DATAGRAMS -> "malformed-datagrams";
      case ROWS -> "rows";
      case TEMPLATES -> "templates";
      case TEMPLATE_CHANGES -> "template-changes";
      case UNSAMPLED_ROWS -> "unsampled-rows";
      case LOST_RECORDS -> "lost-records";
      case HELD_SETS -> "held-sets";
      case SHED_ROWS -> "shed-rows";
      case REPEATED_MESSAGES -> "repeated-messages";
      case PARTS -> "parts";
      case DOUBTS -> "doubts";
      case REJECTED_RATES -> "rejected-rates";
      case BOTH_SIDES_ROWS -> "both-sides-rows";
      default ->
          count < FIRST_REASON
              ? "reserved-" + count
              : RejectReason.values()[count - FIRST_REASON].label();
    };
  }

  /** Number of exporters. */
  public int size() {
    return size;
  }

  /** Index of an exporter; adds it with counts of zero if it is new. */
  public int exporter(
      long senderHigh, long senderLow, long agentHigh, long agentLow, long channel) {
    int found = find(senderHigh, senderLow, agentHigh, agentLow, channel);
    if (found >= 0) {
      return found;
    }
    if (size * KEY_LONGS == keys.length) {
      keys = Arrays.copyOf(keys, keys.length * 2);
      counts = Arrays.copyOf(counts, counts.length * 2);
    }
    int k = size * KEY_LONGS;
    keys[k] = senderHigh;
    keys[k + 1] = senderLow;
    keys[k + 2] = agentHigh;
    keys[k + 3] = agentLow;
    keys[k + 4] = channel;
    Arrays.fill(counts, size * COUNTS, (size + 1) * COUNTS, 0);
    last = size++;
    if (size == FEW || (slots != null && size * 2 > slots.length)) {
      index();
    } else if (slots != null) {
      index(last);
    }
    return last;
  }

  /** Index of an exporter; −1 if it is unknown. */
  public int find(long senderHigh, long senderLow, long agentHigh, long agentLow, long channel) {
    if (last < size && isAt(last, senderHigh, senderLow, agentHigh, agentLow, channel)) {
      return last;
    }
    if (slots == null) {
      for (int i = 0; i < size; i++) {
        if (isAt(i, senderHigh, senderLow, agentHigh, agentLow, channel)) {
          last = i;
          return i;
        }
      }
      return -1;
    }
    int slot = slot(senderHigh, senderLow, agentHigh, agentLow, channel);
    for (; slots[slot] != 0; slot = (slot + 1) & (slots.length - 1)) {
      int i = slots[slot] - 1;
      if (isAt(i, senderHigh, senderLow, agentHigh, agentLow, channel)) {
        last = i;
        return i;
      }
    }
    return -1;
  }

  private boolean isAt(int i, long high, long low, long agentHigh, long agentLow, long channel) {
    int k = i * KEY_LONGS;
    return keys[k] == high
        && keys[k + 1] == low
        && keys[k + 2] == agentHigh
        && keys[k + 3] == agentLow
        && keys[k + 4] == channel;
  }

  private int slot(long high, long low, long agentHigh, long agentLow, long channel) {
    long hash = KeyHash.of(high, low);
    hash = KeyHash.with(hash, agentHigh);
    hash = KeyHash.with(hash, agentLow);
    hash = KeyHash.with(hash, channel);
    return (int) hash & (slots.length - 1);
  }

  private void index() {
    slots = new int[Integer.highestOneBit(size) * 4];
    for (int i = 0; i < size; i++) {
      index(i);
    }
  }

  private void index(int i) {
    int k = i * KEY_LONGS;
    int slot = slot(keys[k], keys[k + 1], keys[k + 2], keys[k + 3], keys[k + 4]);
    while (slots[slot] != 0) {
      slot = (slot + 1) & (slots.length - 1);
    }
    slots[slot] = i + 1;
  }

  /** Adds to one of the exporter's counts. */
  public void add(int exporter, int count, long amount) {
    counts[exporter * COUNTS + count] += amount;
  }

  /** One of the exporter's counts. */
  public long count(int exporter, int count) {
    return counts[exporter * COUNTS + count];
  }

  /** Upper half of the sender's address. */
  public long senderHigh(int exporter) {
    return keys[exporter * KEY_LONGS];
  }

  /** Lower half of the sender's address. */
  public long senderLow(int exporter) {
    return keys[exporter * KEY_LONGS + 1];
  }

  /** Upper half of the agent's address; {@link Addresses#NULL} if the datagram has none. */
  public long agentHigh(int exporter) {
    return keys[exporter * KEY_LONGS + 2];
  }

  /** Lower half of the agent's address. */
  public long agentLow(int exporter) {
    return keys[exporter * KEY_LONGS + 3];
  }

  /** The {@link Channel}. */
  public long channel(int exporter) {
    return keys[exporter * KEY_LONGS + 4];
  }

  /** Clears the exporters and keeps the memory. */
  public void clear() {
    size = 0;
    last = 0;
    slots = null;
  }

  void write(BlockBuffer out) {
    out.putInt(size);
    out.putInt(COUNTS);
    Plane.write(out, keys, size * KEY_LONGS);
    Plane.write(out, counts, size * COUNTS);
  }

  /**
   * Replaces the exporters by those from {@link #write}. Reasons are only added at the end, so
   * those unknown to the writer are 0, and those unknown here are ignored.
   */
  void read(BlockInput in) {
    int exporters = in.takeInt();
    int written = in.takeInt();
    // a plane of equal numbers takes no bytes, so the number of counts must be bounded
    if (exporters < 0 || exporters > MAX_EXPORTERS || written < 1 || written > MAX_COUNTS) {
      throw in.broken(
          Integer.toUnsignedString(exporters)
              + " exporters with "
              + Integer.toUnsignedString(written)
              + " counts each");
    }
    keys = new long[Math.max(1, exporters) * KEY_LONGS];
    counts = new long[Math.max(1, exporters) * COUNTS];
    long[] all = new long[exporters * written];
    Plane.read(in, keys, exporters * KEY_LONGS);
    Plane.read(in, all, exporters * written);
    for (int i = 0; i < exporters; i++) {
      System.arraycopy(all, i * written, counts, i * COUNTS, Math.min(written, COUNTS));
    }
    size = exporters;
    last = 0;
    slots = null;
    if (size >= FEW) {
      index();
    }
  }
}

package io.millrace.analytics.gateway;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.KeyTable;

/**
 * The newest records of each series (a gateway in one form), ordered by time, with the series'
 * other state. Part of a state, 24 bytes per record and 48 per series; not thread-safe.
 *
 * <pre>
 *   slots of a series, here 5 of which 4 are used; place 0 is the newest
 *   +---------+---------+---------+---------+---------+
 *   | place 1 | place 0 |  free   | place 3 | place 2 |
 *   +---------+---------+---------+---------+---------+
 *                head
 * </pre>
 */
final class Series {
  private static final int META = 0;
  private static final int DAY_ENTRY = 1;
  private static final int INTERVAL = 2;
  private static final int INTERVAL_BYTES = 3;
  private static final int HOUR = 4;
  private static final int HOUR_BYTES = 5;
  private static final int FIRST_SLOT = 6;
  private static final int SLOT_COLUMNS = 3;

  private static final int BYTE = 0xFF;
  private static final int COUNT_SHIFT = 8;
  private static final int DAY_SHIFT = 32;

  private final KeyTable table;
  private final int slots;

  private long[] meta;

  long[] dayEntry;

  /** Number of the arrival interval whose bytes are counted; 0 for none. */
  long[] interval;

  long[] intervalBytes;

  /** Hour whose bytes are counted, as day × 24 + hour; 0 before the first. */
  long[] hour;

  long[] hourBytes;
  private final long[][] time;
  private final long[][] tx;
  private final long[][] rx;

  Series(KeyGroups groups, int slots) {
    this.slots = slots;
    table = new KeyTable(groups, 2, FIRST_SLOT + SLOT_COLUMNS * slots);
    time = new long[slots][];
    tx = new long[slots][];
    rx = new long[slots][];
    bind();
  }

  KeyTable table() {
    return table;
  }

  int slots() {
    return slots;
  }

  void bind() {
    meta = table.values(META);
    dayEntry = table.values(DAY_ENTRY);
    interval = table.values(INTERVAL);
    intervalBytes = table.values(INTERVAL_BYTES);
    hour = table.values(HOUR);
    hourBytes = table.values(HOUR_BYTES);
    for (int slot = 0; slot < slots; slot++) {
      time[slot] = table.values(FIRST_SLOT + SLOT_COLUMNS * slot);
      tx[slot] = table.values(FIRST_SLOT + SLOT_COLUMNS * slot + 1);
      rx[slot] = table.values(FIRST_SLOT + SLOT_COLUMNS * slot + 2);
    }
  }

  int find(int hash, long first, long second) {
    return table.find(hash, first, second);
  }

  int make(int hash, long first, long second) {
    int entry = table.entry(hash, first, second);
    if (meta != table.values(META)) {
      bind();
    }
    return entry;
  }

  int count(int entry) {
    return (int) (meta[entry] >>> COUNT_SHIFT) & BYTE;
  }

  boolean isFull(int entry) {
    return count(entry) == slots;
  }

  private int head(int entry) {
    return (int) meta[entry] & BYTE;
  }

  long lastArrivalDay(int entry) {
    return meta[entry] >>> DAY_SHIFT;
  }

  private int slot(int entry, int place) {
    int slot = head(entry) - place;
    return slot < 0 ? slot + slots : slot;
  }

  long time(int entry, int place) {
    return time[slot(entry, place)][entry];
  }

  long tx(int entry, int place) {
    return tx[slot(entry, place)][entry];
  }

  long rx(int entry, int place) {
    return rx[slot(entry, place)][entry];
  }

  long oldest(int entry) {
    return time(entry, count(entry) - 1);
  }

  void push(int entry, long arrivalDay, long millis, long sent, long received) {
    int head = head(entry) + 1;
    head = head == slots ? 0 : head;
    int count = Math.min(slots, count(entry) + 1);
    meta[entry] = arrivalDay << DAY_SHIFT | (long) count << COUNT_SHIFT | head;
    time[head][entry] = millis;
    tx[head][entry] = sent;
    rx[head][entry] = received;
  }

  void insert(int entry, int place, long millis, long sent, long received) {
    push(entry, lastArrivalDay(entry), millis, sent, received);
    for (int i = 0; i < place; i++) {
      int to = slot(entry, i);
      int from = slot(entry, i + 1);
      time[to][entry] = time[from][entry];
      tx[to][entry] = tx[from][entry];
      rx[to][entry] = rx[from][entry];
    }
    int slot = slot(entry, place);
    time[slot][entry] = millis;
    tx[slot][entry] = sent;
    rx[slot][entry] = received;
  }

  void copy(Series from, int fromEntry) {
    int entry =
        make(
            from.table.hash(fromEntry), from.table.key(fromEntry, 0), from.table.key(fromEntry, 1));
    interval[entry] = from.interval[fromEntry];
    intervalBytes[entry] = from.intervalBytes[fromEntry];
    hour[entry] = from.hour[fromEntry];
    hourBytes[entry] = from.hourBytes[fromEntry];
    for (int place = from.count(fromEntry) - 1; place >= 0; place--) {
      push(
          entry,
          from.lastArrivalDay(fromEntry),
          from.time(fromEntry, place),
          from.tx(fromEntry, place),
          from.rx(fromEntry, place));
    }
  }
}

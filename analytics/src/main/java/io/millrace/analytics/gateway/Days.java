package io.millrace.analytics.gateway;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** Totals of days that may still change: state, 100 bytes per gateway and day. */
final class Days {
  static final TableSchema SCHEMA =
      TableSchema.builder()
          .time("day")
          .text("gateway")
          .number("tx")
          .number("rx")
          .fraction("seconds")
          .number("records")
          .number("late")
          .number("dropped")
          .number("doubled")
          .build();

  static final int TX = 0;
  static final int RX = 1;
  static final int MILLIS = 2;
  static final int RECORDS = 3;
  static final int LATE = 4;
  static final int DROPPED = 5;
  static final int DOUBLED = 6;
  private static final int FLAGS = 7;
  private static final int COLUMNS = 8;

  private static final long CHANGED = 1;
  private static final long SETTLED = 2;
  private static final int DAY = 2;
  private static final int BLOCK_ROWS = 4_096;
  private static final double MILLIS_A_SECOND = 1e3;
  private static final long DAY_MICROS = DayClock.DAY_MILLIS * 1_000;

  private final KeyTable table;
  private final long[] key = new long[3];
  private final long[][] columns = new long[COLUMNS][];

  private int[] changed = new int[64];

  private int changes;
  private long full;

  Days(KeyGroups groups) {
    table = new KeyTable(groups, key.length, COLUMNS);
    bind();
  }

  KeyTable table() {
    return table;
  }

  private void bind() {
    for (int column = 0; column < COLUMNS; column++) {
      columns[column] = table.values(column);
    }
  }

  void restored() {
    bind();
    changes = 0;
    for (int entry = 0; entry < table.size(); entry++) {
      if ((columns[FLAGS][entry] & CHANGED) != 0) {
        addChanged(entry);
      }
    }
  }

  int entry(long guess, int hash, long first, long gateway, long day) {
    int entry = (int) guess;
    if (entry < table.size()
        && table.key(entry, DAY) == day
        && table.key(entry, 0) == first
        && table.key(entry, 1) == gateway) {
      return entry;
    }
    key(first, gateway, day);
    entry = table.entry(hash, key);
    if (columns[0] != table.values(0)) {
      bind();
    }
    return entry;
  }

  private void key(long first, long gateway, long day) {
    key[0] = first;
    key[1] = gateway;
    key[2] = day;
  }

  void add(int entry, int column, long amount) {
    if (column <= RX) {
      addVolume(column, entry, amount);
    } else {
      columns[column][entry] += amount;
    }
    change(entry);
  }

  private void addVolume(int column, int entry, long bytes) {
    long sum = Volumes.plus(columns[column][entry], bytes);
    columns[column][entry] = sum;
    if (sum == Volumes.MAX) {
      full++;
    }
  }

  long full() {
    return full;
  }

  void add(int entry, long tx, long rx, long millis) {
    addVolume(TX, entry, tx);
    addVolume(RX, entry, rx);
    columns[MILLIS][entry] += millis;
    columns[RECORDS][entry]++;
    change(entry);
  }

  private void change(int entry) {
    if ((columns[FLAGS][entry] & CHANGED) == 0) {
      columns[FLAGS][entry] |= CHANGED;
      addChanged(entry);
    }
  }

  private void addChanged(int entry) {
    if (changes == changed.length) {
      changed = Arrays.copyOf(changed, changes * 2);
    }
    changed[changes++] = entry;
  }

  void settle(int hash, long first, long gateway, long day) {
    key(first, gateway, day);
    int entry = table.find(hash, key);
    if (entry >= 0) {
      columns[FLAGS][entry] |= SETTLED;
      change(entry);
    }
  }

  @FunctionalInterface
  interface Rows {
    void take(TableBlock block);
  }

  void write(LongIds ids, Rows out) {
    for (int from = 0; from < changes; from += BLOCK_ROWS) {
      out.take(block(ids, from, Math.min(changes, from + BLOCK_ROWS)));
    }
    // From the last to the first, since removal moves the last entry.
    Arrays.sort(changed, 0, changes);
    for (int i = changes - 1; i >= 0; i--) {
      int entry = changed[i];
      boolean isSettled = (columns[FLAGS][entry] & SETTLED) != 0;
      columns[FLAGS][entry] = 0;
      if (isSettled) {
        table.remove(entry);
      }
    }
    changes = 0;
  }

  private TableBlock block(LongIds ids, int from, int to) {
    TableBlock block = new TableBlock(SCHEMA, to - from);
    long[] days = block.longs(0);
    double[] seconds = block.doubles(4);
    for (int i = from; i < to; i++) {
      int entry = changed[i];
      int row = i - from;
      days[row] = table.key(entry, DAY) * DAY_MICROS;
      ids.addTo(block.texts(1), table.hash(entry), table.key(entry, 0), table.key(entry, 1));
      block.longs(2)[row] = columns[TX][entry];
      block.longs(3)[row] = columns[RX][entry];
      seconds[row] = columns[MILLIS][entry] / MILLIS_A_SECOND;
      for (int column = RECORDS; column <= DOUBLED; column++) {
        block.longs(column + 2)[row] = columns[column][entry];
      }
    }
    block.rows(to - from);
    return block;
  }

  Set<GatewayState.Gateway> changed(GatewayPredicate which) {
    Set<GatewayState.Gateway> gateways = new HashSet<>();
    for (int i = 0; i < changes; i++) {
      long first = table.key(changed[i], 0);
      long second = table.key(changed[i], 1);
      if (which.test(table.hash(changed[i]), first, second)) {
        gateways.add(new GatewayState.Gateway(first, second));
      }
    }
    return gateways;
  }

  void removeIf(GatewayPredicate isGone) {
    for (int entry = table.size() - 1; entry >= 0; entry--) {
      if (columns[FLAGS][entry] == 0
          && isGone.test(table.hash(entry), table.key(entry, 0), table.key(entry, 1))) {
        table.remove(entry);
      }
    }
    restored(); // since entries have moved
  }

  @FunctionalInterface
  interface GatewayPredicate {
    boolean test(int hash, long first, long gateway);
  }

  void clear() {
    table.clear();
    bind();
    changes = 0;
  }
}

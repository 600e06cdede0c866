package io.millrace.store.duckdb.offsets;

import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.wire.block.Frontier;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * How early the rows of a table of flows may have arrived that are after a frontier. Such rows are
 * few and new, but their places in the log do not distinguish a row group that has some of them
 * from one that has none: where one partition has many values and another few, each group has
 * offsets of either kind. Rows are stored nearly in order of their arrival, which does.
 *
 * <p>Each value is reported before rows of it are stored, and keeps the least arrival of some
 * seconds' values, the newest {@value #MOST} such stretches of each partition. Of what lies before
 * them, and of a table that nobody has rewound since the process began, it knows nothing.
 * Thread-safe.
 */
public final class RowArrivals {
  private static final int MOST = 512;
  private static final long STRETCH_MICROS = TimeUnit.SECONDS.toMicros(4);

  // All guarded by this.
  private final Map<Integer, TreeMap<Long, Stretch>> stretches = new HashMap<>();

  private final Map<Integer, Long> knownFrom = new HashMap<>();

  private boolean isKnown;

  private record Stretch(long begun, long least) {}

  /**
   * Begins with the arrivals reported of the same table before its file was closed and opened anew.
   */
  public synchronized void follow(RowArrivals before) {
    synchronized (before) {
      before.stretches.forEach((partition, own) -> stretches.put(partition, new TreeMap<>(own)));
      knownFrom.putAll(before.knownFrom);
      isKnown = before.isKnown;
    }
  }

  /**
   * The table has no row after a frontier, and later ones are reported from now on. What was
   * reported of rows before it stays true.
   */
  public synchronized void nothingAfter(Frontier frontier) {
    Map<Integer, Long> from = new HashMap<>(frontier.next());
    if (isKnown) {
      from.replaceAll((partition, next) -> Math.min(next, knownFrom.getOrDefault(partition, 0L)));
    }
    knownFrom.clear();
    knownFrom.putAll(from);
    isKnown = true;
  }

  /** Rows are there, or may be at once, that were not reported. */
  public synchronized void unknown() {
    isKnown = false;
  }

  /**
   * Rows of a value are about to be stored.
   *
   * @param micros their least arrival
   */
  public synchronized void storing(int partition, long offset, long micros) {
    TreeMap<Long, Stretch> own = stretches.computeIfAbsent(partition, p -> new TreeMap<>());
    Map.Entry<Long, Stretch> before = own.floorEntry(offset);
    boolean isLast = before != null && before.getKey().equals(own.lastKey());
    if (before == null || (isLast && micros - before.getValue().begun() > STRETCH_MICROS)) {
      own.put(offset, new Stretch(micros, micros));
      if (own.size() > MOST) {
        own.pollFirstEntry();
        knownFrom.merge(partition, own.firstKey(), Math::max);
      }
    } else if (micros < before.getValue().least()) {
      own.put(before.getKey(), new Stretch(before.getValue().begun(), micros));
    }
  }

  /**
   * The range with what its rows are known to fulfil.
   *
   * @param range all rows of it that may be asked for were reported: the transaction that asks has
   *     begun, or a checkpoint has covered them
   */
  public LogRange known(LogRange range) {
    return range.withSince(since(range.from(), range.to().next().keySet()));
  }

  /**
   * SQL followed by AND, true of all reported rows of some partitions that are after a frontier;
   * empty where that is not known.
   */
  public synchronized String since(Frontier frontier, Collection<Integer> partitions) {
    long least = Long.MAX_VALUE;
    for (int partition : partitions) {
      long next = frontier.next(partition);
      if (!isKnown || next < knownFrom.getOrDefault(partition, 0L)) {
        return "";
      }
      TreeMap<Long, Stretch> own = stretches.getOrDefault(partition, new TreeMap<>());
      Long from = own.floorKey(next);
      for (Stretch stretch : (from == null ? own : own.tailMap(from)).values()) {
        least = Math.min(least, stretch.least());
      }
    }
    return least == Long.MAX_VALUE ? "" : "time >= " + SqlTime.timestamp(least) + " AND ";
  }
}

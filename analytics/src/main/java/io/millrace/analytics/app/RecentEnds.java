package io.millrace.analytics.app;

import java.util.LinkedHashMap;
import java.util.Map;

/** Map from address and port to values, with expiry; evicts the oldest entry first. */
final class RecentEnds<V> {
  static final int ANY_PORT = 0;

  private record End(long high, long low, int port) {}

  private record Entry<V>(V value, long untilMicros) {}

  private final Map<End, Entry<V>> entries;

  RecentEnds(int maxEntries) {
    entries =
        new LinkedHashMap<>() {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<End, Entry<V>> eldest) {
            return size() > maxEntries;
          }
        };
  }

  void put(long high, long low, int port, V value, long untilMicros) {
    End end = new End(high, low, port);
    entries.remove(end); // otherwise the entry would keep its old position
    entries.put(end, new Entry<>(value, untilMicros));
  }

  /** The value; null if there is none or it has expired. */
  V get(long high, long low, int port, long nowMicros) {
    if (entries.isEmpty()) {
      return null;
    }
    Entry<V> entry = entries.get(new End(high, low, port));
    return entry == null || entry.untilMicros < nowMicros ? null : entry.value;
  }

  int size() {
    return entries.size();
  }
}

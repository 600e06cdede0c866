package io.millrace.lab.recovery;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Packets in the table of applications. They are counted in the order of the log, so the newest of
 * N packets arrived when the log had N.
 */
final class AppsOutput implements Output {
  private final SqlSource table;
  private final LongSupplier logged;
  private final TreeMap<Long, Long> microsByLogged = new TreeMap<>();
  private long rows;

  AppsOutput(SqlSource table, LongSupplier logged) {
    this.table = table;
    this.logged = logged;
  }

  @Override
  public long newestMicros() {
    microsByLogged.putIfAbsent(logged.getAsLong(), OutputWatch.nowMicros());
    Entry<Long, Long> arrived = microsByLogged.ceilingEntry(rows);
    return rows == 0 || arrived == null ? Long.MIN_VALUE : arrived.getValue();
  }

  @Override
  public long rows() throws IOException {
    rows = packets(table).values().stream().mapToLong(Long::longValue).sum();
    return rows;
  }

  /** Packets by application. */
  static Map<String, Long> packets(SqlSource table) throws IOException {
    Map<String, Long> packets = new HashMap<>();
    for (List<String> row : table.rows("SELECT app, sum(packets)::BIGINT FROM apps GROUP BY app")) {
      packets.put(row.get(0), Long.parseLong(row.get(1)));
    }
    return packets;
  }
}

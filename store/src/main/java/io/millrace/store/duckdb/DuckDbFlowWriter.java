package io.millrace.store.duckdb;

import io.millrace.store.FlowWriter;
import io.millrace.store.StoreException;
import io.millrace.wire.block.FlowBlock;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongConsumer;
import org.duckdb.DuckDBConnection;

/**
 * Appends blocks, each to the part of the table that it belongs to; the parts commit on their own.
 */
final class DuckDbFlowWriter implements FlowWriter {
  private final String table;
  private final NameDictionary names;
  private final Tallies tallies;
  private final Map<FlowPart, FlowLane> lanes = new EnumMap<>(FlowPart.class);

  /**
   * @param connection is left alone; each lane works on one of its own
   */
  DuckDbFlowWriter(
      DuckDBConnection connection,
      String table,
      Map<FlowPart, FlowLayout> layouts,
      NameDictionary names,
      LongConsumer newest)
      throws SQLException {
    this.table = table;
    this.names = names;
    for (Map.Entry<FlowPart, FlowLayout> part : layouts.entrySet()) {
      lanes.put(
          part.getKey(),
          new FlowLane(
              connection.duplicate(),
              part.getKey().tableName(table),
              part.getValue(),
              names,
              newest));
    }
    tallies = new Tallies(lanes.get(FlowPart.PACKETS).connection(), table);
  }

  @Override
  public void append(FlowBlock block) {
    tallies.add(block);
    if (block.names().size() > 0) {
      names.add(block.names());
    }
    if (block.rows() == 0) {
      return;
    }
    try {
      lanes.get(FlowPart.of(block)).append(block);
    } catch (SQLException e) {
      throw failed("append to", e);
    }
  }

  @Override
  public void flush() {
    try {
      boolean counted = !tallies.isEmpty();
      tallies.flush();
      for (Map.Entry<FlowPart, FlowLane> part : lanes.entrySet()) {
        FlowLane lane = part.getValue();
        if (lane.pendingRows() > 0 || (counted && part.getKey() == FlowPart.PACKETS)) {
          lane.flush();
        }
      }
    } catch (SQLException e) {
      throw failed("flush", e);
    }
  }

  private StoreException failed(String what, SQLException e) {
    return new StoreException("cannot " + what + " table " + table + ": " + e.getMessage(), e);
  }

  @Override
  public long pendingRows() {
    return lanes.values().stream().mapToLong(FlowLane::pendingRows).sum();
  }

  @Override
  public long pendingSinceNanos() {
    long since = Long.MAX_VALUE;
    for (FlowLane lane : lanes.values()) {
      since = Math.min(since, lane.pendingSinceNanos());
    }
    return since;
  }

  @Override
  public void close() {
    try {
      for (FlowLane lane : lanes.values()) {
        lane.close();
      }
    } catch (SQLException e) {
      throw failed("close the writer of", e);
    }
  }
}

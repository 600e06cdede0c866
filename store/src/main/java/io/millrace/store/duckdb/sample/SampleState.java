package io.millrace.store.duckdb.sample;

import io.millrace.store.duckdb.offsets.StoredFrontier;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.rollup.Grain;
import io.millrace.wire.block.Frontier;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.duckdb.DuckDBConnection;

/**
 * State of the sample of a table of flows, as seen by one transaction. Times are microseconds since
 * the epoch, {@link Long#MIN_VALUE} for none.
 *
 * @param rolled log position up to which rows were sampled
 * @param from start of the first bucket of each grain whose sample is kept
 * @param folded rows that arrived earlier are in the samples of their hours and days, except late
 *     ones
 * @param newest arrival of the newest row
 */
public record SampleState(Frontier rolled, Map<Grain, Long> from, long folded, long newest) {
  /** State of the sample of a table; empty if no sample is kept. */
  public static Optional<SampleState> read(DuckDBConnection connection, String table)
      throws SQLException {
    Frontier rolled = StoredFrontier.read(connection, SampleTables.FRONTIERS, table);
    List<SampleState> found = new ArrayList<>();
    SqlRows.forEach(
        connection,
        "SELECT minute_from, hour_from, day_from, folded, newest FROM %s WHERE table_name = '%s'"
            .formatted(SampleTables.STATE, table),
        row -> {
          Map<Grain, Long> from = new EnumMap<>(Grain.class);
          for (Grain grain : SampleTables.GRAINS) {
            from.put(grain, row.getLong(from.size() + 1));
          }
          found.add(new SampleState(rolled, from, row.getLong(4), row.getLong(5)));
        });
    return found.stream().findFirst();
  }

  /** State of an empty sample of rows that arrive from a time on. */
  public static SampleState startingAt(long micros) {
    Map<Grain, Long> from = new EnumMap<>(Grain.class);
    SampleTables.GRAINS.forEach(grain -> from.put(grain, micros));
    return new SampleState(Frontier.EMPTY, from, Long.MIN_VALUE, Long.MIN_VALUE);
  }

  /**
   * Tables of the rows of a grain's sample that arrived at a time or later. Lists no others, since
   * planning a larger union takes longer than reading it.
   */
  public List<SampleTables> tables(Grain grain, long time) {
    return time >= folded ? List.of(SampleTables.OPEN) : SampleTables.of(grain);
  }

  SampleState withRolled(Frontier frontier) {
    return new SampleState(frontier, from, folded, newest);
  }

  SampleState withNewest(long micros) {
    return new SampleState(rolled, from, folded, Math.max(newest, micros));
  }

  SampleState withFolded(long micros) {
    return new SampleState(rolled, from, micros, newest);
  }

  SampleState withFrom(Grain grain, long micros) {
    Map<Grain, Long> later = new EnumMap<>(from);
    later.put(grain, micros);
    return new SampleState(rolled, later, folded, newest);
  }

  /** Replaces the stored state, in the transaction of the statement. */
  public void store(Statement statement, String table) throws SQLException {
    statement.execute("DELETE FROM " + SampleTables.STATE + " WHERE table_name = '" + table + "'");
    StringBuilder values = new StringBuilder();
    for (Grain grain : SampleTables.GRAINS) {
      values.append(SqlTime.micros(from.get(grain))).append(", ");
    }
    statement.execute(
        "INSERT INTO %s VALUES ('%s', %s%s, %s)"
            .formatted(
                SampleTables.STATE, table, values, SqlTime.micros(folded), SqlTime.micros(newest)));
    StoredFrontier.store(statement, SampleTables.FRONTIERS, table, rolled);
  }
}

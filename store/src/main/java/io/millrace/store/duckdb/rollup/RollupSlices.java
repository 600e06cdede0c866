package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.wire.block.Frontier;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.duckdb.DuckDBConnection;

/** Splits a long log range into pieces of one step each. */
final class RollupSlices {
  private static final int PIECES = 2_000;

  private RollupSlices() {}

  /**
   * The oldest part of a range, with about as many rows as given; the range itself if it has fewer.
   * Reads only the oldest files, so that the cost does not depend on how many follow.
   *
   * @param shown of the connection; reads those files afterwards
   */
  static LogRange first(
      RowsView shown, DuckDBConnection connection, String table, LogRange range, long rows)
      throws SQLException {
    List<RowExtent> files =
        shown.files(table).stream()
            .filter(file -> file.mayHave(range))
            .sorted(Comparator.comparingLong(RowExtent::oldest))
            .toList();
    String all =
        "SELECT log_partition, log_offset, time FROM %s WHERE %s UNION ALL SELECT log_partition, log_offset, time FROM %s WHERE %s"
            .formatted(
                Catalog.raw(FlowPart.PACKETS.tableName(table)),
                range.sql(),
                Catalog.raw(FlowPart.RECORDS.tableName(table)),
                range.sql());
    for (long wanted = 2 * rows; ; wanted *= 2) { // a file may also have rows outside the range
      long until = newestOfOldest(files, wanted);
      var unused = shown.read(table, file -> file.mayHave(range) && file.oldest() <= until);
      List<long[]> bounds = new ArrayList<>();
      long total = 0;
      try (Statement statement = connection.createStatement();
          ResultSet found =
              statement.executeQuery(
                  "SELECT log_partition, min(log_offset), max(log_offset), count(*) FROM (%s) GROUP BY 1"
                      .formatted(all))) {
        while (found.next()) {
          bounds.add(new long[] {found.getLong(1), found.getLong(2), found.getLong(3)});
          total += found.getLong(4);
        }
      }
      if (total > rows) {
        return cut(connection, all, bounds, range, rows);
      }
      if (until == Long.MAX_VALUE) {
        return range;
      }
    }
  }

  /**
   * Oldest arrival of the last of the first files that together have so many rows, microseconds;
   * {@link Long#MAX_VALUE} if all have fewer.
   */
  private static long newestOfOldest(List<RowExtent> files, long rows) {
    long total = 0;
    for (RowExtent file : files) {
      total += file.rows();
      if (total >= rows) {
        return file.oldest();
      }
    }
    return Long.MAX_VALUE;
  }

  private static LogRange cut(
      DuckDBConnection connection, String all, List<long[]> bounds, LogRange range, long rows)
      throws SQLException {
    StringBuilder piece = new StringBuilder("CASE log_partition");
    Map<Integer, long[]> steps = new TreeMap<>();
    for (long[] bound : bounds) {
      long step = Math.max(1, (bound[2] - bound[1]) / PIECES);
      steps.put((int) bound[0], new long[] {bound[1], step});
      piece.append(" WHEN %d THEN (log_offset - %d) // %d".formatted(bound[0], bound[1], step));
    }
    piece.append(" END");
    // A piece's time is that of its oldest row, but not earlier than that of the previous piece.
    String pieces =
        "SELECT log_partition, %s AS piece, count(*) AS n, min(time) AS t FROM (%s) GROUP BY 1, 2"
            .formatted(piece, all);
    String inOrder =
        "SELECT log_partition, piece, n, max(t) OVER (PARTITION BY log_partition ORDER BY piece) AS t FROM (%s)"
            .formatted(pieces);
    Map<Integer, Long> next = new TreeMap<>(range.from().next());
    long taken = 0;
    try (Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery(
                "SELECT log_partition, piece, n FROM (" + inOrder + ") ORDER BY t, 1, 2")) {
      while (found.next() && taken < rows) {
        int partition = found.getInt(1);
        long[] step = steps.get(partition);
        long end = step[0] + (found.getLong(2) + 1) * step[1];
        next.put(partition, Math.min(end, range.to().next(partition)));
        taken += found.getLong(3);
      }
    }
    return range.within(range.from(), new Frontier(next));
  }
}

package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.rollup.Grain;
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

/**
 * Splits a long log range into pieces of one step each. A piece ends just after a full hour if it
 * can, since buckets of hours that a step closes are not stored as open minutes before.
 */
final class RollupSlices {
  private static final int PIECES = 2_000;

  /** A slice may have 1/{@value} of the wanted rows, or this many times as many, to end so. */
  private static final int FACTOR = 2;

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
    for (long wanted = FACTOR * rows;
        ;
        wanted *= 2) { // a file may also have rows outside the range
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
        return cut(connection, all, bounds, range, rows, until);
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

  /**
   * Rows of one partition with consecutive offsets.
   *
   * @param end offset after the last row
   * @param time arrival of the oldest row, but not earlier than that of the previous piece
   */
  private record Piece(int partition, long end, long rows, long time) {}

  private static LogRange cut(
      DuckDBConnection connection,
      String all,
      List<long[]> bounds,
      LogRange range,
      long rows,
      long until)
      throws SQLException {
    List<Piece> pieces = pieces(connection, all, bounds);
    Map<Integer, Long> next = new TreeMap<>(range.from().next());
    for (Piece piece : pieces.subList(0, end(pieces, rows, until))) {
      next.put(piece.partition, Math.min(piece.end, range.to().next(piece.partition)));
    }
    return range.within(range.from(), new Frontier(next));
  }

  private static List<Piece> pieces(DuckDBConnection connection, String all, List<long[]> bounds)
      throws SQLException {
    StringBuilder piece = new StringBuilder("CASE log_partition");
    Map<Integer, long[]> steps = new TreeMap<>();
    for (long[] bound : bounds) {
      long step = Math.max(1, (bound[2] - bound[1]) / PIECES);
      steps.put((int) bound[0], new long[] {bound[1], step});
      piece.append(" WHEN %d THEN (log_offset - %d) // %d".formatted(bound[0], bound[1], step));
    }
    piece.append(" END");
    String counted =
        "SELECT log_partition, %s AS piece, count(*) AS n, epoch_us(min(time)) AS t FROM (%s) GROUP BY 1, 2"
            .formatted(piece, all);
    String inOrder =
        "SELECT log_partition, piece, n, max(t) OVER (PARTITION BY log_partition ORDER BY piece) AS t FROM (%s)"
            .formatted(counted);
    List<Piece> pieces = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery(
                "SELECT log_partition, piece, n, t FROM (" + inOrder + ") ORDER BY t, 1, 2")) {
      while (found.next()) {
        int partition = found.getInt(1);
        long[] step = steps.get(partition);
        long end = step[0] + (found.getLong(2) + 1) * step[1];
        pieces.add(new Piece(partition, end, found.getLong(3), found.getLong(4)));
      }
    }
    return pieces;
  }

  /**
   * Number of the first pieces that make a slice. The piece with which rows are late enough to
   * close an hour is the last one, if the slice is then neither too short nor too long: of several
   * such pieces, the last before the wanted number of rows, or the first after it.
   *
   * @param until arrival until which the pieces have all rows
   */
  private static int end(List<Piece> pieces, long rows, long until) {
    long taken = 0;
    int enough = 0;
    int hour = 0;
    long closing = closing(pieces.get(0).time);
    for (int i = 0; i < pieces.size() && taken < FACTOR * rows; i++) {
      Piece piece = pieces.get(i);
      taken += piece.rows;
      if (piece.time >= closing && piece.time <= until && taken <= FACTOR * rows) {
        closing = closing(piece.time);
        if (taken <= rows || hour == 0) {
          hour = FACTOR * taken >= rows ? i + 1 : hour;
        }
      }
      if (enough == 0 && taken >= rows) {
        enough = i + 1;
      }
    }
    return hour > 0 ? hour : enough;
  }

  /** Arrival from which a row closes the hour of another row. */
  private static long closing(long micros) {
    long late = micros - TableRollups.LATENESS_MICROS;
    return Grain.HOUR.bucket(late) + Grain.HOUR.micros() + TableRollups.LATENESS_MICROS;
  }
}

package io.millrace.store.duckdb.history;

import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.disk.StoredSize;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.duckdb.sql.SqlTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stored table whose newer rows are in the database and older ones in Parquet files, with a view
 * over both.
 *
 * <p>The database has the list of files. A transaction moves rows by writing them to a file,
 * deleting them and recreating the view. So a query sees each row once, and a crash leaves at most
 * an orphan file. Afterwards, the Iceberg table that other engines read is updated to the same
 * files. Rows of older times may be added at any time; they are moved later.
 *
 * <p>Used by one thread at a time; changes are made in the transaction of the given statement.
 */
public final class TieredTable {
  /** Files of all tables; has a column {@code table_name}. */
  public static final String FILES = Catalog.raw("history__files");

  private static final Logger LOG = LoggerFactory.getLogger(TieredTable.class);

  /** Files with at least this many rows are not merged. */
  private static final long LARGE_ROWS = 1_000_000;

  private static final long MERGED_ROWS = 4 * LARGE_ROWS;

  /** Units per span; small files of a past span are merged. */
  private static final int SPAN_UNITS = 32;

  private final String table;
  private final String name;
  private final String time;
  private final long unitMicros;
  private final HistoryTable history;
  private final List<String> wide;
  private long movedTo = Long.MIN_VALUE;
  private boolean isListed;

  /**
   * Creates the object; {@link #open} creates the view.
   *
   * @param table table of flows to which it belongs
   * @param name name of the view, in the schema of stored tables
   * @param time column that assigns rows to files
   * @param unitMicros time covered by a file until it is merged, microseconds: hours or days
   * @param wide columns whose values may be too large for files
   */
  public TieredTable(
      String table,
      String name,
      String time,
      long unitMicros,
      List<String> wide,
      HistoryTable history) {
    this.table = table;
    this.name = name;
    this.time = time;
    this.unitMicros = unitMicros;
    this.wide = List.copyOf(wide);
    this.history = history;
  }

  /** Statements that create missing tables of files. */
  public static List<String> create() {
    return List.of(createFiles(), TieredRows.create());
  }

  private static String createFiles() {
    return "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, stored VARCHAR, file VARCHAR, first_micros BIGINT, last_micros BIGINT, from_micros BIGINT, rows BIGINT, bytes BIGINT)"
        .formatted(FILES);
  }

  /** Unqualified name of the table of newer rows. */
  public static String recentName(String name) {
    return name + "__recent";
  }

  /** Qualified name of the table of newer rows. */
  public String recent() {
    return Catalog.raw(recentName(name));
  }

  /**
   * Creates the view over the existing files.
   *
   * @param connection connection of the statement
   */
  public void open(DuckDBConnection connection, Statement statement) throws SQLException {
    List<HistoryFile> files = files(connection);
    for (HistoryFile file : files) {
      if (!isThere(file)) {
        LOG.warn(
            "{} is missing: queries do not see its {} rows of {} from {} to {}; restore the file from a backup, then restart",
            path(file),
            file.rows(),
            name,
            instant(file.first()),
            instant(file.last()));
      }
    }
    createView(statement, files);
  }

  private Path path(HistoryFile file) {
    return history.folder().resolve(file.name());
  }

  private boolean isThere(HistoryFile file) {
    return Files.exists(path(file));
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  public void dropView(Statement statement) throws SQLException {
    statement.execute("DROP VIEW IF EXISTS " + Catalog.raw(name));
  }

  /** Drops the view and removes the files from the database; keeps the table of newer rows. */
  public void drop(Statement statement) throws SQLException {
    dropView(statement);
    statement.execute("DELETE FROM " + FILES + " WHERE " + mine());
    statement.execute("DELETE FROM " + TieredRows.TABLES + " WHERE " + mine());
  }

  /** Recreates the view after the table of newer rows changed. */
  public void createView(DuckDBConnection connection, Statement statement) throws SQLException {
    createView(statement, files(connection));
  }

  private void createView(Statement statement, List<HistoryFile> files) throws SQLException {
    String read = files.isEmpty() ? "" : history.read();
    String select = "SELECT %s FROM %s".formatted(history.columns(), recent());
    TieredRows rows = new TieredRows(name, select, read, history.folder().toString(), time, files);
    statement.execute(
        "CREATE OR REPLACE VIEW %s AS %s".formatted(Catalog.raw(name), rows.select(file -> true)));
    statement.execute("DELETE FROM " + TieredRows.TABLES + " WHERE " + mine());
    statement.execute(
        "INSERT INTO %s VALUES ('%s', '%s', %s, %s, %s, '%s')"
            .formatted(
                TieredRows.TABLES,
                table,
                name,
                SqlLiteral.of(select),
                SqlLiteral.of(read),
                SqlLiteral.of(rows.folder()),
                time));
  }

  /** The files, oldest first; in the transaction of the connection. */
  public List<HistoryFile> files(DuckDBConnection connection) throws SQLException {
    return files(connection, table, name);
  }

  static List<HistoryFile> files(DuckDBConnection connection, String table, String name)
      throws SQLException {
    List<HistoryFile> files = new ArrayList<>();
    SqlRows.forEach(
        connection,
        "SELECT file, first_micros, last_micros, from_micros, rows, bytes FROM %s WHERE table_name = '%s' AND stored = '%s' ORDER BY first_micros, file"
            .formatted(FILES, table, name),
        row ->
            files.add(
                new HistoryFile(
                    row.getString(1),
                    row.getLong(2),
                    row.getLong(3),
                    row.getLong(4),
                    row.getLong(5),
                    row.getLong(6))));
    return files;
  }

  private String mine() {
    return "table_name = '%s' AND stored = '%s'".formatted(table, name);
  }

  private long unit(long micros) {
    return micros - Math.floorMod(micros, unitMicros);
  }

  /** Whether there may be rows to move of units that end before a time. */
  public boolean isDue(long before) {
    return unit(before) > movedTo;
  }

  /**
   * Moves the rows of the oldest unit that ends before a time, or merges files.
   *
   * @return whether there may be more to move
   */
  public boolean move(DuckDBConnection connection, Statement statement, long before)
      throws SQLException {
    if (file(connection, statement, unit(before)) || merge(connection, statement, before)) {
      return true;
    }
    movedTo = unit(before);
    return false;
  }

  private boolean file(DuckDBConnection connection, Statement statement, long to)
      throws SQLException {
    long oldest =
        SqlRows.number(
            connection,
            "SELECT coalesce(epoch_us(min(%s)), %d) FROM %s WHERE %1$s < %4$s%5$s"
                .formatted(time, Long.MAX_VALUE, recent(), SqlTime.timestamp(to), fitting()));
    if (oldest == Long.MAX_VALUE) {
      return false;
    }
    long start = unit(oldest);
    String which =
        "%s >= %s AND %1$s < %3$s"
            .formatted(time, SqlTime.timestamp(start), SqlTime.timestamp(start + unitMicros));
    write(statement, "SELECT %s FROM %s WHERE %s".formatted(history.select(), recent(), which));
    statement.execute("DELETE FROM " + recent() + " WHERE " + which);
    createView(connection, statement);
    return true;
  }

  /** Condition that excludes units with a value too large for files; these stay in the database. */
  private String fitting() {
    String unit = "epoch_us(%s) // %d".formatted(time, unitMicros);
    String any =
        wide.stream()
            .map(column -> "abs(%s) > %d".formatted(Catalog.quoted(column), Long.MAX_VALUE))
            .collect(Collectors.joining(" OR "));
    return wide.isEmpty()
        ? ""
        : " AND %s NOT IN (SELECT %1$s FROM %s WHERE %s)".formatted(unit, recent(), any);
  }

  /** Writes a file; its time range is that of its rows. */
  private void write(Statement statement, String select) throws SQLException {
    Path file = history.folder().resolve(UUID.randomUUID() + ".parquet");
    try {
      Files.createDirectories(file.getParent());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create " + file.getParent(), e);
    }
    long rows =
        statement.executeLargeUpdate(
            "COPY (%s) TO %s (%s)"
                .formatted(select, SqlLiteral.of(file.toString()), history.format()));
    long first;
    long last;
    try (ResultSet row =
        statement.executeQuery(
            "SELECT epoch_us(min(%1$s)), epoch_us(max(%1$s)) FROM read_parquet(%2$s)"
                .formatted(time, SqlLiteral.of(file.toString())))) {
      row.next();
      first = row.getLong(1);
      last = row.getLong(2);
    }
    try {
      history.sync(file);
      statement.execute(
          "INSERT INTO %s VALUES ('%s', '%s', '%s', %d, %d, %d, %d, %d)"
              .formatted(
                  FILES,
                  table,
                  name,
                  file.getFileName(),
                  first,
                  last,
                  first,
                  rows,
                  Files.size(file)));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
    isListed = false;
  }

  /** Merges small files of a past span. */
  private boolean merge(DuckDBConnection connection, Statement statement, long before)
      throws SQLException {
    List<HistoryFile> small = nextMerge(files(connection), before);
    if (small.isEmpty()) {
      return false;
    }
    TieredRows rows =
        new TieredRows(name, "", history.read(), history.folder().toString(), time, small);
    write(
        statement,
        "SELECT %s FROM (%s)".formatted(history.select(), rows.selectFiles(file -> true)));
    remove(statement, small);
    createView(connection, statement);
    return true;
  }

  private List<HistoryFile> nextMerge(List<HistoryFile> files, long before) {
    long span = SPAN_UNITS * unitMicros;
    List<HistoryFile> next = new ArrayList<>();
    long rows = 0;
    for (HistoryFile file : files) {
      boolean isSmall =
          file.rows() < LARGE_ROWS
              && Math.floorDiv(file.last(), span) < Math.floorDiv(before, span)
              && isThere(file);
      boolean isSame =
          !next.isEmpty()
              && Math.floorDiv(next.get(0).first(), span) == Math.floorDiv(file.first(), span)
              && rows + file.rows() <= MERGED_ROWS;
      if (!isSmall || !isSame) {
        if (next.size() > 1) {
          return next;
        }
        next.clear();
        rows = 0;
      }
      if (isSmall) {
        next.add(file);
        rows += file.rows();
      }
    }
    return next.size() > 1 ? next : List.of();
  }

  /** Deletes the rows before a time. */
  public void delete(DuckDBConnection connection, Statement statement, long to)
      throws SQLException {
    statement.execute(
        "DELETE FROM %s WHERE %s < %s".formatted(recent(), time, SqlTime.timestamp(to)));
    List<HistoryFile> files = files(connection);
    List<HistoryFile> old = files.stream().filter(file -> file.last() < to).toList();
    boolean isCut = files.stream().anyMatch(file -> file.last() >= to && file.from() < to);
    if (!old.isEmpty()) {
      remove(statement, old);
    }
    if (isCut) {
      statement.execute(
          "UPDATE %s SET from_micros = %d WHERE %s AND from_micros < %2$d"
              .formatted(FILES, to, mine()));
    }
    if (!old.isEmpty() || isCut) {
      createView(connection, statement);
    }
  }

  private void remove(Statement statement, List<HistoryFile> files) throws SQLException {
    statement.execute(
        "DELETE FROM %s WHERE %s AND file IN (%s)"
            .formatted(
                FILES,
                mine(),
                files.stream()
                    .map(file -> SqlLiteral.of(file.name()))
                    .collect(Collectors.joining(", "))));
    isListed = false;
  }

  /** Makes committed changes of the list of files visible to other engines. */
  public void publish(DuckDBConnection connection) throws SQLException {
    if (!isListed) {
      history.list(files(connection));
      isListed = true;
    }
    history.expire();
  }

  /** Bytes of the files of all tables. */
  public static long allBytes(DuckDBConnection connection) throws SQLException {
    return SqlRows.number(connection, "SELECT coalesce(sum(bytes), 0)::BIGINT FROM " + FILES);
  }

  /** Approximate bytes on disk. */
  public double bytes(DuckDBConnection connection) throws SQLException {
    double bytes = StoredSize.bytes(connection, recent());
    for (HistoryFile file : files(connection)) {
      bytes += file.keptBytes();
    }
    return bytes;
  }
}

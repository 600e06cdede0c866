package io.millrace.store.iceberg;

import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.MemoryShortage;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.storage.TableFileIO;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.apache.iceberg.Schema;
import org.duckdb.ChunkFunction;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDriver;

/**
 * Writes rows to Parquet files, one file for each hour of arrival. Has a database of its own, so
 * that writing and queries do not compete for memory. Thread-safe.
 *
 * <p>A row group is as large as memory allows, up to {@value #MAX_GROUP_ROWS} rows: in large groups
 * DuckDB encodes most columns, even addresses, with dictionaries, and only such columns get Bloom
 * filters.
 */
final class ParquetWriter implements AutoCloseable {
  private static final long HOUR_MICROS = 3_600_000_000L;

  private static final int MAX_GROUP_ROWS = 524_288;
  private static final int MIN_GROUP_ROWS = 61_440;

  /** Memory for each row of a group: its values, and its encoded form. */
  private static final int GROUP_ROW_BYTES = 400;

  /** Concurrent statements: two that write buffers, one that merges files. */
  private static final int WRITERS = 3;

  private static final String FUNCTION = "rows_in_memory";

  private static final String FORMAT =
      "FORMAT parquet, PARQUET_VERSION 'V2', COMPRESSION zstd, COMPRESSION_LEVEL 1, RETURN_STATS";

  private final DuckDBConnection root;
  private final Path data;
  private final String format;
  private final Set<Statement> running = ConcurrentHashMap.newKeySet();
  private volatile boolean isStopped;

  /**
   * Opens a database in memory.
   *
   * @param directory of the table
   * @param spill folder to which the database spills; no other process may use it
   * @param memory limit of the database, bytes
   * @param columns of the buffered rows
   * @param chunksOf returns the buffered rows of a {@linkplain TailView#handle handle}
   */
  ParquetWriter(
      Path directory,
      Path spill,
      long memory,
      List<ChunkFunction.Column> columns,
      LongFunction<? extends List<? extends ChunkFunction.Chunk>> chunksOf)
      throws SQLException {
    data = directory.resolve("data");
    long groupRows = memory / WRITERS / GROUP_ROW_BYTES / ChunkFunction.CAPACITY;
    format =
        FORMAT
            + ", ROW_GROUP_SIZE "
            + Math.max(
                MIN_GROUP_ROWS, Math.min(MAX_GROUP_ROWS, groupRows * ChunkFunction.CAPACITY));
    // not via DriverManager: on a TaskManager it holds the driver class of the first job's class
    // loader
    root = (DuckDBConnection) new DuckDBDriver().connect("jdbc:duckdb:", new Properties());
    Connections.know(root);
    try {
      for (String statement : Connections.IN_UTC) {
        SqlRows.execute(root, statement);
      }
      SqlRows.execute(root, "SET memory_limit = '" + memory / 1024 + "KiB'");
      SqlRows.execute(root, "SET threads = 1"); // each statement runs on its own thread
      SqlRows.execute(root, "SET temp_directory = " + SqlLiteral.of(spill.toString()));
      SqlRows.execute(root, "SET enable_progress_bar = false");
      ChunkFunction.register(root, FUNCTION, columns, chunksOf);
    } catch (SQLException e) {
      Connections.close(root);
      throw e;
    }
  }

  @Override
  public void close() throws SQLException {
    Connections.close(root);
  }

  /** Writes the rows of a buffer; on return the files survive a power failure. */
  List<StoredFile> write(TailView rows, RowBuffer buffer, FlowColumns columns, Schema schema)
      throws SQLException, IOException {
    List<StoredFile> files = new ArrayList<>();
    List<Long> hours = buffer.hours();
    try (DuckDBConnection connection = Connections.another(root)) {
      for (long hour : hours) {
        String where = hours.size() == 1 ? "" : " " + during(hour);
        files.add(
            write(
                connection,
                select(columns, buffer.part(), rows.handle(buffer.part())) + where,
                ids(columns, buffer.part(), schema),
                buffer.part(),
                (int) hour,
                format));
      }
    }
    return files;
  }

  /** Writes the rows of all hours to one file, which no snapshot may contain. */
  StoredFile copy(TailView rows, FlowPart part, FlowColumns columns, Schema schema)
      throws SQLException, IOException {
    int hour = (int) Math.floorDiv(rows.extent(part).oldest(), HOUR_MICROS);
    try (DuckDBConnection connection = Connections.another(root)) {
      return write(
          connection,
          select(columns, part, rows.handle(part)),
          ids(columns, part, schema),
          part,
          hour,
          format);
    }
  }

  /**
   * Writes the rows of a query; on return the files survive a power failure.
   *
   * @param statement of any database
   * @param select query whose columns have the types of {@link
   *     io.millrace.store.duckdb.schema.FlowLayout}
   */
  List<StoredFile> write(
      Statement statement, String select, FlowPart part, FlowColumns columns, Schema schema)
      throws SQLException, IOException {
    List<StoredFile> files = new ArrayList<>();
    String hours =
        "SELECT DISTINCT floor(epoch_us(\"time\") / %d)::BIGINT FROM (%s) ORDER BY 1"
            .formatted(HOUR_MICROS, select);
    List<Integer> hoursOfRows = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(hours)) {
      while (rows.next()) {
        hoursOfRows.add(rows.getInt(1));
      }
    }
    for (int hour : hoursOfRows) {
      files.add(
          write(
              statement.getConnection(),
              "SELECT %s FROM (%s) %s"
                  .formatted(
                      columns.of(part).stream()
                          .map(
                              column ->
                                  "%s::%s AS %1$s".formatted(column.quoted(), column.type().sql()))
                          .collect(Collectors.joining(", ")),
                      select,
                      during(hour)),
              ids(columns, part, schema),
              part,
              hour,
              FORMAT));
    }
    return files;
  }

  private static String during(long hour) {
    return "WHERE \"time\" >= make_timestamp(%d) AND \"time\" < make_timestamp(%d)"
        .formatted(hour * HOUR_MICROS, (hour + 1) * HOUR_MICROS);
  }

  /** Merges files of one part and hour into one; rows keep the order of the files. */
  StoredFile merge(List<String> paths, FlowPart part, int hour, FlowColumns columns, Schema schema)
      throws SQLException, IOException {
    String select =
        "SELECT %s FROM read_parquet([%s], schema = MAP {%s})"
            .formatted(
                list(columns, part),
                paths.stream().map(SqlLiteral::of).collect(Collectors.joining(", ")),
                columns.parquetSchema(schema));
    try (DuckDBConnection connection = Connections.another(root)) {
      return write(connection, select, ids(columns, part, schema), part, hour, format);
    }
  }

  private static String list(FlowColumns columns, FlowPart part) {
    return columns.of(part).stream()
        .map(FlowColumns.Column::quoted)
        .collect(Collectors.joining(", "));
  }

  private String select(FlowColumns columns, FlowPart part, long handle) {
    return "SELECT %s FROM %s(%d)".formatted(list(columns, part), FUNCTION, handle);
  }

  private static String ids(FlowColumns columns, FlowPart part, Schema schema) {
    return columns.of(part).stream()
        .map(column -> column.quoted() + ": " + schema.findField(column.name()).fieldId())
        .collect(Collectors.joining(", ", "{", "}"));
  }

  /** Path of a file with rows of an hour. */
  static Path path(Path data, int hour, String name) {
    return data.resolve("hour=" + hour).resolve(name);
  }

  private StoredFile write(
      Connection connection, String select, String ids, FlowPart part, int hour, String options)
      throws SQLException, IOException {
    Path file = path(data, hour, UUID.randomUUID() + ".parquet");
    Files.createDirectories(file.getParent());
    boolean isWritten = false;
    String copy =
        "COPY (%s) TO %s (%s, FIELD_IDS %s)"
            .formatted(select, SqlLiteral.of(file.toString()), options, ids);
    try {
      StoredFile stored =
          MemoryShortage.outlast(
              CommitMemory.UNSHARED, () -> copy(connection, copy, file, part, hour));
      TableFileIO.sync(file);
      TableFileIO.syncDirectory(file.getParent());
      TableFileIO.syncDirectory(data);
      isWritten = true;
      return stored;
    } finally {
      if (!isWritten) {
        Files.deleteIfExists(file);
      }
    }
  }

  private StoredFile copy(Connection connection, String copy, Path file, FlowPart part, int hour)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      running.add(statement);
      try (ResultSet result = execute(statement, copy)) {
        result.next();
        return new StoredFile(
            file.toString(),
            part,
            hour,
            result.getLong("count"),
            result.getLong("file_size_bytes"),
            statistics(result.getObject("column_statistics")));
      } finally {
        running.remove(statement);
      }
    }
  }

  private ResultSet execute(Statement statement, String copy) throws SQLException {
    if (isStopped) {
      throw new SQLException("the table is being closed");
    }
    return statement.executeQuery(copy);
  }

  /**
   * Cancels running statements and rejects new ones. To be called repeatedly until none runs: a
   * statement that has not begun to execute cannot be cancelled.
   */
  void stop() {
    isStopped = true;
    running.forEach(ParquetWriter::cancel);
  }

  private static void cancel(Statement statement) {
    try {
      statement.cancel();
    } catch (SQLException e) {
      return; // it has just ended
    }
  }

  private static Map<String, StoredFile.Statistics> statistics(Object byColumn) {
    TreeMap<String, StoredFile.Statistics> all = new TreeMap<>();
    ((Map<?, ?>) byColumn)
        .forEach(
            (column, values) -> {
              Map<String, String> texts = new HashMap<>();
              ((Map<?, ?>) values)
                  .forEach((name, value) -> texts.put(name.toString(), value.toString()));
              String quoted = column.toString();
              all.put(
                  quoted.substring(1, quoted.length() - 1),
                  new StoredFile.Statistics(
                      Long.parseLong(texts.getOrDefault("column_size_bytes", "0")),
                      Long.parseLong(texts.getOrDefault("null_count", "0")),
                      texts.get("min"),
                      texts.get("max")));
            });
    return all;
  }
}

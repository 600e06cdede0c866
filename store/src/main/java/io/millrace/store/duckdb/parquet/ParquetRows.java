package io.millrace.store.duckdb.parquet;

import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.Connections;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDriver;

/**
 * Rows of any Parquet file as text, in the order of the file. Reads with its own in-memory
 * database, which needs memory for some row groups. Used by one thread.
 */
public final class ParquetRows implements AutoCloseable {
  private final DuckDBConnection connection;
  private final Statement statement;
  private final String source;
  private final Set<String> columns = new LinkedHashSet<>();
  private ResultSet rows;

  private ParquetRows(DuckDBConnection connection, Path file) throws SQLException {
    this.connection = connection;
    statement = connection.createStatement();
    source = "read_parquet(" + SqlLiteral.of(file.toString()) + ", hive_partitioning = false)";
  }

  /**
   * Opens a file.
   *
   * @throws IOException if it cannot be read as Parquet, with the reason
   */
  public static ParquetRows open(Path file) throws IOException {
    Properties settings = new Properties();
    settings.setProperty(DuckDBDriver.JDBC_STREAM_RESULTS, "true");
    settings.setProperty("threads", "1"); // so that rows keep their order
    settings.setProperty("memory_limit", "512MiB");
    ParquetRows opened = null;
    try {
      DuckDBConnection connection =
          DriverManager.getConnection("jdbc:duckdb:", settings).unwrap(DuckDBConnection.class);
      opened = new ParquetRows(connection, file);
      for (String inUtc : Connections.IN_UTC) {
        opened.statement.execute(inUtc);
      }
      opened.describe();
      return opened;
    } catch (SQLException e) {
      if (opened != null) {
        opened.close();
      }
      throw new IOException("cannot be read as Parquet: " + oneLine(e), e);
    }
  }

  private void describe() throws SQLException {
    try (ResultSet described = statement.executeQuery("DESCRIBE SELECT * FROM " + source)) {
      while (described.next()) {
        columns.add(described.getString(1));
      }
    }
  }

  /** Column names. */
  public Set<String> columns() {
    return columns;
  }

  /**
   * Starts to read some columns of the rows. Times are text in UTC.
   *
   * @param wanted names from {@link #columns}
   */
  public void select(List<String> wanted) throws IOException {
    String list =
        wanted.stream()
            .map(column -> Catalog.quoted(column) + "::VARCHAR")
            .collect(Collectors.joining(", "));
    try {
      rows = statement.executeQuery("SELECT " + list + " FROM " + source);
    } catch (SQLException e) {
      throw new IOException(oneLine(e), e);
    }
  }

  /** The next row, with null for NULL; null at the end. */
  public List<String> next() throws IOException {
    try {
      if (!rows.next()) {
        return null;
      }
      int count = rows.getMetaData().getColumnCount();
      List<String> values = new ArrayList<>(count);
      for (int column = 1; column <= count; column++) {
        values.add(rows.getString(column));
      }
      return values;
    } catch (SQLException e) {
      throw new IOException(oneLine(e), e);
    }
  }

  private static String oneLine(SQLException e) {
    return String.valueOf(e.getMessage()).strip().lines().findFirst().orElse("");
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException("cannot close a database in memory", e);
    }
  }
}

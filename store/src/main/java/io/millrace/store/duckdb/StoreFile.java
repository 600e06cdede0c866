package io.millrace.store.duckdb;

import io.millrace.store.Boundaries;
import io.millrace.store.SqlLiteral;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoreException;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.disk.DiskFailures;
import io.millrace.store.duckdb.disk.StoredSize;
import io.millrace.store.duckdb.disk.SyncedLog;
import io.millrace.store.duckdb.ledger.CounterTables;
import io.millrace.store.duckdb.offsets.CommitMark;
import io.millrace.store.duckdb.offsets.FencingTokens;
import io.millrace.store.duckdb.rejected.RejectedRows;
import io.millrace.store.duckdb.rollup.RollupCatalog;
import io.millrace.store.duckdb.rollup.RollupRules;
import io.millrace.store.duckdb.sample.SampleTables;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.CommunityId;
import io.millrace.store.duckdb.schema.Macros;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.iceberg.IcebergHistory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDriver;

/**
 * The file of the store, attached to an in-memory database. Access to all other files is disabled
 * and the settings are locked before the first query, as a second barrier if the {@code Sandbox}
 * has a gap.
 */
final class StoreFile implements AutoCloseable {
  private static final int FORMAT = 6;

  private static final int ROW_GROUP = 122_880;

  private static final int MAX_EXPRESSION_DEPTH = 200;

  private final Path file;
  private final StoreConfig config;
  private final SyncedLog log;
  private final DuckDBConnection root;

  /**
   * Opens the file, or creates it.
   *
   * @param exchange directory that SQL may access in addition to the store's files
   * @throws WrongSchemaException if the file has another format
   */
  StoreFile(Path file, Path exchange, StoreConfig config) throws SQLException, IOException {
    this.file = file;
    this.config = config;
    log = new SyncedLog(file, SyncedLog.bootId().orElse("none"));
    try {
      root = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:", streaming());
      Connections.know(root);
      DriverLibrary.unlink();
    } catch (SQLException | RuntimeException e) {
      log.close();
      throw e;
    }
    try {
      attach(file.getParent(), exchange);
      checkFormat();
    } catch (SQLException | RuntimeException e) {
      close();
      throw e;
    }
  }

  DuckDBConnection root() {
    return root;
  }

  Path path() {
    return file;
  }

  private static Properties streaming() {
    Properties properties = new Properties();
    properties.setProperty(DuckDBDriver.JDBC_STREAM_RESULTS, "true");
    return properties;
  }

  private void attach(Path directory, Path exchange) throws SQLException {
    for (String statement : Connections.IN_UTC) {
      execute(statement);
    }
    execute("SET memory_limit = '" + config.memoryBytes() / 1024 + "KiB'");
    execute("SET threads = " + config.threads());
    execute("SET temp_directory = " + SqlLiteral.of(spill().toString()));
    execute("SET enable_progress_bar = false");
    // With DuckDB's default of 1,000, an expression can overflow the stack of a Java thread, which
    // ends the process.
    execute("SET max_expression_depth = " + MAX_EXPRESSION_DEPTH);
    execute("SET max_temp_directory_size = '" + spillBytes(directory) / 1024 + "KiB'");
    // It also selects row groups whose rows are all deleted, by their minima, so that ORDER BY time
    // LIMIT 1 returned no row (2.0.0.1).
    execute("SET disabled_optimizers = 'row_group_pruner'");
    execute(
        "ATTACH %s AS %s (ROW_GROUP_SIZE %d, STORAGE_VERSION 'latest'%s)"
            .formatted(
                SqlLiteral.of(file.toString()),
                Catalog.DATABASE,
                ROW_GROUP,
                Files.exists(file)
                    ? ""
                    : ", BLOCK_SIZE " + StoredSize.BLOCK_BYTES)); // an existing file keeps its size
    execute("USE " + Catalog.DATABASE);
    execute(
        "SET allowed_directories = [%s, %s, %s]"
            .formatted(
                SqlLiteral.of(exchange + "/"),
                SqlLiteral.of(directory.resolve(StoreTables.DIRECTORY) + "/"),
                SqlLiteral.of(directory.resolve(IcebergHistory.DIRECTORY) + "/")));
    execute("SET enable_external_access = false");
    // Set by CommitMemory and Checkpoints; queries cannot set anything.
    execute("SET allowed_configs = ['memory_limit', 'fsync_mode', 'wal_autocheckpoint']");
    execute("SET lock_configuration = true");
  }

  Path spill() {
    return file.resolveSibling("tmp");
  }

  private long spillBytes(Path directory) {
    return Math.max(
        1 << 20, Math.min(config.spillBytes(), directory.toFile().getUsableSpace() / 2));
  }

  private void checkFormat() throws SQLException {
    execute("BEGIN");
    execute("CREATE SCHEMA IF NOT EXISTS " + Catalog.RAW_SCHEMA);
    execute("CREATE TABLE IF NOT EXISTS raw.about(family VARCHAR, version INTEGER)");
    execute(
        "INSERT INTO raw.about SELECT 'millrace-flows', %s WHERE NOT EXISTS (SELECT 1 FROM raw.about)"
            .formatted(FORMAT));
    long version = SqlRows.number(root, "SELECT version FROM raw.about");
    if (version != FORMAT) { // before the file is changed
      throw new WrongSchemaException(
          "%s has format %d, this release of Millrace reads %d: start the release that wrote it, or restore a backup"
              .formatted(file, version, FORMAT));
    }
    execute("CREATE TABLE IF NOT EXISTS main.names(id BIGINT, name VARCHAR)");
    execute("CREATE TABLE IF NOT EXISTS raw.tickets(table_name VARCHAR, ticket BIGINT)");
    execute(CounterTables.create());
    for (String statement :
        Stream.of(
                CounterTables.extend(),
                RejectedRows.schema(),
                List.of(RollupRules.create()),
                RollupCatalog.create(),
                SampleTables.create(),
                CommitMark.create(),
                Macros.create(new Boundaries(config.boundaries())),
                CommunityId.create())
            .flatMap(List::stream)
            .toList()) {
      execute(statement);
    }
    if (config.listen() == null) {
      FencingTokens.deleteAll(root);
    }
    execute("COMMIT");
  }

  private void execute(String sql) throws SQLException {
    SqlRows.execute(root, sql);
  }

  Optional<String> failure() {
    try (DuckDBConnection connection = Connections.another(root)) {
      SqlRows.number(connection, "SELECT count(*) FROM " + Catalog.raw("about"));
      return Optional.empty();
    } catch (SQLException e) {
      return DiskFailures.isInvalidated(e)
          ? Optional.of(DiskFailures.explain(e))
          : Optional.empty();
    }
  }

  SyncedLog log() {
    return log;
  }

  long diskBytes() {
    try {
      return Files.size(file) + log.bytes();
    } catch (IOException e) {
      throw new StoreException("cannot read the size of " + file, e);
    }
  }

  @Override
  public void close() throws SQLException, IOException {
    try (SyncedLog last = log) {
      Connections.close(root);
    }
  }
}

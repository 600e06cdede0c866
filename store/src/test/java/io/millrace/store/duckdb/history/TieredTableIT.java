package io.millrace.store.duckdb.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.ObjectsConfig;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.iceberg.IcebergHistory;
import io.millrace.store.iceberg.TableCatalog;
import io.millrace.store.rollup.Grain;
import io.millrace.store.storage.TableStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TieredTableIT {
  private static final long DAY = Grain.DAY.micros();
  private static final long HOUR = Grain.HOUR.micros();
  private static final String NAME = "flows__as_hour";
  private static final List<HistoryColumn> COLUMNS =
      List.of(
          new HistoryColumn("bucket", "TIMESTAMP", false),
          new HistoryColumn("src_addr", "UHUGEINT", false),
          new HistoryColumn("src_as_name", "BIGINT", true),
          new HistoryColumn("bytes", "BIGINT", false));

  @TempDir Path directory;
  private DuckDBConnection root;
  private DuckDBConnection connection;

  @BeforeEach
  void open() throws SQLException {
    root = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    Connections.know(root);
    for (String statement : Connections.IN_UTC) {
      SqlRows.execute(root, statement);
    }
    SqlRows.execute(root, "ATTACH ':memory:' AS millrace");
    SqlRows.execute(root, "USE millrace");
    SqlRows.execute(root, "CREATE SCHEMA raw");
    for (String state : TieredTable.create()) {
      SqlRows.execute(root, state);
    }
    SqlRows.execute(
        root,
        "CREATE TABLE %s(bucket TIMESTAMP, src_addr UHUGEINT, src_as_name BIGINT, bytes HUGEINT)"
            .formatted(Catalog.raw(TieredTable.recentName(NAME))));
    connection = Connections.another(root);
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
    Connections.close(root);
  }

  private TieredTable table() throws SQLException {
    TieredTable table =
        new TieredTable(
            "flows",
            NAME,
            "bucket",
            DAY,
            List.of("bytes"),
            new IcebergHistory(TableStorage.local(), directory.resolve("rollups"), Duration.ZERO)
                .open("flows_hour_as", "bucket", COLUMNS));
    transact(statement -> table.open(connection, statement));
    return table;
  }

  private interface Work {
    void with(Statement statement) throws SQLException;
  }

  private void transact(Work work) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("BEGIN");
      work.with(statement);
      statement.execute("COMMIT");
    }
  }

  private void add(long hour, String bytes) throws SQLException {
    SqlRows.execute(
        connection,
        "INSERT INTO %s VALUES (make_timestamp(%d::BIGINT), 340282366920938463463374607431768211455, 7, %s)"
            .formatted(Catalog.raw(TieredTable.recentName(NAME)), hour * HOUR, bytes));
  }

  /** Bytes by hour. */
  private SortedMap<Long, Long> shown(DuckDBConnection reader) throws SQLException {
    TreeMap<Long, Long> shown = new TreeMap<>();
    SqlRows.forEach(
        reader,
        "SELECT epoch_us(bucket) // %d, sum(bytes)::BIGINT FROM %s WHERE src_addr = 340282366920938463463374607431768211455 AND src_as_name = 7 GROUP BY 1"
            .formatted(HOUR, Catalog.raw(NAME)),
        row -> shown.put(row.getLong(1), row.getLong(2)));
    return shown;
  }

  private void moveAll(TieredTable table, long before) throws SQLException {
    boolean[] hasMore = {true};
    while (table.isDue(before) && hasMore[0]) {
      transact(statement -> hasMore[0] = table.move(connection, statement, before));
    }
    table.publish(connection);
  }

  private void delete(TieredTable table, long before) throws SQLException {
    transact(statement -> table.delete(connection, statement, before));
  }

  private long recent() throws SQLException {
    return SqlRows.number(
        connection, "SELECT count(*) FROM " + Catalog.raw(TieredTable.recentName(NAME)));
  }

  /** After any additions, moves, merges and deletions the view has the remaining rows. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void noRowIsLostOrDuplicated(long seed) throws SQLException {
    Random random = new Random(seed);
    TieredTable table = table();
    TreeMap<Long, Long> expected = new TreeMap<>();
    long from = Long.MIN_VALUE;
    for (long day = 1; day <= 80; day++) {
      for (int i = 0; i < 5; i++) {
        boolean isLate = random.nextInt(8) == 0;
        long hour = isLate ? random.nextLong(day * 24) : day * 24 + random.nextInt(24);
        if (hour * HOUR >= from) {
          add(hour, "3");
          expected.merge(hour, 3L, Long::sum);
        }
      }
      if (random.nextInt(3) == 0) {
        moveAll(table, (day + 1) * DAY + random.nextLong(DAY));
      }
      if (random.nextInt(10) == 0) {
        from = Math.max(from, (day * 24 - random.nextLong(480)) * HOUR);
        delete(table, from);
        expected.headMap(Math.floorDiv(from, HOUR)).clear();
      }
      if (random.nextInt(10) == 0) {
        table = table();
      }
      assertThat(shown(connection)).isEqualTo(expected);
    }
    moveAll(table, 200 * DAY);
    assertThat(recent()).isZero();
    assertThat(shown(connection)).isEqualTo(expected);
    assertThat(table.files(connection)).hasSizeLessThan(10); // one per 32 days, and late ones
    assertThat(TableCatalog.ofStore(directory, ObjectsConfig.defaults()).names())
        .containsExactly("flows_hour_as");
  }

  @Test
  void aReaderSeesEachRowOnceWhileRowsMove() throws Exception {
    TieredTable table = table();
    for (long hour = 0; hour < 24 * 40; hour++) {
      add(hour, "1");
    }
    SortedMap<Long, Long> expected = shown(connection);
    AtomicBoolean isMoving = new AtomicBoolean(true);
    ExecutorService reading = Executors.newSingleThreadExecutor();
    try (DuckDBConnection reader = Connections.another(root)) {
      Callable<Integer> reads =
          () -> {
            int n = 0;
            do {
              assertThat(shown(reader)).isEqualTo(expected);
              n++;
            } while (isMoving.get());
            return n;
          };
      Future<Integer> read = reading.submit(reads);
      moveAll(table, 64 * DAY);
      isMoving.set(false);
      assertThat(read.get()).isPositive();
    } finally {
      reading.shutdown();
    }
    assertThat(table.files(connection)).hasSize(2);
  }

  @Test
  void valuesThatFilesCannotHoldStayInTheDatabase() throws SQLException {
    TieredTable table = table();
    add(1, "9223372036854775808");
    add(2, "1");
    add(26, "2");
    moveAll(table, 5 * DAY);
    assertThat(recent()).isEqualTo(2); // only of that day
    assertThat(SqlRows.number(connection, "SELECT count(*) FROM " + Catalog.raw(NAME)))
        .isEqualTo(3);
    assertThat(SqlRows.strings(connection, "SELECT max(bytes) FROM " + Catalog.raw(NAME)).get(0))
        .isEqualTo("9223372036854775808");
  }

  @Test
  void aMissingFileIsNamedAndTheOthersAreRead() throws SQLException, IOException {
    TieredTable table = table();
    add(1, "1");
    add(30, "2");
    moveAll(table, 5 * DAY);
    HistoryFile first = table.files(connection).get(0);
    Path file = directory.resolve("rollups/flows_hour_as/data").resolve(first.name());
    Path elsewhere = directory.resolve("elsewhere");
    Files.move(file, elsewhere);
    TieredTable again = table();
    assertThat(shown(connection)).containsOnlyKeys(30L);
    again.publish(connection);
    Files.move(elsewhere, file);
    table().publish(connection);
    assertThat(shown(connection)).containsOnlyKeys(1L, 30L);
  }

  @Test
  void aFolderThatTheDatabaseDoesNotKnowIsKept() throws SQLException, IOException {
    TieredTable table = table();
    add(1, "1");
    moveAll(table, 5 * DAY);
    IcebergHistory history =
        new IcebergHistory(TableStorage.local(), directory.resolve("rollups"), Duration.ZERO);
    history.setAside("flows_hour_as");
    assertThat(TableCatalog.ofStore(directory, ObjectsConfig.defaults()).names()).isEmpty();
    try (Stream<Path> all = Files.walk(directory.resolve("rollups"))) {
      assertThat(all.filter(file -> file.toString().endsWith(".parquet"))).hasSize(1);
    }
  }
}

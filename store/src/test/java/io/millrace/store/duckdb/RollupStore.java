package io.millrace.store.duckdb;

import io.millrace.store.AnswerRows;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.rollup.RollupModel;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.rollup.RollupSet;
import io.millrace.wire.block.Frontier;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A store with rollups; each write is a block. */
abstract class RollupStore {
  static final long START = 1_700_000_000_000_000L / 3_600_000_000L * 3_600_000_000L;
  static final long MINUTE = 60_000_000L;
  static final long HOUR = 60 * MINUTE;
  static final long DAY = 24 * HOUR;
  static final FlowSchema SCHEMA = new FlowSchema(List.of());

  @TempDir Path directory;

  Path folder;
  DuckDbStore store;
  long offset;
  private RollupConfig config;

  @BeforeEach
  void start() {
    folder = directory.resolve("store");
    open(config(10, Map.of()));
  }

  @AfterEach
  void stop() {
    store.close();
  }

  static RollupConfig config(int keep, Map<String, List<String>> sets) {
    return portAlone(RollupConfig.DEFAULT.withKeep(keep).withSets(sets));
  }

  /** Disables all default sets except {@code port}: each takes as long as that one. */
  static RollupConfig portAlone(RollupConfig config) {
    Map<String, List<String>> sets = new HashMap<>(config.sets());
    for (RollupSet set : RollupSet.DEFAULTS) {
      if (!set.name().equals("port")) {
        sets.putIfAbsent(set.name(), List.of());
      }
    }
    return config.withSets(sets);
  }

  final void open(RollupConfig config) {
    this.config = config;
    store = new DuckDbStore(folder, StoreConfig.defaults(), config);
  }

  final FlowTable table() {
    return store.table(Store.FLOWS, SCHEMA);
  }

  /** Writes a row for each port from 0 on, with 1,000 bytes times its number. */
  final void write(long time, int ports) {
    List<RollupModel.Row> rows = new ArrayList<>();
    for (int port = 0; port < ports; port++) {
      rows.add(row(time, port, 1_000L * port, 1));
    }
    write(rows);
  }

  final RollupModel.Row row(long time, int port, long bytes, int rate) {
    return new RollupModel.Row(
        0, offset, time, port, 1, 1, bytes, rate, RollupModel.NULL, RollupModel.NULL);
  }

  final void write(List<RollupModel.Row> rows) {
    FlowTable table = table();
    try (FlowWriter writer = table.writer()) {
      writer.append(RollupModel.block(rows));
      writer.flush();
    }
    table.committed(new Frontier(Map.of(0, ++offset)));
  }

  final List<String> rows(String sql) {
    return AnswerRows.of(store, sql);
  }

  /** Reads the stored tables below the views; closes the store meanwhile. */
  final List<String> stored(String sql) throws SQLException {
    store.close();
    List<String> rows = new ArrayList<>();
    try (DuckDBConnection connection =
            (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute("ATTACH '" + folder.resolve(DuckDbStore.FILE_NAME) + "' AS millrace");
      statement.execute("USE millrace");
      try (ResultSet result = statement.executeQuery(sql)) {
        while (result.next()) {
          List<String> row = new ArrayList<>();
          for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            row.add(result.getString(i));
          }
          rows.add(String.join("|", row));
        }
      }
    }
    open(config);
    return rows;
  }
}

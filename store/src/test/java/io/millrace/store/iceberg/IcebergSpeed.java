package io.millrace.store.iceberg;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.store.AppendSpeed;
import io.millrace.store.Flows;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.storage.TableStorage;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Map;
import org.duckdb.DuckDBConnection;

/** Measures rows a second of one sink, and processor time a row over all threads; run by hand. */
final class IcebergSpeed {
  private IcebergSpeed() {}

  /** Arguments: rounds of 1,120,000 rows, a checkpoint each; folder, which is kept. */
  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 10;
    Path folder = args.length > 1 ? Path.of(args[1]) : Files.createTempDirectory("iceberg-speed");
    FlowBlock[] blocks = AppendSpeed.blocks();
    DuckDBConnection database = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    Connections.know(database);
    try (Statement statement = database.createStatement()) {
      statement.execute("SET threads = 2");
      statement.execute("ATTACH ':memory:' AS millrace");
    }
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    try (IcebergFlowTable table =
            IcebergFlowTable.open(
                TableStorage.local(),
                folder,
                "flows",
                Flows.SCHEMA,
                database,
                (ids, n) -> {},
                IcebergFlowTable.Limits.of(512L << 20),
                true,
                () -> false);
        IcebergFlowSink sink = table.sink()) {
      sink.rewind(System.currentTimeMillis(), Frontier.EMPTY);
      sink.begin(table.token(), 0);
      long offset = 0;
      for (int round = 1; round <= rounds; round++) {
        long cpu = system.getProcessCpuTime();
        long start = System.nanoTime();
        long rows = 0;
        for (int i = 0; i < 320; i++) {
          FlowBlock block = blocks[i % blocks.length];
          block.logPosition(0, offset++);
          sink.append(block);
          rows += block.rows();
        }
        long appended = System.nanoTime();
        sink.seal(round, new Frontier(Map.of(0, offset)));
        sink.sync();
        long synced = System.nanoTime();
        sink.commit(round, new Frontier(Map.of(0, offset)));
        long end = System.nanoTime();
        System.out.printf(
            "%.2f M rows/s, %.0f ns CPU a row, append %.0f ns a row, sync %d ms, commit %d ms%n",
            rows / (end - start + 0.0) * 1e3,
            (system.getProcessCpuTime() - cpu) / (double) rows,
            (appended - start) / (double) rows,
            (synced - appended) / 1_000_000,
            (end - synced) / 1_000_000);
      }
    }
    Connections.close(database);
  }
}

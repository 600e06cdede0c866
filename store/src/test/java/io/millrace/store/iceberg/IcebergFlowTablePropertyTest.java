package io.millrace.store.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.Flows;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.duckdb.DuckDBConnection;

/** Jobs that append, seal, complete checkpoints and fail, in any order: no row missing or twice. */
class IcebergFlowTablePropertyTest {
  private static final int PARTITIONS = 2;

  @Property(tries = 60)
  void noRowIsMissingOrTwice(@ForAll @Size(max = 60) List<@IntRange(max = 24) Integer> steps)
      throws Exception {
    Path directory = Files.createTempDirectory("iceberg-flows");
    try (Job job = new Job(directory)) {
      for (int step : steps) {
        job.run(step);
        job.check();
      }
    } finally {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** A job with two sinks that reads a log of two partitions. */
  private static final class Job implements AutoCloseable {
    private final Path directory;
    private final List<IcebergFlowSink> sinks = new ArrayList<>();
    private final List<TreeMap<Integer, Long>> received = new ArrayList<>();
    private final TreeMap<Integer, Long> position = new TreeMap<>();

    /** Frontiers of completed checkpoints, by id. */
    private final TreeMap<Long, Frontier> completed = new TreeMap<>();

    private final TreeMap<Long, Frontier> sealed = new TreeMap<>();
    private final TreeMap<Long, List<Frontier>> parts = new TreeMap<>();
    private DuckDBConnection database;
    private IcebergFlowTable table;
    private Frontier acknowledged = Frontier.EMPTY;
    private long checkpoint;
    private long token;

    Job(Path directory) throws SQLException {
      this.directory = directory;
      completed.put(0L, Frontier.EMPTY);
      open();
      restart(0);
    }

    private void open() throws SQLException {
      database = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
      Connections.know(database);
      SqlRows.execute(database, "ATTACH ':memory:' AS millrace");
      table =
          IcebergFlowTable.open(
              directory,
              "flows",
              Flows.SCHEMA,
              database,
              (ids, n) -> {},
              new IcebergFlowTable.Limits(100, 16 << 20, Duration.ZERO),
              true,
              () -> false);
    }

    private void restart(long from) {
      Frontier start = completed.get(from);
      sinks.clear();
      received.clear();
      parts.clear();
      sealed.clear();
      completed.tailMap(from, false).clear();
      position.clear();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        position.put(partition, start.next(partition));
      }
      token++;
      for (int i = 0; i < 2; i++) {
        IcebergFlowSink sink = table.sink();
        if (i == 0) {
          sink.rewind(token, start);
        }
        sink.begin(token, from);
        sinks.add(sink);
        received.add(new TreeMap<>(start.next()));
      }
      for (int partition = 0; partition < PARTITIONS; partition++) {
        assertThat(table.committed().next(partition))
            .as("committed at least as far as the checkpoint")
            .isGreaterThanOrEqualTo(start.next(partition));
      }
    }

    void run(int step) throws SQLException {
      switch (step) {
        case 16, 17 -> seal();
        case 18 -> {
          if (!sealed.isEmpty()) {
            completed.put(sealed.lastKey(), sealed.lastEntry().getValue());
          }
        }
        case 19, 20 -> commit(step - 19);
        case 21 -> restart(completed.lastKey());
        case 22 -> restart(completed.headMap(completed.lastKey(), true).firstKey());
        case 23 -> {
          close();
          open();
          restart(completed.lastKey());
        }
        case 24 -> {
          while (table.compact()) {
            // until nothing is left to merge
          }
        }
        default -> append(step % PARTITIONS, step / PARTITIONS % 2);
      }
    }

    private void append(int partition, int sink) {
      long offset = position.merge(partition, 1L, Long::sum) - 1;
      sinks.get(sink).append(block(partition, offset));
      received.get(sink).put(partition, offset + 1);
    }

    private static FlowBlock block(int partition, long offset) {
      int rows = rows(partition, offset);
      return offset % 3 == 2
          ? Flows.records(rows, partition, offset)
          : Flows.joined(rows, partition, offset);
    }

    private static int rows(int partition, long offset) {
      return 1 + (int) ((partition * 31L + offset * 17) % 60);
    }

    private void seal() {
      checkpoint++;
      List<Frontier> own = new ArrayList<>();
      for (int i = 0; i < sinks.size(); i++) {
        own.add(new Frontier(received.get(i)));
        sinks.get(i).seal(checkpoint, own.get(i));
      }
      sinks.forEach(IcebergFlowSink::sync);
      parts.put(checkpoint, own);
      sealed.put(checkpoint, new Frontier(position));
    }

    private void commit(int sink) {
      long newest = completed.lastKey();
      if (parts.containsKey(newest)) {
        sinks.get(sink).commit(newest, parts.get(newest).get(sink));
        acknowledged = acknowledged.union(completed.get(newest));
      }
    }

    void check() throws Exception {
      Frontier committed = table.committed();
      assertThat(expected(committed)).containsAllEntriesOf(expected(acknowledged));
      assertThat(values("committed")).isEqualTo(expected(committed));
      assertThat(values("rows")).isEqualTo(expected(committed.union(new Frontier(position))));
    }

    private static Map<String, Long> expected(Frontier frontier) {
      Map<String, Long> values = new TreeMap<>();
      frontier
          .next()
          .forEach(
              (partition, next) -> {
                for (long offset = 0; offset < next; offset++) {
                  values.put(partition + "|" + offset, (long) rows(partition, offset));
                }
              });
      return values;
    }

    private Map<String, Long> values(String view) throws Exception {
      Map<String, Long> values = new TreeMap<>();
      try (DuckDBConnection own = Connections.another(database);
          RowsView shown = view.equals("committed") ? table.showCommitted(own) : table.show(own)) {
        shown.readAll();
        SqlRows.forEach(
            own,
            "SELECT log_partition || '|' || log_offset, count(*) FROM "
                + IcebergFlowTableTest.ALL
                + " GROUP BY 1",
            row -> values.put(row.getString(1), row.getLong(2)));
        long rows = shown.extents("t").values().stream().mapToLong(RowExtent::rows).sum();
        assertThat(values.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(rows);
      }
      return values;
    }

    @Override
    public void close() throws SQLException {
      table.close();
      Connections.close(database);
    }
  }
}

package io.millrace.store.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pulse.DirectoryTree;
import io.millrace.store.FencedException;
import io.millrace.store.Flows;
import io.millrace.store.QueryException;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.sql.Connections;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.storage.ObjectStorage;
import io.millrace.store.storage.TableStorage;
import io.millrace.store.storage.TestObjects;
import io.millrace.testing.S3Server;
import io.millrace.testing.S3Server.Fault;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import org.duckdb.DuckDBConnection;

/** Jobs that append, seal, complete checkpoints and fail, in any order: no row missing or twice. */
class IcebergFlowTablePropertyTest {
  private static final int PARTITIONS = 2;

  @Property(tries = 30)
  void noRowIsMissingOrTwice(@ForAll("steps") List<Integer> steps) throws Exception {
    run(steps, null);
  }

  /**
   * The same in an object store that fails: before a request takes effect, after it, and so that it
   * takes effect later.
   */
  @Property(tries = 20)
  void noRowIsMissingOrTwiceInAnObjectStore(@ForAll("stepsWithFaults") List<Integer> steps)
      throws Exception {
    try (S3Server server = new S3Server()) {
      run(steps, server);
    }
  }

  @Provide
  static Arbitrary<List<Integer>> steps() {
    return stepsUpTo(24);
  }

  @Provide
  static Arbitrary<List<Integer>> stepsWithFaults() {
    return stepsUpTo(32);
  }

  /** Uniform: by default most numbers are small, so most steps would append. */
  private static Arbitrary<List<Integer>> stepsUpTo(int last) {
    return Arbitraries.integers()
        .between(0, last)
        .withDistribution(RandomDistribution.uniform())
        .list()
        .ofMinSize(20)
        .ofMaxSize(60);
  }

  private static void run(List<Integer> steps, S3Server server) throws Exception {
    Path directory = Files.createTempDirectory("iceberg-flows");
    try (Job job = new Job(directory, server)) {
      for (int step : steps) {
        job.run(step);
        job.check();
      }
    } finally {
      DirectoryTree.delete(directory);
    }
  }

  /** A job with two sinks that reads a log of two partitions. */
  private static final class Job implements AutoCloseable {
    private final Path directory;
    private final S3Server server; // null without an object store
    private TableStorage storage;
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

    Job(Path directory, S3Server server) throws SQLException {
      this.directory = directory;
      this.server = server;
      completed.put(0L, Frontier.EMPTY);
      open();
      restart(0);
    }

    private void open() throws SQLException {
      database = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
      Connections.know(database);
      SqlRows.execute(database, "ATTACH ':memory:' AS millrace");
      storage =
          server == null
              ? TableStorage.local()
              : new ObjectStorage(directory, TestObjects.client(server), 64 << 20);
      table =
          IcebergFlowTable.open(
              storage,
              directory.resolve("flows"),
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

    /** A failure of a step ends the job, which starts again when the object store works. */
    void run(int step) throws Exception {
      try {
        tryToRun(step);
      } catch (StoreException | UncheckedIOException | QueryException e) {
        if (server == null || e instanceof FencedException) {
          throw e;
        }
        server.heal();
        restart(completed.lastKey());
      }
    }

    private void tryToRun(int step) throws Exception {
      switch (step) {
        case 25 -> server.next(Fault.ANSWER_IS_LOST, Fault.ANSWER_IS_LOST, Fault.ANSWER_IS_LOST);
        case 26 -> server.next(Fault.IS_LATE, Fault.FAILS, Fault.FAILS);
        case 27 -> server.setDown(true);
        case 28 -> server.heal();
        case 29 -> server.deliverLate();
        case 30 -> ((ObjectStorage) storage).evictTo(0);
        case 31 -> server.next(Fault.IS_BUSY, Fault.IS_CUT);
        case 32 -> {
          server.heal();
          close();
          DirectoryTree.delete(directory.resolve("flows").resolve("metadata"));
          DirectoryTree.delete(directory.resolve("flows").resolve("data"));
          open();
          restart(completed.lastKey());
        }
        case 13, 14, 15 -> {
          seal();
          complete();
          commit(step % 2);
          commit(1 - step % 2);
        }
        case 16, 17 -> seal();
        case 18 -> complete();
        case 19, 20 -> commit(step - 19);
        case 21 -> restart(completed.lastKey());
        case 22 -> restart(completed.headMap(completed.lastKey(), true).firstKey());
        case 23 -> {
          if (server != null) {
            server.heal();
          }
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

    private void complete() {
      if (!sealed.isEmpty()) {
        completed.put(sealed.lastKey(), sealed.lastEntry().getValue());
      }
    }

    private void commit(int sink) {
      long newest = completed.lastKey();
      if (parts.containsKey(newest)) {
        sinks.get(sink).commit(newest, parts.get(newest).get(sink));
        acknowledged = acknowledged.union(completed.get(newest));
      }
    }

    void check() throws Exception {
      if (server != null) {
        server.setPaused(true); // queries of files that are not on this machine would fail
      }
      Frontier committed = table.committed();
      assertThat(expected(committed)).containsAllEntriesOf(expected(acknowledged));
      assertThat(values("committed")).isEqualTo(expected(committed));
      assertThat(values("rows")).isEqualTo(expected(committed.union(new Frontier(position))));
      if (server != null) {
        server.setPaused(false);
      }
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
      storage.close();
      Connections.close(database);
    }
  }
}

package io.millrace.lab.recovery;

import io.millrace.engine.job.EmbeddedFlink;
import io.millrace.engine.job.EmbeddedJob;
import io.millrace.engine.job.FlinkConfig;
import io.millrace.pipelines.LocalStores;
import io.millrace.pipelines.Run;
import io.millrace.pipelines.SharedParts;
import io.millrace.pipelines.StoreLink;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The reference: the same job over the same log, in this process, without failures, into its own
 * store. Continues where it stopped when a case has extended the log.
 */
final class UndisturbedRun implements SqlSource, AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(15);
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final Duration QUERY_LIMIT = Duration.ofMinutes(3);
  private static final int MAX_ROWS = 1_000_000;

  private final Path directory;
  private final String bootstrapServers;
  private final Map<String, DatasetDeclaration> datasets;
  private final Store store;
  private final String name;
  private Frontier done = Frontier.EMPTY;
  private int runs;

  /**
   * @param directory directory of the store and of the job's files
   */
  UndisturbedRun(
      Path directory, String bootstrapServers, Map<String, DatasetDeclaration> datasets) {
    this.directory = directory;
    this.bootstrapServers = bootstrapServers;
    this.datasets = datasets;
    this.name = directory.toString();
    this.store =
        new DuckDbStore(
            directory.resolve("store"), StoreConfig.defaults().withQueryTimeLimit(QUERY_LIMIT));
    LocalStores.add(name, store);
  }

  /** End of the processed range. */
  Frontier done() {
    return done;
  }

  /** Continues up to offsets that the log must have reached. */
  void extendTo(Frontier end) throws IOException {
    String label = "run-" + runs++;
    FlinkConfig flinkConfig = FlinkConfig.defaults();
    store.table(Store.FLOWS, FlowsPipeline.schema(datasets));
    Run.Range range = new Run.Range(done, end);
    Run run =
        Run.live(
                bootstrapServers,
                new StoreLink.Local(name),
                SharedParts.of(datasets),
                flinkConfig.slots())
            .over(new Run.Bounds(Optional.empty(), Map.of(FlowsPipeline.TOPIC, range)));
    try (EmbeddedFlink flink = new EmbeddedFlink(flinkConfig, directory.resolve(label))) {
      flink.start();
      EmbeddedJob job = flink.submit(label, flinkConfig.slots(), new FlowsPipeline().job(run));
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (!job.awaitEnd(LOOK)) {
        if (System.nanoTime() > deadline) {
          throw new IOException("the undisturbed run has not ended after " + PATIENCE);
        }
      }
    }
    done = end;
  }

  @Override
  public List<List<String>> rows(String sql) {
    List<List<String>> rows = new ArrayList<>();
    try (QueryResult result = store.query(new QueryRequest(sql, QUERY_LIMIT, MAX_ROWS))) {
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 0; i < result.columns().size(); i++) {
          row.add(String.valueOf(result.value(i)));
        }
        rows.add(row);
      }
    }
    return rows;
  }

  @Override
  public void close() {
    LocalStores.remove(name);
    store.close();
  }
}

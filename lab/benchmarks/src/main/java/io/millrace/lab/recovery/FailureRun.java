package io.millrace.lab.recovery;

import io.millrace.engine.log.LogOffsets;
import io.millrace.lab.endtoend.DemoSets;
import io.millrace.lab.harness.BenchContext;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.store.FlowSchema;
import io.millrace.traffic.PreparedTraffic;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.JoinedColumn;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** A cluster with the job of flows, its load, and successive failures. */
final class FailureRun implements AutoCloseable {
  /** Checkpoint interval for which the targets are set. */
  private static final Duration CHECKPOINTS = Duration.ofSeconds(5);

  private static final int EXPORTERS = 4;

  /** Datagrams generated once and sent repeatedly with new sequence numbers. */
  private static final int PREPARED = 50_000;

  private static final long SECOND = 1_000_000;
  private static final long WARM_UP_MICROS = 12 * SECOND;
  private static final long MEASURE_MICROS = 12 * SECOND;
  private static final double FLAT_OUT = 1_000_000;

  /** Maximum backlog in rows while the highest rate is measured. */
  private static final long MAX_WAITING = 150_000;

  private static final long LOOK_NANOS = 20_000_000;

  private final BenchContext context;
  private final Random random;
  private final LoadedCluster loaded;
  private final DemoSets sets;
  private UndisturbedRun truth;

  /** Creates a run; does not start it. */
  FailureRun(
      BenchContext context,
      DemoSets sets,
      RecoveryCluster.Size size,
      boolean withHosts,
      int steadySeconds,
      Random random)
      throws IOException {
    this.context = context;
    this.random = random;
    this.sets = sets;
    Files.createDirectories(context.directory());
    RecoveryCluster cluster =
        new RecoveryCluster(
            context.directory(),
            size,
            withHosts,
            CHECKPOINTS,
            new FlowsPipeline(),
            sets.declarations());
    this.loaded = new LoadedCluster(context, cluster, CHECKPOINTS, steadySeconds, random);
  }

  /** Returns when the job runs. */
  void start() throws IOException {
    loaded.start(this::load, load -> new FlowsOutput(loaded.cluster()));
    truth =
        new UndisturbedRun(
            context.directory().resolve("undisturbed"),
            loaded.cluster().bootstrapServers(),
            sets.declarations());
  }

  private PacedLoad load(RecoveryCluster cluster) {
    PreparedTraffic source =
        new PreparedTraffic(
            new TrafficGenerator(TrafficConfig.steady(EXPORTERS), sets.pool()), PREPARED);
    return new PacedLoad(source, cluster.bootstrapServers(), cluster.logConfig());
  }

  /**
   * Measures the rows per second that the cluster sustains, with the load and all else on the same
   * processors: the log is filled as fast as possible, up to a backlog of the job.
   */
  double highestRate() {
    context.progress().accept("measuring the highest rate");
    OutputWatch watch = loaded.watch();
    long began = OutputWatch.nowMicros();
    flatOut(began + WARM_UP_MICROS);
    long rows = watch.rows();
    long from = OutputWatch.nowMicros();
    flatOut(from + MEASURE_MICROS);
    double rate = (watch.rows() - rows) / ((OutputWatch.nowMicros() - from) / 1e6);
    loaded.load().rate(0);
    return rate;
  }

  private void flatOut(long untilMicros) {
    PacedLoad load = loaded.load();
    while (OutputWatch.nowMicros() < untilMicros) {
      load.rate(load.logged() - loaded.watch().rows() < MAX_WAITING ? FLAT_OUT : 0);
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** Runs a case, from a steady load to the comparison of the tables. */
  CaseResult one(Failure failure, double rate) throws IOException {
    context.progress().accept(failure.label() + ": steady load before the failure");
    PacedLoad load = loaded.load();
    long failedBefore = load.failed();
    loaded.steady(rate);
    Failure.Blow blow = failure.aim(loaded.cluster(), random);
    context.progress().accept(failure.label() + ": " + blow.target());
    Recovery recovery = loaded.recover(blow, rate);
    load.pause();
    context
        .progress()
        .accept(failure.label() + ": " + recovery.text() + "; starting the undisturbed run");
    loaded.drain();
    TableComparison comparison = compare();
    loaded.allBack();
    return new CaseResult(
        failure, blow.target(), rate, load.failed() - failedBefore, recovery, comparison);
  }

  private TableComparison compare() throws IOException {
    Frontier from = truth.done();
    Frontier to;
    RecoveryCluster cluster = loaded.cluster();
    try (LogOffsets offsets = new LogOffsets(cluster.bootstrapServers(), FlowsPipeline.TOPIC)) {
      to = offsets.end();
    }
    truth.extendTo(to);
    context.progress().accept("comparing the tables");
    List<String> names =
        FlowsPipeline.schema(sets.declarations()).joined().stream()
            .filter(column -> column.kind() == JoinedColumn.Kind.TEXT)
            .map(FlowSchema.AddedColumn::name)
            .toList();
    return TableComparison.of(truth, cluster.api(), names, from, to);
  }

  @Override
  public void close() throws IOException {
    try {
      if (truth != null) {
        truth.close();
      }
    } finally {
      loaded.close();
    }
  }
}

package io.millrace.bench.recovery;

import io.millrace.bench.endtoend.DemoSets;
import io.millrace.bench.harness.BenchContext;
import io.millrace.bench.harness.WrongResultException;
import io.millrace.cluster.ClusterConfig;
import io.millrace.cluster.ClusterProcess;
import io.millrace.engine.log.LogOffsets;
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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** One cluster, its load, and the cases that befall it one after the other. */
final class FailureRun implements AutoCloseable {
  /** The interval at which the target is set. */
  private static final Duration CHECKPOINTS = Duration.ofSeconds(5);

  private static final int EXPORTERS = 4;

  /** Datagrams that are made once and sent again and again with fresh numbers. */
  private static final int PREPARED = 50_000;

  private static final int STEADY_SECONDS = 8;
  private static final long SECOND = 1_000_000;

  private static final long WARM_UP_MICROS = 12 * SECOND;
  private static final long MEASURE_MICROS = 12 * SECOND;
  private static final double FLAT_OUT = 1_000_000;

  /** Logged rows that wait for the job while the highest rate is sought. */
  private static final long MOST_WAITING = 150_000;

  /** What is noticed late is noticed by then: no timeout is longer. */
  private static final long NOTICED_MICROS = 10 * SECOND;

  /** What comes back does so when the job has long gone on without it. */
  private static final long AWAY_MICROS = 9 * SECOND;

  /** What has come back is watched so long: its old subtasks would write now. */
  private static final long BACK_MICROS = 4 * SECOND;

  private static final long PATIENCE_MICROS = 150 * SECOND;
  private static final long DRAIN_MICROS = 60 * SECOND;
  private static final long LOOK_NANOS = 20_000_000;
  private static final long EVALUATE_NANOS = 250_000_000;

  private final BenchContext context;
  private final Random random;
  private final RecoveryCluster cluster;
  private final DemoSets sets;
  private final Deque<AutoCloseable> closers = new ArrayDeque<>();
  private PacedLoad load;
  private OutputWatch watch;
  private UndisturbedRun truth;

  /** Not started. */
  FailureRun(
      BenchContext context,
      DemoSets sets,
      RecoveryCluster.Size size,
      ClusterConfig.Hosts hosts,
      Random random)
      throws IOException {
    this.context = context;
    this.random = random;
    this.sets = sets;
    Files.createDirectories(context.directory());
    this.cluster =
        new RecoveryCluster(context.directory(), size, hosts, CHECKPOINTS, sets.declarations());
  }

  /** Returns when the job runs. */
  void start() throws IOException {
    context.progress().accept("starting the cluster");
    closers.push(cluster);
    cluster.start();
    PreparedTraffic source =
        new PreparedTraffic(
            new TrafficGenerator(TrafficConfig.steady(EXPORTERS), sets.pool()), PREPARED);
    load = new PacedLoad(source, cluster.bootstrapServers(), cluster.logConfig());
    closers.push(load);
    watch =
        new OutputWatch(cluster.writers(), cluster.writersSecret(), cluster.api(), load::logged);
    closers.push(watch);
    truth =
        new UndisturbedRun(
            context.directory().resolve("undisturbed"),
            cluster.bootstrapServers(),
            sets.declarations());
    closers.push(truth);
    context.progress().accept("submitting the job");
    cluster.submit();
    load.start();
    watch.start();
  }

  /**
   * Rows a second that the cluster sustains, with the load and all else on the same processors: the
   * log is written to as fast as it takes it, but never further ahead of the job than some rows.
   */
  double highestRate() {
    context.progress().accept("looking for the highest rate");
    long began = OutputWatch.nowMicros();
    flatOut(began + WARM_UP_MICROS);
    long rows = watch.rows();
    long from = OutputWatch.nowMicros();
    flatOut(from + MEASURE_MICROS);
    double rate = (watch.rows() - rows) / ((OutputWatch.nowMicros() - from) / 1e6);
    load.rate(0);
    return rate;
  }

  private void flatOut(long untilMicros) {
    while (OutputWatch.nowMicros() < untilMicros) {
      load.rate(load.logged() - watch.rows() < MOST_WAITING ? FLAT_OUT : 0);
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** A case, from a steady load to the comparison of the tables. */
  CaseResult one(Failure failure, double rate) throws IOException {
    context.progress().accept(failure.label() + ": a steady load before it");
    long failedBefore = load.failed();
    steady(rate);
    Failure.Blow blow = failure.aim(cluster, random);
    JobLog log = new JobLog(cluster.cluster().jobManagers());
    long at = OutputWatch.nowMicros();
    Recovery.Before before = Recovery.Before.of(watch.since(at - CHECKPOINTS.toMillis() * 1_000));
    at = OutputWatch.nowMicros();
    blow.strike().run();
    context.progress().accept(failure.label() + ": " + blow.target());
    Recovery recovery = await(blow, at, log, before, rate);
    load.pause();
    context.progress().accept(failure.label() + ": " + recovery + "; now the undisturbed run");
    drain();
    TableComparison comparison = compare();
    allBack();
    return new CaseResult(
        failure, blow.target(), rate, load.failed() - failedBefore, recovery, comparison);
  }

  /** A load without a backlog, for some seconds and a random part of a checkpoint's interval. */
  private void steady(double rate) {
    load.rate(rate);
    long seconds = context.secondsOr(STEADY_SECONDS);
    long least = OutputWatch.nowMicros() + seconds * SECOND;
    boolean keepsUp =
        await(
            least + PATIENCE_MICROS - OutputWatch.nowMicros(),
            () -> OutputWatch.nowMicros() > least && load.logged() - watch.rows() < rate);
    if (!keepsUp) {
      throw new WrongResultException(
          "the cluster does not keep up with " + Math.round(rate) + " samples/s");
    }
    long wait = (long) (random.nextDouble() * CHECKPOINTS.toNanos());
    long until = System.nanoTime() + wait;
    while (System.nanoTime() < until) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private static boolean await(long patienceMicros, BooleanSupplier condition) {
    long deadline = OutputWatch.nowMicros() + patienceMicros;
    while (!condition.getAsBoolean()) {
      if (OutputWatch.nowMicros() > deadline) {
        return false;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return true;
  }

  /** Watches until all is well again; mends what is to be mended when it is time. */
  private Recovery await(
      Failure.Blow blow, long at, JobLog log, Recovery.Before before, double rate) {
    boolean isMended = blow.mend().isEmpty();
    while (true) {
      LockSupport.parkNanos(EVALUATE_NANOS);
      long since = OutputWatch.nowMicros() - at;
      Recovery recovery = Recovery.of(at, log.steps(), watch.since(at), before, rate);
      boolean isOver =
          (since > NOTICED_MICROS && recovery.caughtUp().isPresent()) || since > PATIENCE_MICROS;
      boolean isTime = blow.comesBack() ? since > AWAY_MICROS : isOver;
      if (!isMended && isTime) {
        blow.mend().orElseThrow().run();
        isMended = true;
        if (blow.comesBack()) {
          await(BACK_MICROS, () -> false);
        }
      }
      if (isMended && isOver) {
        return recovery;
      }
    }
  }

  /** Until all that is in the log is in the table, or nothing more comes. */
  private void drain() {
    await(DRAIN_MICROS, () -> watch.rows() >= load.logged());
  }

  private TableComparison compare() throws IOException {
    Frontier from = truth.done();
    Frontier to;
    try (LogOffsets offsets = new LogOffsets(cluster.bootstrapServers(), FlowsPipeline.TOPIC)) {
      to = offsets.end();
    }
    truth.extendTo(to);
    context.progress().accept("comparing the tables");
    List<String> names =
        FlowsPipeline.schema(sets.declarations()).joined().stream()
            .filter(column -> column.kind() == JoinedColumn.Kind.TEXT)
            .map(FlowSchema.Joined::name)
            .toList();
    return TableComparison.of(truth, cluster.api(), names, from, to);
  }

  private void allBack() {
    List<ClusterProcess> gone =
        cluster.cluster().processes().stream().filter(process -> !process.alive()).toList();
    gone.forEach(ClusterProcess::restart);
    cluster.cluster().awaitReady(Duration.ofMillis(PATIENCE_MICROS / 1_000));
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    while (!closers.isEmpty()) {
      try {
        closers.pop().close();
      } catch (IOException e) {
        failure = e;
      } catch (Exception e) {
        failure = new IOException("did not stop cleanly: " + e.getMessage(), e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}

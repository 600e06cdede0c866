package io.millrace.lab.recovery;

import io.millrace.cluster.ClusterProcess;
import io.millrace.engine.job.StandaloneFlink;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.WrongResultException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * A cluster with a job under a steady load, whose output is watched during failure and recovery.
 */
final class LoadedCluster implements AutoCloseable {
  static final int STEADY_SECONDS = 8;
  private static final long SECOND = 1_000_000;

  /** Timeout of the detection of failures. */
  private static final long TIMEOUT_MICROS =
      TimeUnit.NANOSECONDS.toMicros(StandaloneFlink.HEARTBEAT_TIMEOUT.toNanos());

  /** Minimum time to watch. */
  private static final long NOTICED_MICROS = TIMEOUT_MICROS + 2 * SECOND;

  /** Time for which a process is frozen or disconnected: the job continues without it meanwhile. */
  private static final long AWAY_MICROS = TIMEOUT_MICROS + 8 * SECOND;

  /** Time to watch a process that came back: its old subtasks would write now. */
  private static final long BACK_MICROS = 4 * SECOND;

  private static final long PATIENCE_MICROS = 150 * SECOND;
  private static final long DRAIN_MICROS = 60 * SECOND;
  private static final long LOOK_NANOS = 20_000_000;
  private static final long EVALUATE_NANOS = 250_000_000;

  private final BenchContext context;
  private final RecoveryCluster cluster;
  private final Duration checkpoints;
  private final int steadySeconds;
  private final Random random;
  private final Deque<AutoCloseable> closers = new ArrayDeque<>();
  private PacedLoad load;
  private OutputWatch watch;

  /**
   * Creates a cluster; does not start it.
   *
   * @param checkpoints checkpoint interval of the job
   */
  LoadedCluster(
      BenchContext context,
      RecoveryCluster cluster,
      Duration checkpoints,
      int steadySeconds,
      Random random) {
    this.context = context;
    this.steadySeconds = steadySeconds;
    this.cluster = cluster;
    this.checkpoints = checkpoints;
    this.random = random;
  }

  /**
   * Starts the cluster and the job, without load; returns when the job runs.
   *
   * @param loads creates the load, once there is a log for it
   * @param outputs creates the watched output of that load
   */
  void start(Function<RecoveryCluster, PacedLoad> loads, Function<PacedLoad, Output> outputs)
      throws IOException {
    context.progress().accept("starting the cluster");
    closers.push(cluster);
    cluster.start();
    load = loads.apply(cluster);
    closers.push(load);
    watch = new OutputWatch(outputs.apply(load), load::logged);
    closers.push(watch);
    context.progress().accept("submitting the job");
    cluster.submit();
    load.start();
    watch.start();
  }

  RecoveryCluster cluster() {
    return cluster;
  }

  PacedLoad load() {
    return load;
  }

  OutputWatch watch() {
    return watch;
  }

  /** Runs a load without a backlog for some seconds and a random part of a checkpoint interval. */
  void steady(double rate) {
    load.rate(rate);
    long least = OutputWatch.nowMicros() + steadySeconds * SECOND;
    boolean keepsUp =
        await(
            least + PATIENCE_MICROS - OutputWatch.nowMicros(),
            () -> OutputWatch.nowMicros() > least && load.logged() - watch.rows() < rate);
    if (!keepsUp) {
      throw new WrongResultException(
          "the cluster does not keep up with " + Math.round(rate) + " rows/s");
    }
    long wait = (long) (random.nextDouble() * checkpoints.toNanos());
    long until = System.nanoTime() + wait;
    while (System.nanoTime() < until) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /** Causes a failure, repairs it when due, and watches until recovery. */
  Recovery recover(Failure.Blow blow, double rate) {
    JobLog log = new JobLog(cluster.cluster().jobManagers());
    Recovery.Before before =
        Recovery.Before.of(watch.since(OutputWatch.nowMicros() - checkpoints.toNanos() / 1_000));
    long at = OutputWatch.nowMicros();
    blow.strike().run();
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

  /** Waits until all logged rows are in the table, or a timeout. */
  void drain() {
    await(DRAIN_MICROS, () -> watch.rows() >= load.logged());
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

  /** Restarts all processes that have ended; returns when all are ready. */
  void allBack() {
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

package io.millrace.server.runtime;

import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogCluster;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.RemoteLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * The log, and the stream engine where jobs run in this process: they take longest to start and
 * know neither each other nor the store, so both start beside it.
 */
final class Engines {
  private final CompletableFuture<LogCluster> log;
  private final CompletableFuture<Void> flink;

  /**
   * Begins to start them.
   *
   * @param told what is ready; by several threads
   * @param closers by which they are stopped again
   */
  Engines(
      LogConfig config,
      DataDirectory directory,
      Jobs jobs,
      Consumer<String> told,
      Closers closers) {
    log =
        CompletableFuture.supplyAsync(
            () -> Precedence.first(() -> startLog(config, directory, told, closers)));
    flink =
        CompletableFuture.runAsync(
            () -> Precedence.first(() -> startFlink(directory, jobs, told, closers)));
  }

  private static LogCluster startLog(
      LogConfig config, DataDirectory directory, Consumer<String> told, Closers closers) {
    LogCluster log =
        closers.add(
            config.embedded() ? new EmbeddedLog(config, directory.log()) : new RemoteLog(config));
    log.start();
    told.accept("the log answers (Kafka, " + log.bootstrapServers() + ")");
    return log;
  }

  private static void startFlink(
      DataDirectory directory, Jobs jobs, Consumer<String> told, Closers closers) {
    if (jobs.areHere()) {
      jobs.startEngine(directory.checkpoints(), closers);
      told.accept("the stream engine is up (Flink)");
    }
  }

  /** Waits until both are up, or throws why one of them is not; neither is starting then. */
  LogCluster await() {
    try {
      CompletableFuture.allOf(log, flink).join();
      return log.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}

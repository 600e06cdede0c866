package io.millrace.server.runtime;

import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogCluster;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.RemoteLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

final class Engines {
  private final CompletableFuture<LogCluster> log;
  private final CompletableFuture<Void> flink;

  Engines(
      LogConfig config,
      DataDirectory directory,
      Jobs jobs,
      Consumer<String> progress,
      Closers closers) {
    log =
        CompletableFuture.supplyAsync(
            () -> IngestPriority.raised(() -> startLog(config, directory, progress, closers)));
    flink =
        CompletableFuture.runAsync(
            () -> IngestPriority.raised(() -> startFlink(directory, jobs, progress, closers)));
  }

  private static LogCluster startLog(
      LogConfig config, DataDirectory directory, Consumer<String> progress, Closers closers) {
    LogCluster log =
        closers.add(
            config.embedded() ? new EmbeddedLog(config, directory.log()) : new RemoteLog(config));
    log.start();
    progress.accept("log ready (Kafka, " + log.bootstrapServers() + ")");
    return log;
  }

  private static void startFlink(
      DataDirectory directory, Jobs jobs, Consumer<String> progress, Closers closers) {
    if (jobs.areHere()) {
      jobs.startEngine(directory.checkpoints(), closers);
      progress.accept("stream engine ready (Flink)");
    }
  }

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

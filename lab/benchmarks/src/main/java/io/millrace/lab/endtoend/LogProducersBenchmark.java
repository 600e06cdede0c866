package io.millrace.lab.endtoend;

import io.millrace.engine.log.Compression;
import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.LogWriter;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.harness.WrongResultException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import picocli.CommandLine.Mixin;

/**
 * One to four producers of small messages, as in the published test of the exchange-point system:
 * 62 bytes, four partitions; here all in one process on the same cores.
 */
public final class LogProducersBenchmark extends Benchmark {
  @Mixin private final Seconds secondsOption = new Seconds();

  private static final int MESSAGE_BYTES = 62;
  private static final int MAX_PRODUCERS = 4;
  private static final int DEFAULT_SECONDS = 8;
  private static final int WARM_UP_SECONDS = 4;

  public LogProducersBenchmark() {
    super("log.producers", "messages of 62 bytes into the log by one to four producers");
  }

  @Override
  public void run(BenchContext context) {
    LogConfig config = LogConfig.defaults().withCompression(Compression.NONE);
    int seconds = secondsOption.or(DEFAULT_SECONDS);
    try (EmbeddedLog log = new EmbeddedLog(config, context.directory().resolve("log"))) {
      log.start();
      double unused = rate(log, config, "warm-up", 1, WARM_UP_SECONDS);
      for (int producers = 1; producers <= MAX_PRODUCERS; producers++) {
        context.progress().accept(producers + " producers");
        double rate = rate(log, config, "producers-" + producers, producers, seconds);
        context.report(
            Figure.of(name(), "rate", rate, "messages")
                .with("producers", producers)
                .with("bytes", MESSAGE_BYTES)
                .with("partitions", config.partitions()));
      }
    }
  }

  /** Acknowledged messages per second. */
  private static double rate(
      EmbeddedLog log, LogConfig config, String topic, int producers, int seconds) {
    var unused = new LogTopics(log, config).ensure(topic);
    ExecutorService threads = Executors.newFixedThreadPool(producers);
    try {
      long start = System.nanoTime();
      long end = start + Duration.ofSeconds(seconds).toNanos();
      List<CompletableFuture<Long>> writing =
          IntStream.range(0, producers)
              .mapToObj(
                  producer ->
                      CompletableFuture.supplyAsync(() -> write(log, config, topic, end), threads))
              .toList();
      long written = writing.stream().mapToLong(CompletableFuture::join).sum();
      double taken = (System.nanoTime() - start) / 1e9;
      try (LogOffsets offsets = new LogOffsets(log.bootstrapServers(), topic)) {
        long there = offsets.end().next().values().stream().mapToLong(Long::longValue).sum();
        WrongResultException.check("messages in the log", written, there);
      }
      return written / taken;
    } finally {
      threads.shutdownNow();
    }
  }

  private static long write(EmbeddedLog log, LogConfig config, String topic, long end) {
    byte[] message = new byte[MESSAGE_BYTES];
    long written = 0;
    try (LogWriter writer = new LogWriter(log.bootstrapServers(), topic, config)) {
      while (System.nanoTime() < end) {
        if (writer.offer((int) (written % writer.partitions()), message, 1, null)) {
          written++;
        } else {
          LockSupport.parkNanos(100_000);
        }
      }
      writer.flush();
    }
    return written;
  }
}

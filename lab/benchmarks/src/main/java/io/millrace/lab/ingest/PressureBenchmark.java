package io.millrace.lab.ingest;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.pipelines.gateways.GatewaysConfig;
import io.millrace.pipelines.gateways.GatewaysPipeline;
import io.millrace.server.api.HttpConfig;
import io.millrace.server.collect.CollectorConfig;
import io.millrace.server.ingest.IngestConfig;
import io.millrace.server.ingest.IngestServer;
import io.millrace.server.ingest.client.RecordSender;
import io.millrace.server.ingest.client.SendConfig;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.traffic.fleet.Fleet;
import io.millrace.traffic.fleet.FleetConfig;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordEncoding;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Mixin;

/**
 * A complete instance under a WebSocket sender that only back-pressure limits: checks that nothing
 * is lost, and reports the peak memory and the delay of the totals during and after the load.
 */
public final class PressureBenchmark extends Benchmark {
  @Mixin private final Seconds secondsOption = new Seconds();

  private static final int GATEWAYS = 10_000;
  private static final int DEFAULT_SECONDS = 60;
  private static final int ROWS = 8_192;
  private static final int BATCH = 100;
  private static final int IN_FLIGHT = 1_000;
  private static final int MANY_MINUTES = 1 << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final long LOOK_MILLIS = 500;
  private static final String COUNT =
      "SELECT coalesce(sum(records + dropped + doubled), 0) FROM gateway_days";
  private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

  private record Look(long nanos, long logged, long stored) {}

  public PressureBenchmark() {
    super("gateways.pressure", "a sender of gateway records that is faster than the job");
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(secondsOption.or(DEFAULT_SECONDS) + 20L);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    InetSocketAddress free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    MillraceConfig config =
        MillraceConfig.defaults()
            .withData(context.directory())
            .withSection(CollectorConfig.defaults().withListen(free))
            .withSection(HttpConfig.DEFAULTS.withPort(0))
            .with(new GatewaysPipeline(GatewaysConfig.defaults().withEnabled(true)))
            .withSection(IngestConfig.OFF.withListen(free));
    try (Millrace millrace = new Millrace(config)) {
      millrace.start();
      IngestServer ingest = millrace.ingest().orElseThrow();
      long end = System.nanoTime() + secondsOption.or(DEFAULT_SECONDS) * 1_000_000_000L;
      CompletableFuture<Long> sender = CompletableFuture.supplyAsync(() -> send(ingest.url(), end));
      observe(context, millrace, ingest, sender);
    }
  }

  private static long send(String url, long end) {
    Fleet fleet = new Fleet(FleetConfig.of(GATEWAYS, START, MANY_MINUTES, GatewayForm.CUMULATIVE));
    TableBlock block = GatewayRecords.block(ROWS);
    SendConfig config =
        new SendConfig(
            URI.create(url),
            SendConfig.Protocol.WEBSOCKET,
            RecordEncoding.AVRO,
            BATCH,
            IN_FLIGHT,
            "pressure",
            Optional.empty(),
            Optional.empty(),
            PATIENCE);
    try (RecordSender sender = RecordSender.of(config)) {
      while (System.nanoTime() < end && fleet.fill(block, ROWS)) {
        for (int row = 0; row < block.rows(); row++) {
          sender.send(block, row);
        }
        block.clear();
      }
      sender.finish();
      return sender.counts().accepted();
    } catch (IOException e) {
      throw new CompletionException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompletionException(e);
    }
  }

  private void observe(
      BenchContext context, Millrace millrace, IngestServer ingest, CompletableFuture<Long> sender)
      throws Exception {
    List<Look> looks = new ArrayList<>();
    long started = System.nanoTime();
    long deadline =
        started + secondsOption.or(DEFAULT_SECONDS) * 1_000_000_000L + PATIENCE.toNanos();
    double worstDelay = 0;
    double lastDelay = 0;
    long heap = 0;
    long waiting = 0;
    long sent = -1;
    long sentNanos = 0;
    while (true) {
      Thread.sleep(LOOK_MILLIS);
      looks.add(
          new Look(
              System.nanoTime(),
              ingest.streamCounts().get("gateways").recordsLogged(),
              stored(millrace)));
      Look now = looks.get(looks.size() - 1);
      lastDelay = delaySeconds(looks);
      worstDelay = Math.max(worstDelay, lastDelay);
      heap = Math.max(heap, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
      waiting = Math.max(waiting, ingest.waitingBytes());
      context
          .progress()
          .accept(
              "%,d in the log, %,d in the table, %.1f s delay"
                  .formatted(now.logged(), now.stored(), lastDelay));
      if (sent < 0 && sender.isDone()) {
        sent = sender.get();
        sentNanos = System.nanoTime();
      }
      if (sent >= 0 && now.stored() >= sent) {
        break;
      }
      if (System.nanoTime() > deadline) {
        String acknowledged =
            sent < 0 ? "the sender has not ended" : sent + " records were acknowledged";
        throw new WrongResultException(acknowledged + ", the table has counted " + now.stored());
      }
    }
    if (stored(millrace) != sent) {
      throw new WrongResultException(
          sent + " records were acknowledged, the table has counted " + stored(millrace));
    }
    double sending = (sentNanos - started) / 1e9;
    context.report(figure("rate", sent / sending, "records").with("of", "sender"));
    context.report(
        figure("rate", sent / ((System.nanoTime() - started) / 1e9), "records").with("of", "job"));
    context.report(figure("max_ms", worstDelay * 1e3, "ms").with("of", "delay while sending"));
    context.report(
        figure("latency_ms", (System.nanoTime() - sentNanos) / 1e6, "ms")
            .with("of", "all counted after the sender's end"));
    context.report(figure("bytes", (double) heap, "bytes").with("of", "heap, highest"));
    context.report(
        figure("bytes", (double) waiting, "bytes")
            .with("of", "records waiting for the log, highest"));
  }

  /** Time since the log had as many records as the table has now. */
  private static double delaySeconds(List<Look> looks) {
    Look now = looks.get(looks.size() - 1);
    for (int i = looks.size() - 1; i >= 0; i--) {
      if (looks.get(i).logged() <= now.stored()) {
        return (now.nanos() - looks.get(i).nanos()) / 1e9;
      }
    }
    return (now.nanos() - looks.get(0).nanos()) / 1e9;
  }

  private static long stored(Millrace millrace) {
    try (QueryResult result =
        millrace.store().query(new QueryRequest(COUNT, Duration.ofSeconds(30), 1))) {
      return result.next() ? ((Number) result.value(0)).longValue() : 0;
    }
  }

  private Figure figure(String metric, double value, String unit) {
    return Figure.of(name(), metric, value, unit).with("gateways", GATEWAYS);
  }
}

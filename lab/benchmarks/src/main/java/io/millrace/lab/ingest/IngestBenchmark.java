package io.millrace.lab.ingest;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Seconds;
import io.millrace.server.ingest.client.SendConfig.Protocol;
import io.millrace.traffic.fleet.Fleet;
import io.millrace.traffic.fleet.FleetConfig;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayForm;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordEncoding;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Mixin;

/**
 * Highest rates of acknowledged records into the log, over HTTP and WebSocket, in JSON and Avro,
 * with one and a hundred records per request or frame; or by number of partitions.
 */
public final class IngestBenchmark extends Benchmark {
  @Mixin private final Seconds secondsOption = new Seconds();

  private static final int GATEWAYS = 10_000;
  private static final int ROWS = 1 << 16;
  private static final int WARM_UP_SECONDS = 5;
  private static final int DEFAULT_SECONDS = 8;
  private static final int BATCH = 100;
  private static final int HTTP_CONNECTIONS = 256;
  private static final int SOCKETS = 2;
  private static final int PARTITIONS = 3;
  private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

  private static final double HTTP_TARGET = 25_000;
  private static final double SOCKET_TARGET = 100_000;
  private static final double BATCH_TARGET = 500_000;

  private final boolean byPartitions;

  /**
   * @param byPartitions compare 1, 2 and 3 partitions, instead of encodings
   */
  public IngestBenchmark(boolean byPartitions) {
    super(
        byPartitions ? "gateways.partitions" : "gateways.ingest",
        byPartitions
            ? "acknowledged gateway records into 1, 2 and 3 partitions"
            : "acknowledged gateway records into the log over HTTP and WebSocket",
        Duration.ofMinutes(2));
    this.byPartitions = byPartitions;
  }

  @Override
  public void run(BenchContext context) throws Exception {
    TableBlock block = GatewayRecords.block(ROWS);
    var unused =
        new Fleet(FleetConfig.of(GATEWAYS, START, 60, GatewayForm.CUMULATIVE)).fill(block, ROWS);
    for (int partitions : byPartitions ? List.of(1, 2, 3) : List.of(PARTITIONS)) {
      for (Protocol protocol : Protocol.values()) {
        for (RecordEncoding encoding : RecordEncoding.values()) {
          for (int batch : new int[] {1, BATCH}) {
            if (!byPartitions || encoding == RecordEncoding.AVRO) {
              measure(context, block, partitions, protocol, encoding, batch);
            }
          }
        }
      }
    }
  }

  private void measure(
      BenchContext context,
      TableBlock block,
      int partitions,
      Protocol protocol,
      RecordEncoding encoding,
      int batch)
      throws Exception {
    String way = protocol.name().toLowerCase(Locale.ROOT);
    String what = way + ", " + encoding.label() + ", " + batch + ", " + partitions;
    context.progress().accept(what);
    BenchContext own = context.within(what.replace(", ", "-"));
    try (IngestStand stand = new IngestStand(own.directory(), partitions)) {
      long all = send(stand, block, protocol, encoding, batch, WARM_UP_SECONDS);
      long values = stand.values();
      long start = System.nanoTime();
      long records =
          send(stand, block, protocol, encoding, batch, secondsOption.or(DEFAULT_SECONDS));
      double seconds = (System.nanoTime() - start) / 1e9;
      values = stand.values() - values;
      stand.check(all + records);
      Figure figure =
          Figure.of(name(), "rate", records / seconds, "records")
              .with("protocol", way)
              .with("encoding", encoding.label())
              .with("batch", batch)
              .with("partitions", partitions)
              .with("connections", protocol == Protocol.HTTP ? HTTP_CONNECTIONS : SOCKETS)
              .with("records_a_value", records / Math.max(1, values));
      double target =
          batch > 1 ? BATCH_TARGET : protocol == Protocol.HTTP ? HTTP_TARGET : SOCKET_TARGET;
      context.report(figure.aiming(Figure.Target.atLeast(target)));
    }
  }

  private static long send(
      IngestStand stand,
      TableBlock block,
      Protocol protocol,
      RecordEncoding encoding,
      int batch,
      int seconds)
      throws Exception {
    return protocol == Protocol.HTTP
        ? new RequestLoad(block, encoding, batch).run(stand.port(), HTTP_CONNECTIONS, seconds)
        : new FrameLoad(stand.url(), block, encoding, batch).run(SOCKETS, seconds);
  }
}

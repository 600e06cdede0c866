package io.millrace.lab.ingest;

import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogReader;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.LogWriter;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.server.ingest.IngestConfig;
import io.millrace.server.ingest.IngestServer;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordBatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/** An embedded log and an ingest server that writes to it, without a job. */
final class IngestStand implements AutoCloseable {
  private static final String TOPIC = "gateways";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final EmbeddedLog log;
  private final LogWriter writer;
  private final IngestServer server;

  IngestStand(Path directory, int partitions) throws IOException {
    LogConfig config =
        LogConfig.defaults()
            .withPartitions(partitions)
            .withRetention(4L << 30, Duration.ofHours(1));
    log = new EmbeddedLog(config, directory.resolve("log"));
    log.start();
    var unused = new LogTopics(log, config).ensure(TOPIC);
    writer = new LogWriter(log.bootstrapServers(), TOPIC, config);
    server =
        new IngestServer(
            IngestConfig.OFF.withListen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    server.addStream(
        GatewayRecords.SCHEMA, writer, log.bootstrapServers(), TOPIC, directory.resolve("frames"));
    server.start();
  }

  String url() {
    return server.url();
  }

  int port() {
    return server.port();
  }

  long logged() {
    return server.streamCounts().get("gateways").recordsLogged();
  }

  long values() {
    return server.streamCounts().get("gateways").valuesLogged();
  }

  /** Checks that the log contains the acknowledged number of records. */
  void check(long acknowledged) {
    long[] records = new long[1];
    try (LogOffsets offsets = new LogOffsets(log.bootstrapServers(), TOPIC)) {
      LogReader.read(
          log.bootstrapServers(),
          TOPIC,
          offsets.begin(),
          offsets.end(),
          PATIENCE,
          (partition, offset, time, key, value) -> {
            records[0] += RecordBatch.wrap(value, value.length).count();
            return true;
          });
    }
    if (records[0] != acknowledged) {
      throw new WrongResultException(
          acknowledged + " records were acknowledged, the log holds " + records[0]);
    }
  }

  @Override
  public void close() {
    server.close();
    writer.close();
    log.close();
  }
}

package io.millrace.server.ingest;

import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogAppender;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogOffsets;
import io.millrace.engine.log.LogReader;
import io.millrace.engine.log.LogTopics;
import io.millrace.engine.log.LogWriter;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.KafkaPartitions;
import io.millrace.wire.record.RecordBatch;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** An ingest server with an embedded log. */
final class IngestLog implements AutoCloseable {
  static final String TOPIC = "gateways";
  static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final Path directory;
  private final EmbeddedLog log;
  private final LogWriter writer;
  private IngestServer server;

  IngestLog(Path directory) {
    this.directory = directory;
    LogConfig config =
        LogConfig.defaults().withPartitions(3).withRetention(64 << 20, Duration.ofHours(1));
    log = new EmbeddedLog(config, directory.resolve("log"));
    log.start();
    var unused = new LogTopics(log, config).ensure(TOPIC);
    writer = new LogWriter(log.bootstrapServers(), TOPIC, config);
  }

  static IngestConfig config() {
    return IngestConfig.OFF.withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  /** A server with only the stream of gateways, not started. */
  static IngestServer server(IngestConfig config, StallingLog log, Path frames) {
    IngestServer server = new IngestServer(config);
    server.addStream(GatewayRecords.SCHEMA, log, log, frames);
    return server;
  }

  IngestServer serve(IngestConfig config) throws Exception {
    return serve(config, writer);
  }

  IngestServer serve(IngestConfig config, LogAppender values) throws Exception {
    server = new IngestServer(config);
    server.addStream(
        GatewayRecords.SCHEMA, values, log.bootstrapServers(), TOPIC, directory.resolve("frames"));
    server.start();
    return server;
  }

  LogAppender values() {
    return writer;
  }

  /** All records of the log, as gateway and milliseconds, in the order of partitions. */
  List<String> records() {
    List<String> records = new ArrayList<>();
    Frontier begin;
    Frontier end;
    try (LogOffsets offsets = new LogOffsets(log.bootstrapServers(), TOPIC)) {
      begin = offsets.begin();
      end = offsets.end();
    }
    LogReader.read(
        log.bootstrapServers(),
        TOPIC,
        begin,
        end,
        TIMEOUT,
        (partition, offset, time, key, value) -> {
          TableBlock block = RecordBatch.wrap(value, value.length).block().orElseThrow();
          for (int row = 0; row < block.rows(); row++) {
            byte[] id = block.texts(GatewayRecords.ID).get(row).getBytes(StandardCharsets.UTF_8);
            if (KafkaPartitions.of(id, 0, id.length, 3) != partition) {
              throw new AssertionError("in a wrong partition");
            }
            records.add(
                block.texts(GatewayRecords.ID).get(row)
                    + "@"
                    + block.longs(GatewayRecords.TIME)[row] / 1_000);
          }
          return true;
        });
    return records;
  }

  @Override
  public void close() {
    if (server != null) {
      server.close();
    }
    writer.close();
    log.close();
  }
}

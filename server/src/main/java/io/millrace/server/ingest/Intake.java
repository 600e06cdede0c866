package io.millrace.server.ingest;

import io.millrace.engine.log.LogAppender;
import io.millrace.server.collect.ArrivalClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

final class Intake {
  private static final Logger LOG = LoggerFactory.getLogger(IngestServer.class);

  private final RecordFormat format;
  private final LogAppender log;
  private final LogEnd end;
  private final Path file;
  private final IngestCounts counts;
  private KnownClients clients;
  private Lanes lanes;

  Intake(RecordFormat format, LogAppender log, LogEnd end, Path file) {
    this.format = format;
    this.log = log;
    this.end = end;
    this.file = file.toAbsolutePath();
    counts = new IngestCounts(format.schema().name());
  }

  void prepare(IngestConfig config, IngestMemory room, Executor answers) throws IOException {
    clients = new KnownClients(log.partitions(), config.maxClients());
    clients.restore(file, end, ArrivalClock.SYSTEM.micros());
    lanes = new Lanes(room, format, log, clients, end, config, counts, answers);
  }

  Ingest ingest(IngestConfig config, IngestTokens tokens, RateLimit rate) {
    return new Ingest(config, format, lanes, clients, tokens, rate, counts);
  }

  void start() {
    lanes.start();
  }

  Lanes lanes() {
    return lanes;
  }

  IngestCounts counts() {
    return counts;
  }

  RecordFormat format() {
    return format;
  }

  int clients() {
    return clients.size();
  }

  void save() {
    try {
      clients.evictIdle(System.nanoTime());
      clients.save(file, lanes.nextOffsets());
    } catch (IOException e) {
      LOG.warn("cannot save the frame numbers of clients: {}", e.toString());
    }
  }
}

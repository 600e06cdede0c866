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
  private FrameMemory memory;
  private Lanes lanes;

  Intake(RecordFormat format, LogAppender log, LogEnd end, Path file) {
    this.format = format;
    this.log = log;
    this.end = end;
    this.file = file.toAbsolutePath();
    counts = new IngestCounts(format.schema().name());
  }

  void prepare(IngestConfig config, Room room, Executor answers) throws IOException {
    memory = new FrameMemory(log.partitions(), config.maxClients());
    memory.restore(file, end, ArrivalClock.SYSTEM.micros());
    lanes = new Lanes(room, format, log, memory, end, config, counts, answers);
  }

  Ingest ingest(IngestConfig config, IngestTokens tokens, RateLimit rate) {
    return new Ingest(config, format, lanes, memory, tokens, rate, counts);
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
    return memory.size();
  }

  void save() {
    try {
      memory.evictIdle(System.nanoTime());
      memory.save(file, lanes.nextOffsets());
    } catch (IOException e) {
      LOG.warn("cannot save the frame numbers of clients: {}", e.toString());
    }
  }
}

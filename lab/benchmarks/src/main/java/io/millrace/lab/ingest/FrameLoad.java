package io.millrace.lab.ingest;

import io.millrace.server.ingest.client.RecordSender;
import io.millrace.server.ingest.client.SendConfig;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordEncoding;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** WebSocket connections, each with its own thread and the client of {@code send gateways}. */
final class FrameLoad {
  private static final int IN_FLIGHT = 16_384;

  private final String url;
  private final TableBlock block;
  private final RecordEncoding encoding;
  private final int batch;

  FrameLoad(String url, TableBlock block, RecordEncoding encoding, int batch) {
    this.url = url;
    this.block = block;
    this.encoding = encoding;
    this.batch = batch;
  }

  /** Sends for the given time and returns the number of acknowledged records. */
  long run(int connections, double seconds) throws InterruptedException, ExecutionException {
    ExecutorService threads = Executors.newFixedThreadPool(connections);
    try {
      List<Future<Long>> all = new ArrayList<>();
      long end = System.nanoTime() + (long) (seconds * 1e9);
      for (int i = 0; i < connections; i++) {
        int first = i * (block.rows() / connections);
        all.add(threads.submit(() -> send(first, end)));
      }
      long acknowledged = 0;
      for (Future<Long> one : all) {
        acknowledged += one.get();
      }
      return acknowledged;
    } finally {
      threads.shutdown();
    }
  }

  private long send(int first, long end) throws IOException, InterruptedException {
    SendConfig config =
        new SendConfig(
            URI.create(url),
            SendConfig.Protocol.WEBSOCKET,
            encoding,
            batch,
            Math.max(64, IN_FLIGHT / batch),
            "bench-" + first + "-" + end,
            Optional.empty(),
            Optional.empty(),
            Duration.ofSeconds(30));
    try (RecordSender sender = RecordSender.of(config)) {
      int row = first;
      while (System.nanoTime() < end) {
        for (int i = 0; i < 100; i++) {
          sender.send(block, row++ % block.rows());
        }
      }
      sender.finish();
      return sender.counts().accepted();
    }
  }
}

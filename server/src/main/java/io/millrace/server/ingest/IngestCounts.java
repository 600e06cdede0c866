package io.millrace.server.ingest;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What came in and what became of it, since the start. Thread-safe. */
public final class IngestCounts {
  final LongAdder requests = new LongAdder();
  final LongAdder frames = new LongAdder();
  final LongAdder recordsRead = new LongAdder();
  final LongAdder recordsWrong = new LongAdder();
  final LongAdder recordsLogged = new LongAdder();
  final LongAdder recordsFailed = new LongAdder();
  final LongAdder valuesLogged = new LongAdder();
  final LongAdder framesAgain = new LongAdder();
  final LongAdder turnedAway = new LongAdder();
  final AtomicLong sockets = new AtomicLong();
  final AtomicLong openRequests = new AtomicLong();

  IngestCounts() {}

  /** Requests with records. */
  public long requests() {
    return requests.sum();
  }

  /** Frames with records. */
  public long frames() {
    return frames.sum();
  }

  /** Records that were read, good and wrong. */
  public long recordsRead() {
    return recordsRead.sum();
  }

  /** Records that were wrong. */
  public long recordsWrong() {
    return recordsWrong.sum();
  }

  /** Records that the log has. */
  public long recordsLogged() {
    return recordsLogged.sum();
  }

  /** Records for which the log did not answer. */
  public long recordsFailed() {
    return recordsFailed.sum();
  }

  /** Values that the log has. */
  public long valuesLogged() {
    return valuesLogged.sum();
  }

  /** Parts of frames that were sent again and had been taken before. */
  public long framesAgain() {
    return framesAgain.sum();
  }

  /** Requests and connections that were refused: no token, too fast, no room. */
  public long turnedAway() {
    return turnedAway.sum();
  }

  /** Requests that are not answered yet. */
  public long openRequests() {
    return openRequests.get();
  }

  /** WebSocket connections now. */
  public long sockets() {
    return sockets.get();
  }
}

package io.millrace.server.ingest;

import io.millrace.server.api.Refusals;
import java.util.EnumMap;
import java.util.List;
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
  final AtomicLong sockets = new AtomicLong();
  final AtomicLong openRequests = new AtomicLong();

  private final EnumMap<IngestRefusal, LongAdder> refusals = new EnumMap<>(IngestRefusal.class);

  private final Refusals refused = new Refusals();
  private final String what;

  /**
   * @param what is sent, for people
   */
  IngestCounts(String what) {
    this.what = what;
    for (IngestRefusal reason : IngestRefusal.values()) {
      refusals.put(reason, new LongAdder());
    }
  }

  void refuse(IngestRefusal reason, Object sender) {
    refused.add(reason, sender.toString()); // first: whoever sees the count sees the line
    refusals.get(reason).increment();
  }

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

  /** Requests, messages and connections that were refused for that reason. */
  public long refused(IngestRefusal reason) {
    return refusals.get(reason).sum();
  }

  /** Which senders were refused what of late, one line each with what to do. */
  List<String> refused() {
    return refused.lines(what);
  }

  /** Requests that are not answered yet. */
  public long openRequests() {
    return openRequests.get();
  }

  /** WebSocket connections now. */
  long sockets() {
    return sockets.get();
  }
}

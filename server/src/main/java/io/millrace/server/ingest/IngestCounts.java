package io.millrace.server.ingest;

import io.millrace.server.api.Refusals;
import java.util.EnumMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counters of received records and their outcome, since the start. Thread-safe. */
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

  IngestCounts(String what) {
    this.what = what;
    for (IngestRefusal reason : IngestRefusal.values()) {
      refusals.put(reason, new LongAdder());
    }
  }

  void refuse(IngestRefusal reason, Object sender) {
    refused.add(reason, sender.toString()); // before the count, so that its readers find the line
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

  /** Records read, valid and invalid. */
  public long recordsRead() {
    return recordsRead.sum();
  }

  /** Invalid records. */
  public long recordsWrong() {
    return recordsWrong.sum();
  }

  /** Records in the log. */
  public long recordsLogged() {
    return recordsLogged.sum();
  }

  /** Records for which the log did not respond. */
  public long recordsFailed() {
    return recordsFailed.sum();
  }

  /** Values in the log. */
  public long valuesLogged() {
    return valuesLogged.sum();
  }

  /** Parts of resent frames that had been taken before. */
  public long framesAgain() {
    return framesAgain.sum();
  }

  /** Requests, messages and connections rejected for that reason. */
  public long refused(IngestRefusal reason) {
    return refusals.get(reason).sum();
  }

  List<String> refused() {
    return refused.lines(what);
  }

  /** Requests without a response yet. */
  public long openRequests() {
    return openRequests.get();
  }

  long sockets() {
    return sockets.get();
  }
}

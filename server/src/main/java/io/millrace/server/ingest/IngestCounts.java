package io.millrace.server.ingest;

import io.millrace.server.metrics.RejectionCounts;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counters of received records by outcome, since the start. Thread-safe. */
public final class IngestCounts {
  final LongAdder requests = new LongAdder();
  final LongAdder frames = new LongAdder();
  final LongAdder recordsRead = new LongAdder();
  final LongAdder recordsInvalid = new LongAdder();
  final LongAdder recordsLogged = new LongAdder();
  final LongAdder recordsFailed = new LongAdder();
  final LongAdder valuesLogged = new LongAdder();
  final AtomicLong sockets = new AtomicLong();
  final AtomicLong openRequests = new AtomicLong();

  private final RejectionCounts<IngestRejection> rejections =
      new RejectionCounts<>(IngestRejection.class);
  private final String what;

  IngestCounts(String what) {
    this.what = what;
  }

  void reject(IngestRejection reason, Object sender) {
    rejections.add(reason, sender);
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
  public long recordsInvalid() {
    return recordsInvalid.sum();
  }

  /** Records in the log. */
  public long recordsLogged() {
    return recordsLogged.sum();
  }

  /** Records that the log did not acknowledge. */
  public long recordsFailed() {
    return recordsFailed.sum();
  }

  /** Values written to the log. */
  public long valuesLogged() {
    return valuesLogged.sum();
  }

  /** Requests, messages and connections rejected for that reason. */
  public long rejected(IngestRejection reason) {
    return rejections.total(reason);
  }

  List<String> recentRejections() {
    return rejections.lines(what);
  }

  /** Requests in progress. */
  public long openRequests() {
    return openRequests.get();
  }

  long sockets() {
    return sockets.get();
  }
}

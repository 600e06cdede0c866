package io.millrace.server.ingest;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Which frames of a client are on their way into the log, and which are in it, by partition.
 *
 * <p>Frames are numbered from 1 in the order of sending, and their records are added to each
 * partition in that order. So one number a partition says it all: what frames up to this one hold
 * for the partition was <em>taken</em>, or is <em>logged</em>. A frame that is sent again is
 * written only to those partitions that have not taken it: a process may have been killed when some
 * had and others not.
 *
 * <p>{@code taken} of a partition is changed under its lane's lock, {@code logged} by the thread
 * that hears of the log, in the order of the values; both are read by anyone.
 */
final class ClientFrames {
  private final String id;
  private final byte[] utf8;
  private final AtomicLongArray taken;
  private final AtomicLongArray logged;

  /** The value of each lane in which frames of this client wait; guarded by the lane's lock. */
  final LogValue[] open;

  private volatile long received;
  private volatile GatewaySocket socket;
  private volatile long heardNanos;

  /**
   * @param id null for a client that has none and is not remembered
   */
  ClientFrames(String id, int partitions) {
    this.id = id;
    utf8 = id == null ? null : id.getBytes(StandardCharsets.UTF_8);
    taken = new AtomicLongArray(partitions);
    logged = new AtomicLongArray(partitions);
    open = new LogValue[partitions];
  }

  /** The client's name; null if it has none. */
  String id() {
    return id;
  }

  /** The name in UTF-8; null if it has none. */
  byte[] utf8() {
    return utf8;
  }

  long taken(int partition) {
    return taken.get(partition);
  }

  void take(int partition, long frame) {
    taken.set(partition, frame);
  }

  long logged(int partition) {
    return logged.get(partition);
  }

  /** The log has what frames up to this one hold for the partition. */
  void log(int partition, long frame) {
    if (frame > logged.get(partition)) {
      logged.set(partition, frame);
    }
  }

  /** What the log is known to hold: nothing is on its way any more. */
  void restore(int partition, long frame) {
    log(partition, frame);
    taken.set(partition, logged.get(partition));
  }

  /** Number of the last frame that any partition has taken. */
  long last() {
    long last = 0;
    for (int i = 0; i < taken.length(); i++) {
      last = Math.max(last, taken.get(i));
    }
    return last;
  }

  /** All parts of the connection's frames up to this one were added, or refused with a message. */
  void receive(long frame) {
    received = frame;
  }

  long received() {
    return received;
  }

  /**
   * Number of a frame up to which all received ones are settled: in the log, or refused. Not the
   * highest such number at every moment, but it is once nothing is on its way.
   */
  long settled() {
    // Read before the parts are looked at: all parts of these frames had been taken by then.
    long settled = received;
    for (int i = 0; i < taken.length(); i++) {
      long there = logged.get(i);
      if (there < taken.get(i)) {
        settled = Math.min(settled, there);
      }
    }
    return settled;
  }

  /** Whether it is not connected, and nothing is on its way into the log. */
  boolean isIdle() {
    return socket == null && isSettled();
  }

  private boolean isSettled() {
    for (int i = 0; i < taken.length(); i++) {
      if (logged.get(i) < taken.get(i)) {
        return false;
      }
    }
    return true;
  }

  /** The connection from which frames are taken; null for none. */
  GatewaySocket socket() {
    return socket;
  }

  /** Takes frames from that connection from now on; gives the one before, or null. */
  synchronized GatewaySocket attach(GatewaySocket newer) {
    GatewaySocket older = socket;
    socket = newer;
    return older;
  }

  /** It was heard of at that time. */
  void hear(long nanoTime) {
    heardNanos = nanoTime;
  }

  /** When it was heard of last, but for frames. */
  long heardNanos() {
    return heardNanos;
  }

  /** The connection has ended. */
  synchronized void detach(GatewaySocket ended) {
    hear(System.nanoTime());
    if (socket == ended) {
      socket = null;
    }
  }
}

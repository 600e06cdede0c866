package io.millrace.lab.endtoend;

import io.millrace.lab.harness.WrongResultException;
import io.millrace.server.runtime.Millrace;
import io.millrace.traffic.ExportDatagram;
import io.millrace.traffic.UdpSender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Latency from a datagram's scheduled transmission until its rows are visible to SQL.
 *
 * <p>A second thread polls the number of visible rows. A datagram counts as visible at the first
 * poll that sees as many rows as there are samples in all datagrams up to and including it. The
 * figures thus compare the n-th visible row with the n-th due row: if subtasks make rows visible
 * out of order, a single datagram may be visible later than that, and another one earlier. Nothing
 * may be lost, which is checked.
 */
final class VisibilityProbe implements UdpSender.Listener {
  private static final long POLL_NANOS = 10_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private record SentDatagram(long dueNanos, long samplesUpTo) {}

  /** Percentiles over datagrams. */
  record Latencies(long datagrams, double p50Millis, double p99Millis, double maxMillis) {}

  private final Millrace millrace;
  private final ConcurrentLinkedQueue<SentDatagram> waiting = new ConcurrentLinkedQueue<>();
  private final List<Double> millis = new ArrayList<>();
  private final Thread poller = new Thread(this::poll, "millrace-visibility");
  private long rowsBefore;
  private long samples;
  private volatile long target = Long.MAX_VALUE;
  private long deadline = Long.MAX_VALUE;

  VisibilityProbe(Millrace millrace) {
    this.millrace = millrace;
  }

  void start() {
    rowsBefore = millrace.table().rows();
    poller.start();
  }

  @Override
  public void sent(ExportDatagram datagram, long dueNanos, long sentNanos) {
    samples += datagram.samples();
    waiting.add(new SentDatagram(dueNanos, samples));
  }

  private void poll() {
    while (System.nanoTime() < deadline) {
      long rows = visibleRows();
      long now = System.nanoTime();
      for (SentDatagram next = waiting.peek(); next != null; next = waiting.peek()) {
        if (next.samplesUpTo > rows) {
          break;
        }
        waiting.remove();
        millis.add((now - next.dueNanos) / 1e6);
      }
      if (rows >= target) {
        return;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** Rows added since the start, without a query, so that the probe adds little load. */
  private long visibleRows() {
    return millrace.table().rows() - rowsBefore;
  }

  /** Waits until everything sent is visible. */
  Latencies finish() {
    deadline = System.nanoTime() + PATIENCE.toNanos();
    target = samples;
    try {
      poller.join(PATIENCE.toMillis() * 2);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WrongResultException("interrupted while waiting for rows");
    }
    if (poller.isAlive() || !waiting.isEmpty()) {
      throw new WrongResultException(
          waiting.size() + " datagrams never became visible: something was lost");
    }
    WrongResultException.check("visible rows", target, visibleRows());
    double[] sorted = millis.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    int last = sorted.length - 1;
    return new Latencies(
        sorted.length, sorted[last / 2], sorted[(int) (last * 0.99)], sorted[last]);
  }
}

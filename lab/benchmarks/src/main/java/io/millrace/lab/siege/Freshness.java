package io.millrace.lab.siege;

import io.millrace.lab.soak.Api;
import io.millrace.traffic.ExportDatagram;
import io.millrace.traffic.UdpSender;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Counts the visible legitimate rows, and measures how long after their due time they become
 * visible. A thread repeatedly counts the rows of the phase by SQL, as a reader would.
 *
 * <p>The n-th row sent counts as visible at the end of the first query that counts n, so a lost row
 * delays all after it. A datagram that is not visible yet counts with its waiting time: a product
 * that never responds is not fresh.
 */
final class Freshness implements UdpSender.Listener, AutoCloseable {
  private static final long POLL_NANOS = 150_000_000;
  private static final Duration SETTLED = Duration.ofSeconds(30);
  private static final int EVERY = 10; // datagrams, one of which is timed
  private static final DateTimeFormatter SQL_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS").withZone(ZoneOffset.UTC);

  private record SentDatagram(long dueNanos, long samplesUpTo) {}

  private record Sighting(long dueNanos, double millis) {}

  private record Count(long nanos, long rows) {}

  private final Api api;
  private final String exporters;
  private final Thread thread = new Thread(this::poll, "siege-freshness");
  private final ArrayDeque<SentDatagram> waiting =
      new ArrayDeque<>(); // all of these guarded by this
  private final List<Sighting> seen = new ArrayList<>();
  private final List<Count> counts = new ArrayList<>();
  private Instant since = Instant.EPOCH;
  private long samples;
  private long datagrams;
  private volatile boolean closing;

  // Used by the counting thread only: the rows of a phase's first minute, which are counted once,
  // and the start of that phase.
  private Instant settledSince = Instant.MIN;
  private long settled;

  /**
   * @param addresses of the legitimate exporters
   */
  Freshness(Api api, List<String> addresses) {
    this.api = api;
    exporters =
        addresses.stream().map(a -> "'" + a + "'").collect(Collectors.joining(", ", "(", ")"));
    thread.setDaemon(true);
  }

  /** Begins a phase, while nothing is being sent: only rows that arrive from now on count. */
  synchronized void begin() {
    since = Instant.now();
    waiting.clear();
    seen.clear();
    counts.clear();
    counts.add(new Count(System.nanoTime(), 0));
    samples = 0;
    datagrams = 0;
    if (thread.getState() == Thread.State.NEW) {
      thread.start();
    }
  }

  @Override
  public synchronized void sent(ExportDatagram datagram, long dueNanos, long sentNanos) {
    samples += datagram.samples();
    if (++datagrams % EVERY == 0) {
      waiting.add(new SentDatagram(dueNanos, samples));
    }
  }

  private void poll() {
    while (!closing) {
      Instant from;
      synchronized (this) {
        from = since;
      }
      try {
        long rows = visible(from);
        synchronized (this) {
          if (from.equals(since)) {
            saw(rows, System.nanoTime());
          }
        }
      } catch (IOException e) {
        LockSupport.parkNanos(POLL_NANOS); // no response: a later query sees the rows
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private void saw(long rows, long now) {
    counts.add(new Count(now, rows));
    while (!waiting.isEmpty() && waiting.peek().samplesUpTo() <= rows) {
      long due = waiting.poll().dueNanos();
      seen.add(new Sighting(due, (now - due) / 1e6));
    }
  }

  /**
   * Counts the visible rows of a phase. Those of its first minute are at the edge of the time range
   * and are read individually, so they are counted once when they are old: otherwise the
   * measurement takes half a core in a phase of minutes. One that appears later still delays all
   * after it.
   */
  private long visible(Instant begin) throws IOException {
    Instant minute = begin.truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES);
    if (Instant.now().isBefore(minute.plus(SETTLED))) {
      return count(api, begin, "");
    }
    if (!begin.equals(settledSince)) {
      settled = count(api, begin, " AND time < " + timestamp(minute));
      settledSince = begin;
    }
    return settled + count(api, minute, "");
  }

  private long count(Api from, Instant begin, String until) throws IOException {
    String sql = "SELECT count(*) FROM flows WHERE exporter IN %s AND time >= %s%s";
    return from.sql(sql.formatted(exporters, timestamp(begin), until)).path(0).path(0).asLong();
  }

  private static String timestamp(Instant time) {
    return "TIMESTAMP '" + SQL_TIME.format(time) + "'";
  }

  /** Counts the rows of this phase again, with a long timeout. */
  long stored(Api patient) throws IOException {
    Instant from;
    synchronized (this) {
      from = since;
    }
    return count(patient, from, "");
  }

  /** Rows sent in this phase. */
  synchronized long sent() {
    return samples;
  }

  /** Rows a second that became visible between two moments. */
  synchronized double rate(long fromNanos, long toNanos) {
    return (rowsAt(toNanos) - rowsAt(fromNanos)) * 1e9 / Math.max(1, toNanos - fromNanos);
  }

  /** Visible rows at a moment, interpolated between two counts; constant after the last one. */
  private double rowsAt(long nanos) {
    Count before = counts.get(0);
    for (Count count : counts) {
      if (count.nanos() - nanos > 0) {
        double share = (double) (nanos - before.nanos()) / (count.nanos() - before.nanos());
        return before.rows() + Math.max(0, share) * (count.rows() - before.rows());
      }
      before = count;
    }
    return before.rows();
  }

  /** The 99th percentile in milliseconds, of datagrams due between two moments. */
  synchronized double p99(long fromNanos, long toNanos) {
    long now = System.nanoTime();
    List<Double> millis = new ArrayList<>();
    for (Sighting one : seen) {
      if (one.dueNanos() - fromNanos >= 0 && one.dueNanos() - toNanos < 0) {
        millis.add(one.millis());
      }
    }
    for (SentDatagram one : waiting) {
      if (one.dueNanos() - fromNanos >= 0 && one.dueNanos() - toNanos < 0) {
        millis.add((now - one.dueNanos()) / 1e6);
      }
    }
    double[] sorted = millis.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    return sorted.length == 0 ? Double.NaN : sorted[(int) ((sorted.length - 1) * 0.99)];
  }

  @Override
  public void close() {
    closing = true;
  }
}

package io.millrace.traffic;

import java.io.IOException;

/**
 * Sends datagrams on a schedule of absolute times.
 *
 * <p>A datagram's due time depends only on the start, not on earlier datagrams: a delayed sender
 * catches up, and a latency measured from the due time includes the delay (no coordinated
 * omission). The due time is in an sFlow datagram's uptime field (milliseconds since the start) and
 * passed to the listener. One thread sends; any thread may call {@link #stop}. A source belongs to
 * one sender; each call of {@link #send} continues with the datagram that the previous call did not
 * send, so that sequence numbers have no gaps.
 */
public final class UdpSender {
  /**
   * Shorter waits are not worth a system call, so datagrams due within this time are sent together.
   */
  private static final long MIN_SLEEP_NANOS = 50_000;

  /** A datagram sent later than this after its due time counts as late. */
  private static final long LATE_NANOS = 10_000_000;

  private final DatagramSource source;
  private final Wire wire;
  private final SendClock clock;
  private final ExportDatagram datagram = new ExportDatagram();
  private boolean pending; // produced, but not sent when the last call ended
  private volatile boolean stopped;

  /** Observer of sent datagrams. Called on the sender's thread, within its schedule. */
  @FunctionalInterface
  public interface Listener {
    /** Ignores all datagrams. */
    Listener NONE = (datagram, dueNanos, sentNanos) -> {};

    /**
     * A datagram was handed to the socket.
     *
     * @param datagram valid during the call
     * @param dueNanos due time by the sender's clock; {@code sentNanos} if it is sent at once
     * @param sentNanos start of sending it
     */
    void sent(ExportDatagram datagram, long dueNanos, long sentNanos);
  }

  /**
   * Totals of sent datagrams.
   *
   * @param datagrams number of datagrams
   * @param samples flow samples in them
   * @param bytes their bytes without IP and UDP headers
   * @param elapsedNanos from the start to the end of the last datagram
   * @param maxDelayNanos longest delay of a datagram after its due time
   * @param late number of datagrams sent more than 10 ms after their due time
   */
  public record Report(
      long datagrams, long samples, long bytes, long elapsedNanos, long maxDelayNanos, long late) {
    /** Flow samples per second. */
    public double rate() {
      return elapsedNanos == 0 ? 0 : samples * 1e9 / elapsedNanos;
    }
  }

  /** A sender with the system's clock. */
  public UdpSender(DatagramSource source, Wire wire) {
    this(source, wire, SendClock.SYSTEM);
  }

  /** A sender with another clock. */
  public UdpSender(DatagramSource source, Wire wire, SendClock clock) {
    this.source = source;
    this.wire = wire;
    this.clock = clock;
  }

  /**
   * Makes {@link #send} return before its next datagram, within 100 ms; the sender cannot be used
   * afterwards.
   */
  public void stop() {
    stopped = true;
  }

  /**
   * Sends until either bound is reached or {@link #stop} is called.
   *
   * @param pace schedule of the datagrams
   * @param maxSamples sending ends after this many samples
   * @param maxNanos sending ends this long after the start; datagrams due later are not sent
   */
  public Report send(Pace pace, long maxSamples, long maxNanos, Listener listener)
      throws IOException {
    long start = clock.nanoTime();
    long now = start;
    long samples = 0;
    long datagrams = 0;
    long bytes = 0;
    long maxDelay = 0;
    long late = 0;
    while (samples < maxSamples && now - start < maxNanos && !stopped) {
      if (!pending) {
        source.next(datagram);
        pending = true;
      }
      long dueIn = pace.dueNanos(datagram, samples);
      if (dueIn >= maxNanos) {
        break;
      }
      long due = start + dueIn;
      now = clock.nanoTime();
      while (due - now > MIN_SLEEP_NANOS && !stopped) {
        clock.sleepNanos(Math.min(due - now, 100_000_000));
        now = clock.nanoTime();
      }
      if (stopped) {
        break;
      }
      boolean atOnce = dueIn <= 0;
      long delay = atOnce ? 0 : now - due;
      maxDelay = Math.max(maxDelay, delay);
      if (delay > LATE_NANOS) {
        late++;
      }
      long stamp = atOnce ? now - start : dueIn;
      DatagramPatch.uptimeMillis(datagram.bytes, datagram.offset, (int) (stamp / 1_000_000));
      wire.send(datagram.exporter, datagram.bytes, datagram.offset, datagram.length);
      pending = false;
      listener.sent(datagram, atOnce ? now : due, now);
      datagrams++;
      samples += datagram.samples;
      bytes += datagram.length;
    }
    return new Report(datagrams, samples, bytes, clock.nanoTime() - start, maxDelay, late);
  }
}

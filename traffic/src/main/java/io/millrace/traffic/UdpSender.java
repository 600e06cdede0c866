package io.millrace.traffic;

import java.io.IOException;

/**
 * Sends datagrams on a schedule of absolute times.
 *
 * <p>Each datagram is due at a moment that depends on the start alone, never on how long others
 * took: a sender that was held up catches up, and a latency measured from the due moment includes
 * the hold-up (no coordinated omission). The due moment is in an sFlow datagram's uptime field
 * (milliseconds since the start) and is told to the listener. One thread sends; {@link #stop} may
 * come from any. A source belongs to one sender, which may send again: it goes on with the datagram
 * that did not fit into the call before, so that sequences have no gaps.
 */
public final class UdpSender {
  /** Shorter waits are not worth the system call: datagrams that close go out together. */
  private static final long MIN_SLEEP_NANOS = 50_000;

  /** A datagram that leaves later than this after its due moment counts as late. */
  private static final long LATE_NANOS = 10_000_000;

  private final DatagramSource source;
  private final Wire wire;
  private final SendClock clock;
  private final ExportDatagram datagram = new ExportDatagram();
  private boolean pending; // made, but not sent when the last call ended
  private volatile boolean stopped;

  /** Hears of each datagram. Called on the sender's thread, in its time. */
  @FunctionalInterface
  public interface Listener {
    /** Hears nothing. */
    Listener NONE = (datagram, dueNanos, sentNanos) -> {};

    /**
     * A datagram was handed to the socket.
     *
     * @param datagram valid during the call
     * @param dueNanos when it was due, by the sender's clock; when it is sent at once, the same as
     *     {@code sentNanos}
     * @param sentNanos when sending it began
     */
    void sent(ExportDatagram datagram, long dueNanos, long sentNanos);
  }

  /**
   * What was sent.
   *
   * @param datagrams number of datagrams
   * @param samples flow samples in them
   * @param bytes their bytes without IP and UDP headers
   * @param elapsedNanos from the start to the end of the last datagram
   * @param maxBehindNanos the longest that a datagram left behind its due moment
   * @param late how many datagrams left more than 10 ms behind it
   */
  public record Report(
      long datagrams, long samples, long bytes, long elapsedNanos, long maxBehindNanos, long late) {
    /** Samples a second. */
    public double rate() {
      return elapsedNanos == 0 ? 0 : samples * 1e9 / elapsedNanos;
    }
  }

  /** A sender by the system's clock. */
  public UdpSender(DatagramSource source, Wire wire) {
    this(source, wire, SendClock.SYSTEM);
  }

  /** A sender by another clock. */
  public UdpSender(DatagramSource source, Wire wire, SendClock clock) {
    this.source = source;
    this.wire = wire;
    this.clock = clock;
  }

  /** Makes {@link #send} return before its next datagram, within 100 ms; it stays stopped. */
  public void stop() {
    stopped = true;
  }

  /**
   * Sends until either bound is reached or {@link #stop} is called.
   *
   * @param pace when each datagram is due
   * @param maxSamples a datagram that follows so many samples is not sent
   * @param maxNanos a datagram that is due or would leave so long after the start is not sent
   */
  public Report send(Pace pace, long maxSamples, long maxNanos, Listener listener)
      throws IOException {
    long start = clock.nanoTime();
    long now = start;
    long samples = 0;
    long datagrams = 0;
    long bytes = 0;
    long maxBehind = 0;
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
      long behind = atOnce ? 0 : now - due;
      maxBehind = Math.max(maxBehind, behind);
      if (behind > LATE_NANOS) {
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
    return new Report(datagrams, samples, bytes, clock.nanoTime() - start, maxBehind, late);
  }
}

package io.millrace.traffic;

import java.util.function.DoubleUnaryOperator;

/**
 * A pace whose rate changes over time. A late sender makes up only for a short delay; a longer one
 * reduces the number of samples sent. For one sender, called in order.
 */
public final class DialPace implements Pace {
  private static final long SLACK_NANOS = 5_000_000;

  private final DoubleUnaryOperator rate;
  private final double slackNanos;
  private long startNanos;
  private long lastSamples;
  private double due;

  /**
   * @param rate samples per second, above 0, by seconds since the first datagram
   */
  public DialPace(DoubleUnaryOperator rate) {
    this(rate, SLACK_NANOS);
  }

  /**
   * @param rate samples per second, above 0, by seconds since the first datagram
   * @param slackNanos maximum delay to catch up with
   */
  public DialPace(DoubleUnaryOperator rate, long slackNanos) {
    this.rate = rate;
    this.slackNanos = slackNanos;
  }

  @Override
  public long dueNanos(ExportDatagram datagram, long samplesBefore) {
    long now = System.nanoTime();
    if (startNanos == 0) {
      startNanos = now;
    }
    double elapsed = (double) (now - startNanos);
    double perSecond = rate.applyAsDouble(elapsed / 1e9);
    due = Math.max(due, elapsed - slackNanos) + (samplesBefore - lastSamples) * 1e9 / perSecond;
    lastSamples = samplesBefore;
    return (long) due;
  }
}

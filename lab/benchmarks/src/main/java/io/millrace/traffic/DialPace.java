package io.millrace.traffic;

import java.util.function.DoubleUnaryOperator;

/**
 * A rate that changes while it is sent, by the clock. What a sender cannot keep up with is not made
 * up for, but for a short while: the rate is offered, not owed. Asked by one sender, in order.
 */
public final class DialPace implements Pace {
  private static final long SLACK_NANOS = 5_000_000;

  private final DoubleUnaryOperator rate;
  private final double slackNanos;
  private long startNanos;
  private long lastSamples;
  private double due;

  /**
   * @param rate samples a second, above 0, at a second after the first datagram
   */
  public DialPace(DoubleUnaryOperator rate) {
    this(rate, SLACK_NANOS);
  }

  /**
   * @param rate samples a second, above 0, at a second after the first datagram
   * @param slackNanos how much of a hold-up is made up for
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

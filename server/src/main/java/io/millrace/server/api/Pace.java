package io.millrace.server.api;

import java.time.Duration;

/**
 * Checks whether a client reads or sends at the minimum rate. Only time spent waiting for the
 * client counts. One thread reports waits, any thread may check. Thread-safe.
 */
public final class Pace {
  private static final double NANOS = 1e9;

  private final Terms terms;
  private boolean isWaiting;
  private long waitingSince;
  private long waitedNanos;
  private long bytes;
  private long checkedNanos = System.nanoTime();
  private long waitedBefore;
  private long bytesBefore;

  /**
   * Minimum rate of a client.
   *
   * @param minRateBytes bytes a second
   * @param timeout interval over which the rate is measured
   * @param longest maximum total wait
   */
  public record Terms(long minRateBytes, Duration timeout, Duration longest) {
    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    /** Terms without a limit of the total wait. */
    public Terms(long minRateBytes, Duration timeout) {
      this(minRateBytes, timeout, FOR_EVER);
    }
  }

  /** Starts measuring. */
  public Pace(Terms terms) {
    this.terms = terms;
  }

  /** Starts waiting for the client, unless already waiting. */
  public synchronized void begin() {
    if (!isWaiting) {
      isWaiting = true;
      waitingSince = System.nanoTime();
    }
  }

  /**
   * Ends a wait.
   *
   * @param taken bytes read or sent during the wait
   */
  public synchronized void end(long taken) {
    isWaiting = false;
    waitedNanos += System.nanoTime() - waitingSince;
    bytes += taken;
  }

  /** Whether the client is too slow, evaluated once per measurement interval. */
  public synchronized boolean isTooSlow() {
    long now = System.nanoTime();
    if (now - checkedNanos < terms.timeout().toNanos()) {
      return false;
    }
    long waited = waitedNanos + (isWaiting ? now - waitingSince : 0);
    long nanos = waited - waitedBefore;
    long moved = bytes - bytesBefore;
    checkedNanos = now;
    waitedBefore = waited;
    bytesBefore = bytes;
    return waited > terms.longest().toNanos()
        || (nanos > terms.timeout().toNanos() / 2
            && moved < terms.minRateBytes() * (nanos / NANOS));
  }
}

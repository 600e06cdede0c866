package io.millrace.server.api;

import java.time.Duration;

/**
 * Whether a client takes its answer, or sends its request's body, at the least rate. Only time in
 * which the client is waited for counts. One thread writes or reads, any may look; thread-safe.
 */
public final class Pace {
  private static final double NANOS = 1e9;

  private final Terms terms;
  private boolean isWaiting;
  private long waitingSince;
  private long waitedNanos;
  private long bytes;
  private long lookedNanos = System.nanoTime();
  private long waitedBefore;
  private long bytesBefore;

  /**
   * What is asked of a client.
   *
   * @param leastRateBytes bytes a second
   * @param patience time over which that is measured
   * @param longest that the client is waited for in all
   */
  public record Terms(long leastRateBytes, Duration patience, Duration longest) {
    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    /** Terms without a limit of the whole time. */
    public Terms(long leastRateBytes, Duration patience) {
      this(leastRateBytes, patience, FOR_EVER);
    }
  }

  /** The pace of a body of which no byte has moved. */
  public Pace(Terms terms) {
    this.terms = terms;
  }

  /** The client is waited for, from now on if it was not before. */
  public synchronized void begin() {
    if (!isWaiting) {
      isWaiting = true;
      waitingSince = System.nanoTime();
    }
  }

  /** A wait is over in which so many bytes were taken or sent. */
  public synchronized void end(long taken) {
    isWaiting = false;
    waitedNanos += System.nanoTime() - waitingSince;
    bytes += taken;
  }

  /** Looks how much has moved since it looked last, once in the patience. */
  public synchronized boolean isTooSlow() {
    long now = System.nanoTime();
    if (now - lookedNanos < terms.patience().toNanos()) {
      return false;
    }
    long waited = waitedNanos + (isWaiting ? now - waitingSince : 0);
    long nanos = waited - waitedBefore;
    long moved = bytes - bytesBefore;
    lookedNanos = now;
    waitedBefore = waited;
    bytesBefore = bytes;
    return waited > terms.longest().toNanos()
        || (nanos > terms.patience().toNanos() / 2
            && moved < terms.leastRateBytes() * (nanos / NANOS));
  }
}

package io.millrace.server.api;

/**
 * Whether a client takes its answer at the least rate. Only time in which the client is waited for
 * counts. One thread writes, any may look; thread-safe.
 */
public final class Pace {
  private static final double NANOS = 1e9;

  private final AnswersConfig config;
  private boolean isWaiting;
  private long waitingSince;
  private long waitedNanos;
  private long bytes;
  private long lookedNanos = System.nanoTime();
  private long waitedBefore;
  private long bytesBefore;

  /** Of an answer of which nothing was written. */
  public Pace(AnswersConfig config) {
    this.config = config;
  }

  /** The client is waited for. */
  public synchronized void begin() {
    isWaiting = true;
    waitingSince = System.nanoTime();
  }

  /** It has taken as many bytes. */
  public synchronized void end(long taken) {
    isWaiting = false;
    waitedNanos += System.nanoTime() - waitingSince;
    bytes += taken;
  }

  /** Looks how much was taken since it looked last, once in {@code http.answers.patience}. */
  public synchronized boolean isTooSlow() {
    long now = System.nanoTime();
    if (now - lookedNanos < config.patience().toNanos()) {
      return false;
    }
    long waited = waitedNanos + (isWaiting ? now - waitingSince : 0);
    long nanos = waited - waitedBefore;
    long taken = bytes - bytesBefore;
    lookedNanos = now;
    waitedBefore = waited;
    bytesBefore = bytes;
    return waited > config.writeTime().toNanos()
        || (nanos > config.patience().toNanos() / 2
            && taken < config.leastRateBytes() * (nanos / NANOS));
  }
}

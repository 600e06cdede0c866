package io.millrace.engine.operator;

/**
 * Watermark of a step, which advances by the clock while all inputs are idle; otherwise the last
 * windows would stay open until traffic resumes. It lags the clock by the timeout and the time to
 * detect idleness; records in transit for longer are late. So a step that waits for rows of another
 * step has a longer timeout. It does not advance before the first watermark after a start.
 *
 * <p>All times are milliseconds. Not thread-safe.
 */
final class IdleClock {
  private static final long ACTIVE = Long.MIN_VALUE;

  private final long timeout;
  private long time = Long.MIN_VALUE;
  private long idleFrom;
  private long idleSince = ACTIVE;

  IdleClock(long timeout) {
    this.timeout = timeout;
  }

  /** Handles a watermark; returns whether this watermark advances. */
  boolean watermark(long mark) {
    boolean advances = mark > time;
    time = Math.max(time, mark);
    idleFrom = time;
    return advances;
  }

  void idle(boolean isIdle, long now) {
    if (!isIdle) {
      idleSince = ACTIVE;
    } else if (idleSince == ACTIVE) {
      idleSince = now;
      idleFrom = time;
    }
  }

  boolean isIdle() {
    return idleSince != ACTIVE;
  }

  /** Reads the clock; returns whether this watermark advances. */
  boolean tick(long now) {
    long quiet = now - idleSince;
    if (!isIdle()
        || quiet < timeout
        || idleFrom == Long.MIN_VALUE
        || idleFrom > Long.MAX_VALUE - quiet) {
      return false;
    }
    boolean advances = idleFrom + quiet - timeout > time;
    time = Math.max(time, idleFrom + quiet - timeout);
    return advances;
  }

  long time() {
    return time;
  }
}

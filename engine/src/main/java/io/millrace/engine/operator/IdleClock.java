package io.millrace.engine.operator;

/**
 * Watermark of a step, which advances by the clock while all inputs are idle; otherwise the last
 * windows would stay open until traffic resumes. It lags the clock by the patience and the time to
 * detect idleness: a record that was in transit for longer is late. So a step that waits for rows
 * of another step has more patience. It does not advance before the first watermark after a start.
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

  /** Handles a watermark; whether the watermark advances. */
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

  /** Reads the clock; whether the watermark advances. */
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

package io.millrace.engine.operator;

/**
 * Event time of a step, which advances by the clock while all inputs are idle; otherwise the last
 * windows would stay open until traffic resumes. It lags the clock by the patience and the time to
 * detect idleness: a record that was in transit for longer is late. So a step that waits for rows
 * of another step has more patience. Before the first watermark after a start there is no time to
 * advance from.
 *
 * <p>All times are milliseconds. Not thread-safe.
 */
final class IdleClock {
  private static final long ACTIVE = Long.MIN_VALUE;

  private final long patience;
  private long time = Long.MIN_VALUE;
  private long stoodAt;
  private long idleSince = ACTIVE;

  IdleClock(long patience) {
    this.patience = patience;
  }

  /** Handles a watermark; whether event time advances. */
  boolean watermark(long mark) {
    boolean goesOn = mark > time;
    time = Math.max(time, mark);
    stoodAt = time;
    return goesOn;
  }

  void idle(boolean isIdle, long now) {
    if (!isIdle) {
      idleSince = ACTIVE;
    } else if (idleSince == ACTIVE) {
      idleSince = now;
      stoodAt = time;
    }
  }

  boolean isIdle() {
    return idleSince != ACTIVE;
  }

  /** Reads the clock; whether event time advances. */
  boolean tick(long now) {
    long quiet = now - idleSince;
    if (!isIdle()
        || quiet < patience
        || stoodAt == Long.MIN_VALUE
        || stoodAt > Long.MAX_VALUE - quiet) {
      return false;
    }
    boolean goesOn = stoodAt + quiet - patience > time;
    time = Math.max(time, stoodAt + quiet - patience);
    return goesOn;
  }

  long time() {
    return time;
  }
}

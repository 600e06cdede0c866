package io.millrace.engine.operator;

/**
 * Event time of a step, which goes on by the machine's clock while nothing comes at all.
 *
 * <p>Event time follows what arrives, so it stands still when nothing does, and the last windows
 * would stay open until traffic comes again. When all inputs have been idle for the patience, time
 * goes on from where it stood, as fast as the clock and so behind it by the patience and by what it
 * takes to notice idleness: what was on its way for longer than that is late, as anything else that
 * comes too late. For the same reason a step that waits for another step's rows has more patience.
 * Before the first watermark of a life there is nothing to go on from: a job that starts in the
 * quiet cannot know whether the log has more for it.
 *
 * <p>All times are milliseconds, those of events and those of the clock. Not thread-safe.
 */
final class QuietClock {
  private static final long ACTIVE = Long.MIN_VALUE;

  private final long patience;
  private long time = Long.MIN_VALUE;
  private long stoodAt;
  private long idleSince = ACTIVE;

  /**
   * @param patience how long all inputs must have been idle
   */
  QuietClock(long patience) {
    this.patience = patience;
  }

  /**
   * A watermark has come.
   *
   * @return whether event time goes on with it; if not it is there already
   */
  boolean watermark(long mark) {
    boolean goesOn = mark > time;
    time = Math.max(time, mark);
    stoodAt = time;
    return goesOn;
  }

  /** All inputs are idle from now on, or one of them is not any more. */
  void idle(boolean isIdle, long now) {
    if (!isIdle) {
      idleSince = ACTIVE;
    } else if (idleSince == ACTIVE) {
      idleSince = now;
      stoodAt = time;
    }
  }

  /** Whether all inputs are idle. */
  boolean isIdle() {
    return idleSince != ACTIVE;
  }

  /**
   * Looks at the clock.
   *
   * @return whether event time goes on
   */
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

  /** Event time. */
  long time() {
    return time;
  }
}

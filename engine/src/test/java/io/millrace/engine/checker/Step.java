package io.millrace.engine.checker;

/**
 * A possible next step, executed atomically.
 *
 * @param name for the printed schedule
 * @param isSlow whether other steps are likely to precede it
 */
record Step(String name, boolean isSlow, Action action) {
  Step(String name, Action action) {
    this(name, false, action);
  }

  /** What is done. */
  @FunctionalInterface
  interface Action {
    void run() throws Exception;
  }
}

package io.millrace.engine.checker;

/**
 * Something that can happen next. Nothing else happens while it does.
 *
 * @param name for the schedule that is printed
 * @param isSlow whether it takes its time, so that others come before it
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

package io.millrace.engine.checker;

/**
 * Something that can happen next. Nothing else happens while it does.
 *
 * @param name for the schedule that is printed
 */
record Step(String name, Action action) {
  /** What is done. */
  @FunctionalInterface
  interface Action {
    void run() throws Exception;
  }
}

package io.millrace.bench;

/**
 * A benchmark: measures something, checks that the result is right, and reports figures. Run by one
 * thread on a machine that does nothing else.
 */
public interface Benchmark {
  /** Its name, {@code module.topic}. */
  String name();

  /** What it measures, as one phrase. */
  String what();

  /**
   * Runs it.
   *
   * @throws WrongResultException if what was measured did not do its work
   */
  void run(BenchContext context) throws Exception;
}

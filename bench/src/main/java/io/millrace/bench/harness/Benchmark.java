package io.millrace.bench.harness;

import java.time.Duration;
import java.util.List;

/**
 * A benchmark: measures something, checks that the result is right, and reports figures. Run by one
 * thread on a machine that does nothing else.
 */
public interface Benchmark {
  /** Its name, {@code module.topic}. */
  String name();

  /** Names under which its figures are printed, its own among them. */
  default List<String> figures() {
    return List.of(name());
  }

  /** Whether it runs only where it is named: it changes more than its own directory. */
  default boolean isOnRequest() {
    return false;
  }

  /** What it measures, as one phrase. */
  String what();

  /** About how long it takes on two cores with these settings; a minute, where it says nothing. */
  default Duration takes(BenchContext context) {
    return Duration.ofMinutes(1);
  }

  /**
   * Runs it.
   *
   * @throws WrongResultException if what was measured did not do its work
   */
  void run(BenchContext context) throws Exception;
}

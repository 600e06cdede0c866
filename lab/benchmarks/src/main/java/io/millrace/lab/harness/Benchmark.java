package io.millrace.lab.harness;

import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * A benchmark, which measures, checks its result, and reports figures. One thread runs it on an
 * otherwise idle machine. It is a command: its fields with {@code Option} and {@code Mixin} are its
 * options.
 */
@Command(usageHelpAutoWidth = true)
public abstract class Benchmark {
  private final String name;
  private final String what;
  private final Duration takes;

  @Parameters(
      arity = "0..*",
      paramLabel = "NAME",
      description = "More benchmarks to run, with the same options.")
  private List<String> more = List.of();

  /** Creates a benchmark that takes a minute, unless it overrides {@link #takes}. */
  protected Benchmark(String name, String what) {
    this(name, what, Duration.ofMinutes(1));
  }

  /**
   * @param name {@code module.topic}
   * @param what description, one phrase
   * @param takes approximate duration on two cores, whatever the settings
   */
  protected Benchmark(String name, String what, Duration takes) {
    this.name = name;
    this.what = what;
    this.takes = takes;
  }

  /** The name, {@code module.topic}. */
  public final String name() {
    return name;
  }

  /** The description, one phrase. */
  public final String what() {
    return what;
  }

  /** Names of the printed figures, including the benchmark's own name. */
  public List<String> figures() {
    return List.of(name);
  }

  /** Names of other benchmarks on the command line. */
  public final List<String> more() {
    return more;
  }

  /** Whether it runs only if named, since it changes the machine, keeps files or does not end. */
  public boolean isOnRequest() {
    return false;
  }

  /** Approximate duration on two cores with the current settings. */
  public Duration takes(BenchContext context) {
    return takes;
  }

  /**
   * Runs the benchmark.
   *
   * @throws WrongResultException if the measured code produced a wrong result
   */
  public abstract void run(BenchContext context) throws Exception;
}

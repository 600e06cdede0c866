package io.millrace.lab.harness;

import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * A benchmark: measures something, checks that the result is right, and reports figures. Run by one
 * thread on a machine that does nothing else. It is a command: its fields with {@code Option} and
 * {@code Mixin} are its options.
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

  /** One that takes a minute, or says how long in {@link #takes}. */
  protected Benchmark(String name, String what) {
    this(name, what, Duration.ofMinutes(1));
  }

  /**
   * @param name {@code module.topic}
   * @param what it measures, as one phrase
   * @param takes how long it takes with any settings, about, on two cores
   */
  protected Benchmark(String name, String what, Duration takes) {
    this.name = name;
    this.what = what;
    this.takes = takes;
  }

  /** Its name, {@code module.topic}. */
  public final String name() {
    return name;
  }

  /** What it measures, as one phrase. */
  public final String what() {
    return what;
  }

  /** Names under which its figures are printed, its own among them. */
  public List<String> figures() {
    return List.of(name);
  }

  /** Names of other benchmarks that the command line asks for. */
  public final List<String> more() {
    return more;
  }

  /** Whether it runs only where it is named: it changes more than its own directory. */
  public boolean isOnRequest() {
    return false;
  }

  /** About how long it takes on two cores with these settings. */
  public Duration takes(BenchContext context) {
    return takes;
  }

  /**
   * Runs it.
   *
   * @throws WrongResultException if what was measured did not do its work
   */
  public abstract void run(BenchContext context) throws Exception;
}

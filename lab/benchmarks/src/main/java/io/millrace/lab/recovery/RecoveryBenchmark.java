package io.millrace.lab.recovery;

import io.millrace.lab.endtoend.DemoSets;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Rate;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.harness.Seed;
import io.millrace.lab.harness.WrongResultException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Kills, freezes and disconnects processes of a cluster on this machine at random times under a
 * steady load. Measures the time until output resumes and until it has caught up, and checks that
 * the table equals that of a run without failures.
 */
public final class RecoveryBenchmark extends Benchmark {
  @Mixin private final Rate rateOption = new Rate();
  @Mixin private final Seed seedOption = new Seed();
  @Mixin private final Seconds secondsOption = new Seconds();

  @Option(
      names = "--case",
      paramLabel = "CASE",
      description =
          "taskmanager, taskmanagers, broker, jobmanager, store, freeze or network; may be repeated. By default all of them.")
  private List<Failure> cases = List.of(Failure.values());

  private static final double SHARE_OF_HIGHEST = 0.8;

  private final RecoveryCluster.Size size;

  /** With two JobManagers and three brokers, so that one of each can fail. */
  public RecoveryBenchmark() {
    this(RecoveryCluster.Size.WHOLE);
  }

  /** With fewer processes, for cases that do not need them. */
  public RecoveryBenchmark(int jobManagers, int brokers) {
    this(new RecoveryCluster.Size(jobManagers, brokers, 2, 2, 2));
  }

  private RecoveryBenchmark(RecoveryCluster.Size size) {
    super(
        "recovery",
        "recovery times and rows of a cluster whose processes are killed, frozen and disconnected");
    this.size = size;
  }

  @Override
  public boolean isOnRequest() {
    return true;
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofMinutes(3L * cases.size());
  }

  @Override
  public void run(BenchContext context) throws IOException {
    long seed = seedOption.orRandom();
    context.lines().accept("seed " + seed);
    Random random = new Random(seed);
    Map<Boolean, List<Failure>> byHosts =
        cases.stream().collect(Collectors.partitioningBy(Failure::needsHosts));
    double rate = rateOption.value();
    long wrong = 0;
    for (Map.Entry<Boolean, List<Failure>> group : byHosts.entrySet()) {
      if (group.getValue().isEmpty()) {
        continue;
      }
      Optional<String> missing =
          group.getKey() ? NamespaceNetwork.whyUnavailable() : Optional.empty();
      if (missing.isPresent()) {
        group
            .getValue()
            .forEach(
                failure -> context.lines().accept(failure.label() + ": skipped, " + missing.get()));
        continue;
      }
      BenchContext own = context.within(group.getKey() ? "namespaces" : "loopback");
      try (FailureRun run =
          new FailureRun(
              own,
              DemoSets.in(own),
              size,
              group.getKey(),
              secondsOption.or(LoadedCluster.STEADY_SECONDS),
              random)) {
        run.start();
        if (rate == 0) {
          double highest = run.highestRate();
          rate = highest * SHARE_OF_HIGHEST;
          context
              .lines()
              .accept(
                  String.format(
                      Locale.ROOT,
                      "the highest rate is %,.0f samples/s; the load is %,.0f",
                      highest,
                      rate));
        }
        for (Failure failure : group.getValue()) {
          CaseResult result = run.one(failure, rate);
          result.tell(context.lines());
          result.figures().forEach(context::report);
          wrong += result.comparison().isEqual() ? 0 : 1;
        }
      }
    }
    if (wrong > 0) {
      throw new WrongResultException(
          "the table differs from that of an undisturbed run in " + wrong + " cases");
    }
  }
}

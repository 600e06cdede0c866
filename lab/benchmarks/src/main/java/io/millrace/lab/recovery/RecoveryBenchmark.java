package io.millrace.lab.recovery;

import io.millrace.cluster.ClusterConfig;
import io.millrace.cluster.NamespaceNetwork;
import io.millrace.lab.endtoend.DemoSets;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.WrongResultException;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * Kills, freezes and cuts off processes of a cluster on this machine at random times under a steady
 * load: how long until output flows again, until it has caught up, and whether the table is that of
 * a run without failures.
 */
public final class RecoveryBenchmark extends Benchmark {
  /** Names of the cases. */
  public static final List<String> CASES =
      Arrays.stream(Failure.values()).map(Failure::option).toList();

  private static final double SHARE_OF_HIGHEST = 0.8;

  private final RecoveryCluster.Size size;

  /** On two JobManagers and three brokers, so that one of each can be spared. */
  public RecoveryBenchmark() {
    this(RecoveryCluster.Size.WHOLE);
  }

  /** On fewer processes, where no case needs them. */
  public RecoveryBenchmark(int jobManagers, int brokers) {
    this(new RecoveryCluster.Size(jobManagers, brokers, 2, 2, 2));
  }

  private RecoveryBenchmark(RecoveryCluster.Size size) {
    super(
        "recovery",
        "time to recover and rows afterwards, on a cluster whose processes are killed, frozen and cut off");
    this.size = size;
  }

  @Override
  public boolean isOnRequest() {
    return true;
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofMinutes(3L * cases(context).size());
  }

  @Override
  public void run(BenchContext context) throws IOException {
    long seed =
        context.seed() == 0 ? ThreadLocalRandom.current().nextInt(1, 1 << 30) : context.seed();
    context.lines().accept("seed " + seed);
    Random random = new Random(seed);
    Map<ClusterConfig.Hosts, List<Failure>> byHosts =
        cases(context).stream()
            .collect(
                Collectors.groupingBy(
                    Failure::hosts,
                    () -> new EnumMap<>(ClusterConfig.Hosts.class),
                    Collectors.toList()));
    double rate = context.samplesPerSecond();
    long wrong = 0;
    for (Map.Entry<ClusterConfig.Hosts, List<Failure>> group : byHosts.entrySet()) {
      Optional<String> refusal =
          group.getKey() == ClusterConfig.Hosts.NAMESPACES
              ? NamespaceNetwork.refusal()
              : Optional.empty();
      if (refusal.isPresent()) {
        group
            .getValue()
            .forEach(
                failure -> context.lines().accept(failure.label() + ": skipped, " + refusal.get()));
        continue;
      }
      BenchContext own = context.within(group.getKey().name().toLowerCase(Locale.ROOT));
      try (FailureRun run = new FailureRun(own, DemoSets.in(own), size, group.getKey(), random)) {
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

  private static List<Failure> cases(BenchContext context) {
    return Arrays.stream(Failure.values())
        .filter(failure -> context.cases().isEmpty() || context.cases().contains(failure.option()))
        .toList();
  }
}

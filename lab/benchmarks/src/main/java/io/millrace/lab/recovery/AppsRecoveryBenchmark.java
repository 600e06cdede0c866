package io.millrace.lab.recovery;

import io.millrace.analytics.app.AppNames;
import io.millrace.analytics.app.AppTracker;
import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.lab.apps.AppTrace;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rate;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.harness.Seed;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.packet.LinkType;
import java.io.IOException;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Kills decoder, classifier and tracker of {@code apps}, each in a separate process, under a steady
 * load of packets with payload. Measures the time until output resumes and until it has caught up,
 * and checks that each packet is counted once.
 *
 * <p>At the end of each run, a packet of an hour later ends all flows, so that all packets are in
 * the table and can be compared with those sent.
 */
public final class AppsRecoveryBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();
  @Mixin private final Rate rateOption = new Rate();
  @Mixin private final Seed seedOption = new Seed();
  @Mixin private final Seconds secondsOption = new Seconds();

  @Option(
      names = "--case",
      paramLabel = "CASE",
      description = "decoder, classifier or tracker; may be repeated. By default all of them.")
  private List<AppStep> cases = List.of(AppStep.values());

  private static final List<Integer> CHECKPOINT_SECONDS = List.of(5, 10);
  private static final double PACKETS_A_SECOND = 20_000;

  /** In the trace, which is repeated. */
  private static final int PACKETS = 200_000;

  private static final long LINGER_MICROS = 20_000;
  private static final long HOUR_MICROS = 3_600_000_000L;
  private static final int RAW_IP_LINK = 101;
  private static final byte[] ICMP_PACKET = {
    0x45, 0, 0, 20, 0, 0, 0, 0, 64, 1, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2
  };

  /** A TaskManager for each of the three, and a spare. */
  private static final RecoveryCluster.Size SIZE = new RecoveryCluster.Size(1, 1, 4, 1, 1);

  public AppsRecoveryBenchmark() {
    super(
        "recovery.apps",
        "recovery times of apps: decoder, classifier and tracker; checkpoints every 5 and 10 s");
  }

  @Override
  public boolean isOnRequest() {
    return true;
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(CHECKPOINT_SECONDS.size() * (60 + 40L * cases.size()));
  }

  @Override
  public void run(BenchContext context) throws IOException, GeneralSecurityException {
    long seed = seedOption.orRandom();
    double rate = rateOption.or(PACKETS_A_SECOND);
    context
        .lines()
        .accept(
            String.format(
                Locale.ROOT,
                "seed %d; %,.0f packets/s; published: decoder about 11 s, tracker 3 s, with"
                    + " checkpoints every 10 s; decoder and classifier a few seconds, every 5 s",
                seed,
                rate));
    Random random = new Random(seed);
    AppTrace trace = new AppTrace((int) rowsOption.or(PACKETS), seed);
    long wrong = 0;
    for (int checkpointSeconds : CHECKPOINT_SECONDS) {
      wrong += run(context, trace, checkpointSeconds, rate, random);
    }
    if (wrong > 0) {
      throw new WrongResultException(wrong + " packets were not counted exactly once");
    }
  }

  /** Runs all cases with a checkpoint interval; returns the packets not counted once. */
  private long run(
      BenchContext context, AppTrace trace, int checkpointSeconds, double rate, Random random)
      throws IOException {
    Duration checkpoints = Duration.ofSeconds(checkpointSeconds);
    BenchContext own = context.within("every-" + checkpointSeconds + "-s");
    Files.createDirectories(own.directory());
    RecoveryCluster cluster =
        new RecoveryCluster(
            own.directory(), SIZE, false, checkpoints, AppStep.pipeline(), Map.of());
    try (LoadedCluster loaded =
        new LoadedCluster(
            own, cluster, checkpoints, secondsOption.or(LoadedCluster.STEADY_SECONDS), random)) {
      loaded.start(
          started ->
              new PacedLoad(
                  new PacketValues(trace),
                  new LogWriter(
                      started.bootstrapServers(), CountPipeline.TOPIC, started.logConfig()),
                  0, // one partition, to keep the order of packets
                  LINGER_MICROS),
          load -> new AppsOutput(cluster.api(), load::logged));
      Figure like =
          Figure.of("recovery.apps", "", 0, "")
              .with("checkpoint_s", checkpointSeconds)
              .with("packets_per_second", Math.round(rate));
      for (AppStep step : cases) {
        String label =
            "kill the " + step.option() + ", checkpoints every " + checkpoints.toSeconds() + " s";
        context.progress().accept(label + ": steady load before the failure");
        loaded.steady(rate);
        Failure.Blow blow = step.aim(cluster);
        context.progress().accept(label + ": " + blow.target());
        Recovery recovery = loaded.recover(blow, rate);
        OptionalInt published = step.published(checkpointSeconds);
        context
            .lines()
            .accept(
                String.format(
                    Locale.ROOT,
                    "%-44s %s  published %s  (%s)",
                    label,
                    recovery.text(),
                    published.isPresent() ? published.getAsInt() + " s" : "n/s",
                    blow.target()));
        Figure ofCase = like.with("case", step.option());
        recovery
            .figures(
                published.isPresent() ? ofCase.with("published_s", published.getAsInt()) : ofCase)
            .forEach(context::report);
        loaded.allBack();
      }
      return compare(context, trace, loaded, like);
    }
  }

  /** Ends all flows and compares the table with the packets sent; returns how many are wrong. */
  private static long compare(
      BenchContext context, AppTrace trace, LoadedCluster loaded, Figure like) throws IOException {
    context.progress().accept("comparing the table with the packets sent");
    PacedLoad load = loaded.load();
    load.pause();
    long sent = load.logged();
    PacketBlock.Writer end = new PacketBlock.Writer();
    end.add(
        OutputWatch.nowMicros() + HOUR_MICROS,
        RAW_IP_LINK,
        0,
        ICMP_PACKET.length,
        ICMP_PACKET,
        0,
        ICMP_PACKET.length);
    load.add(end.toBytes(), 1);
    loaded.drain();
    Map<String, Long> expected = expected(trace, sent);
    expected.put("ICMP", 1L);
    Map<String, Long> counted = AppsOutput.packets(loaded.cluster().api());
    long balance = 0;
    long different = 0;
    Set<String> apps = new HashSet<>(expected.keySet());
    apps.addAll(counted.keySet());
    for (String app : apps) {
      long surplus = counted.getOrDefault(app, 0L) - expected.getOrDefault(app, 0L);
      balance += surplus;
      different += Math.abs(surplus);
    }
    long wrong = Math.abs(balance);
    context.report(
        new Figure(like.bench(), "wrong_packets", wrong, "packets", like.params(), Optional.empty())
            .with("packets", sent)
            .with("packets_of_other_application", (different - wrong) / 2)
            .aiming(Figure.Target.atMost(0)));
    return wrong;
  }

  /** Packets by application, as a single tracker without failures counts them. */
  private static Map<String, Long> expected(AppTrace trace, long sent) {
    Map<String, Long> packets = new HashMap<>();
    try (AppTracker tracker =
        new AppTracker(
            FlowTableConfig.defaults(),
            IpLayer.INNER,
            AppNames.builtIn(),
            flow -> packets.merge(flow.app(), flow.packets(), Long::sum))) {
      AppTrace.Rounds rounds = trace.rounds();
      for (long packet = 0; packet < sent; packet++) {
        rounds.next();
        tracker.packet(packet, LinkType.ETHERNET, rounds.bytes(), 0, rounds.length());
      }
      tracker.endAll();
    }
    return packets;
  }
}

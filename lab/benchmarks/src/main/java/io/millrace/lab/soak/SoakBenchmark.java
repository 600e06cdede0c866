package io.millrace.lab.soak;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rate;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.harness.Seed;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.soak.Exporters.Truth;
import io.millrace.traffic.DialPace;
import io.millrace.traffic.UdpSender;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * All faults at once, for any length of time: exporters of four protocols, SIGKILLs at random
 * times, bursts beyond what can be stored, floods of templates, malformed datagrams, and continuous
 * queries. At the end every datagram is accounted for ({@link Reconciliation}), no result was
 * wrong, and in the longest life memory and descriptors were level ({@link Vitals}). Reports a line
 * per minute.
 */
public final class SoakBenchmark extends Benchmark {
  @Mixin private final Seconds secondsOption = new Seconds();
  @Mixin private final Rate rateOption = new Rate();
  @Mixin private final Seed seedOption = new Seed();

  @Option(
      names = "--chaos",
      description =
          "Odd paths, time zones, languages, clock steps, damaged checkpoints, older logs, imports"
              + " and kills, instead of floods.")
  private boolean isChaos;

  private static final int SECONDS = 600;

  /** Small, since the database fills it with cached data, which would hide a leak. */
  private static final String SETTINGS = "store:\n  memory: 512MiB\n";

  private static final double RATE = 10_000;
  private static final double FLOOD = 60;
  private static final int BROKEN_A_TICK = 10;
  private static final int TEMPLATES_A_FLOOD = 5_000;
  private static final long TICK_NANOS = 100_000_000;
  private static final double LOOK_SECONDS = 2;
  private static final double COLLECT_SECONDS = 30;
  private static final double LINE_SECONDS = 60;
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  public SoakBenchmark() {
    super(
        "soak",
        "kills, floods, broken datagrams and queries; --chaos: faults of host, disk and operator");
  }

  @Override
  public boolean isOnRequest() {
    return true;
  }

  @Override
  public Duration takes(BenchContext context) {
    return Duration.ofSeconds(secondsOption.or(SECONDS) + 60L);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    int seconds = secondsOption.or(SECONDS);
    if (isChaos) {
      try (Chaos chaos =
          new Chaos(context, seedOption.value(), rateOption.or(Chaos.DATAGRAMS_PER_SECOND))) {
        chaos.run(seconds);
      }
      return;
    }
    Path directory = context.directory().resolve("soak");
    try (Instance instance = new Instance(directory, SETTINGS);
        Run run = new Run(context, instance, Plan.of(seedOption.value(), seconds))) {
      run.all();
    }
  }

  /** Folder of captures with malformed datagrams; may be missing. */
  private static Path captures() {
    return Path.of(System.getProperty("millrace.shared", "../shared"), "captures", "malformed");
  }

  /** A run. The thread that owns it kills, samples and reports; others send and query. */
  private final class Run implements AutoCloseable {
    private final BenchContext context;
    private final Instance instance;
    private final Plan plan;
    private final Exporters exporters;
    private final Hostile hostile;
    private final List<Vitals> lives = new ArrayList<>();
    private final double rate;
    private Questions questions;
    private long startNanos;
    private int kills;

    Run(BenchContext context, Instance instance, Plan plan) throws IOException {
      this.context = context;
      this.instance = instance;
      this.plan = plan;
      rate = rateOption.or(RATE);
      exporters =
          new Exporters(
              instance.udp(), Exporters.ALL, seedOption.value(), UnaryOperator.identity());
      hostile = new Hostile(instance.udp(), seedOption.value(), captures());
    }

    private double second() {
      return (System.nanoTime() - startNanos) / 1e9;
    }

    void all() throws Exception {
      instance.start();
      hostile.sendTemplates(Hostile.TEMPLATE_DOMAINS); // numbers start while it listens
      questions = new Questions(instance);
      startNanos = System.nanoTime();
      CompletableFuture<Void> sending = CompletableFuture.runAsync(this::send);
      CompletableFuture<Void> attacking = CompletableFuture.runAsync(this::attack);
      live();
      exporters.stop();
      CompletableFuture.allOf(sending, attacking).join();
      hostile.sendTemplates(Hostile.TEMPLATE_DOMAINS); // and show the last losses
      awaitRest();
      Reconciliation sums = reconcile();
      questions.close();
      boolean ended = instance.stop();
      report(sums, ended);
    }

    private void send() {
      try {
        exporters.send(
            new DialPace(second -> plan.isFlood(second) ? FLOOD * rate : rate),
            UdpSender.Listener.NONE);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void attack() {
      int floods = 0;
      try {
        while (second() < plan.calm()) {
          hostile.breakRules(BROKEN_A_TICK);
          if (floods < plan.templateFloods().size()
              && second() > plan.templateFloods().get(floods)) {
            hostile.sendTemplates(TEMPLATES_A_FLOOD);
            floods++;
          }
          LockSupport.parkNanos(TICK_NANOS);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void live() throws IOException {
      double nextLook = 0;
      double nextCollect = COLLECT_SECONDS;
      double nextLine = LINE_SECONDS;
      int nextKill = 0;
      lives.add(new Vitals(instance.pid()));
      while (second() < plan.end()) {
        Vitals life = lives.get(lives.size() - 1);
        if (nextKill < plan.kills().size() && second() > plan.kills().get(nextKill)) {
          instance.kill();
          kills++;
          instance.start();
          lives.add(new Vitals(instance.pid()));
          while (nextKill < plan.kills().size() && second() > plan.kills().get(nextKill)) {
            nextKill++; // kills due while it started
          }
        } else if (second() > nextCollect) {
          life.collect(context.directory().resolve("jcmd.out"));
          nextCollect = second() + COLLECT_SECONDS;
        } else if (second() > nextLook) {
          life.look();
          nextLook = second() + LOOK_SECONDS;
        }
        if (second() > nextLine) {
          line(life);
          nextLine += LINE_SECONDS;
        }
        LockSupport.parkNanos(TICK_NANOS);
      }
    }

    private void line(Vitals life) {
      Figure line =
          Figure.of(name() + ".minute", "datagrams", (double) exporters.sent(), "sent")
              .with("minute", Math.round(second() / 60))
              .with("kills", kills)
              .with("questions", questions.answered());
      for (Vitals.Kind kind : Vitals.Kind.values()) {
        line = line.with(kind.label(), Math.round(life.last(kind)));
      }
      context.report(line);
    }

    /** Waits until nothing is in flight and the ledger no longer changes. */
    private void awaitRest() throws IOException {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      JsonNode before = instance.patientApi().get("ledger");
      while (System.nanoTime() < deadline) {
        LockSupport.parkNanos(10 * TICK_NANOS);
        JsonNode now = instance.patientApi().get("ledger");
        if (inFlight(now) == 0 && now.path("exporters").equals(before.path("exporters"))) {
          return;
        }
        before = now;
      }
    }

    private static long inFlight(JsonNode ledger) {
      long inFlight = 0;
      for (JsonNode exporter : ledger.path("exporters")) {
        inFlight += Math.abs(exporter.path("in_flight").asLong());
      }
      return inFlight;
    }

    private Reconciliation reconcile() throws IOException {
      return new Reconciliation(
          instance.patientApi().get("ledger"),
          instance.patientApi().sql("SELECT exporter::VARCHAR, count(*) FROM flows GROUP BY ALL"));
    }

    private void report(Reconciliation sums, boolean ended) throws IOException {
      List<Truth> truth = exporters.truth();
      truth.forEach(sums::exporter);
      sums.templates(Hostile.TEMPLATES, hostile.templates());
      long unknown = sums.broken(Hostile.BREAKER, hostile.broken());
      sums.differences().forEach(difference -> context.progress().accept(difference));
      Figure figure =
          Figure.of(name(), "differences", sums.differences().size(), "sums")
              .with("seconds", Math.round(plan.end()))
              .with("seed", seedOption.value())
              .with("kills", kills)
              .with("floods", plan.floods().size())
              .with("sent", truth.stream().mapToLong(Truth::datagrams).sum())
              .with("records_sent", truth.stream().mapToLong(Truth::records).sum())
              .with("templates_sent", hostile.templates())
              .with("broken_sent", hostile.broken())
              .with("broken_unseen", unknown);
      for (String part :
          List.of(
              "stored",
              "malformed",
              "lost_before",
              "lost_while_down",
              "dropped_by_kernel",
              "dropped_by_us",
              "expired")) {
        figure = figure.with(part, sums.total(part));
      }
      context.report(figure.aiming(Figure.Target.atMost(0)));
      List<String> wrong = questions.wrong();
      context.report(
          Figure.of(name(), "wrong_answers", wrong.size(), "questions")
              .with("answered", questions.answered())
              .with("nobody_there", questions.unanswered())
              .with("slowest_s", questions.slowest().seconds())
              .with("slowest", questions.slowest().question())
              .aiming(Figure.Target.atMost(0)));
      vitals();
      List<String> faults = new ArrayList<>(sums.differences());
      wrong.stream().distinct().limit(5).forEach(faults::add);
      if (!ended) {
        faults.add("the process does not exit on SIGTERM");
      }
      if (!faults.isEmpty()) {
        throw new WrongResultException(String.join("; ", faults));
      }
    }

    private void vitals() {
      Vitals longest =
          lives.stream().max(Comparator.comparingDouble(Vitals::seconds)).orElseThrow();
      for (Vitals.Kind kind : Vitals.Kind.values()) {
        context.report(
            Figure.of(name(), kind.label() + "_rise", longest.rise(kind), "in last half")
                .with("last", Math.round(longest.last(kind)))
                .with("life_s", Math.round(longest.seconds()))
                .with("lives", lives.size())
                .aiming(Figure.Target.atMost(longest.mayRise(kind))));
      }
    }

    @Override
    public void close() throws IOException {
      exporters.stop();
      if (questions != null) {
        questions.close();
      }
      hostile.close();
      exporters.close();
    }
  }
}

package io.millrace.lab.siege;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rate;
import io.millrace.lab.harness.Seconds;
import io.millrace.lab.harness.Seed;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.traffic.Wire;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * Attacks by clients that reach every port: legitimate load continues while each attack runs for a
 * while, then all at once, then random mixes. All legitimate rows are stored except those that the
 * kernel demonstrably dropped, rate and freshness stay close to those without an attack, memory
 * stays within its budget, and all figures recover afterwards.
 *
 * <p>A product that does not recover is replaced, so that each attack is measured separately.
 */
public final class SiegeBenchmark extends Benchmark {
  @Mixin private final Seconds secondsOption = new Seconds();
  @Mixin private final Rate rateOption = new Rate();
  @Mixin private final Seed seedOption = new Seed();

  @Option(
      names = "--attack",
      paramLabel = "NAME",
      converter = AttackName.class,
      description =
          "An attack, all for all at once, or mix for random mixes; may be repeated. An unknown"
              + " name lists them.")
  private List<String> attacks = List.of();

  static final class AttackName implements ITypeConverter<String> {
    @Override
    public String convert(String name) {
      if (!Attacks.CASES.contains(name)) {
        throw new TypeConversionException(
            name + ": unknown attack, expected one of " + Attacks.CASES);
      }
      return name;
    }
  }

  private static final int SECONDS = 10;
  private static final double RATE = 50_000;
  private static final int MIXES = 2;
  private static final int MIN_OF_A_MIX = 3;
  private static final int MAX_OF_A_MIX = 6;
  private static final int MAX_BACK_SECONDS = 60;
  private static final int MIN_BACK_SECONDS = 5;

  /** Maximum time to recover, as a multiple of a phase. */
  private static final int BACK_TIMES = 5;

  /** Time between two phases, for data in flight and the accounting. */
  private static final int BETWEEN_SECONDS = 4;

  private static final double QUIET_SHARE = 0.9;
  private static final int START_SECONDS = 20;

  /** Time for JIT compilation, which takes half of two cores. */
  private static final int WARM_UP_SECONDS = 45;

  private static final int WARM_UP_TIMES = 4; // phases, if that is less
  private static final long IN_ALL_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final UnaryOperator<Wire> wire;

  public SiegeBenchmark() {
    this(UnaryOperator.identity());
  }

  /**
   * Creates a benchmark with wrapped sockets of the legitimate exporters.
   *
   * @param wire wraps a socket, for instance to test that losses are detected
   */
  public SiegeBenchmark(UnaryOperator<Wire> wire) {
    super("siege", "legitimate load while clients attack every port");
    this.wire = wire;
  }

  /** A planned phase, with its concurrent attacks. */
  private record Plan(String name, List<String> attacks) {}

  @Override
  public boolean isOnRequest() {
    return true;
  }

  /** Assumes that the product recovers at once. */
  @Override
  public Duration takes(BenchContext context) {
    int phases = plans(1).size() + 1;
    int each = secondsOption.or(SECONDS) + BETWEEN_SECONDS;
    return Duration.ofSeconds(START_SECONDS + WARM_UP_SECONDS + (long) phases * each);
  }

  @Override
  public void run(BenchContext context) throws Exception {
    long seed = seedOption.orRandom();
    List<Plan> plans = plans(seed);
    int seconds = secondsOption.or(SECONDS);
    tellTime(context, plans.size(), seconds, seed);
    try (Run run = new Run(context, plans, seconds, seed)) {
      run.all();
    }
  }

  private List<Plan> plans(long seed) {
    List<String> asked = attacks;
    List<Plan> plans = new ArrayList<>();
    for (String attack : Attacks.NAMES) {
      if (asked.isEmpty() || asked.contains(attack)) {
        plans.add(new Plan(attack, List.of(attack)));
      }
    }
    if (asked.isEmpty() && secondsOption.value() > 0) {
      plans.add(new Plan(Outcome.QUIET_AGAIN, List.of())); // the effect of the stored rows alone
    }
    if (asked.isEmpty() || asked.contains(Attacks.ALL)) {
      plans.add(new Plan(Attacks.ALL, Attacks.NAMES));
    }
    SplittableRandom random = new SplittableRandom(seed);
    for (int mix = 1; mix <= MIXES && (asked.isEmpty() || asked.contains(Attacks.MIX)); mix++) {
      List<String> drawn = new ArrayList<>(Attacks.NAMES);
      Collections.shuffle(drawn, new Random(random.nextLong()));
      int size = random.nextInt(MIN_OF_A_MIX, MAX_OF_A_MIX + 1);
      plans.add(new Plan(Attacks.MIX + "-" + mix, drawn.subList(0, size)));
    }
    return plans;
  }

  private void tellTime(BenchContext context, int phases, int seconds, long seed) {
    String line =
        String.format(
            Locale.ROOT,
            "%d phases of %d s, about %d min in total if the product recovers at once; seed %d",
            phases + 1,
            seconds,
            Math.max(1, Math.round(takes(context).toSeconds() / 60.0)),
            seed);
    context.lines().accept(line);
    context.progress().accept(line);
  }

  private final class Run implements AutoCloseable {
    private final BenchContext context;
    private final List<Plan> plans;
    private final int seconds;
    private final long seed;
    private final long startNanos = System.nanoTime();
    private final List<String> missed = new ArrayList<>();
    private Stand stand;
    private Outcome quiet;
    private int stands;

    Run(BenchContext context, List<Plan> plans, int seconds, long seed) {
      this.context = context;
      this.plans = plans;
      this.seconds = seconds;
      this.seed = seed;
    }

    void all() throws IOException {
      begin();
      quiet = phase(Outcome.QUIET, List.of(), plans.size() + 1);
      tell(quiet);
      checkQuiet();
      for (int i = 0; i < plans.size(); i++) {
        Plan plan = plans.get(i);
        if (leftSeconds() < seconds + BETWEEN_SECONDS) {
          missed.add((plans.size() - i) + " phases skipped for lack of time, see --seconds");
          break;
        }
        if (stand == null && !hasBegun()) {
          missed.add(plan.name() + ", before which the product did not start");
          continue;
        }
        Outcome outcome = phase(plan.name(), plan.attacks(), plans.size() - i);
        tell(outcome);
        if (!outcome.fate().isEmpty() || Double.isInfinite(outcome.backSeconds())) {
          close();
        }
      }
      if (!missed.isEmpty()) {
        throw new WrongResultException("missed: " + String.join("; ", missed));
      }
    }

    /** A quiet run below the requested rate makes the comparisons meaningless. */
    private void checkQuiet() {
      double asked = rateOption.or(RATE);
      if (quiet.rate() < QUIET_SHARE * asked) {
        missed.add(
            String.format(
                Locale.ROOT,
                "quiet rate %,.0f of %,.0f rows/s: this machine is too slow or busy",
                quiet.rate(),
                asked));
      }
    }

    private boolean hasBegun() {
      try {
        begin();
        return true;
      } catch (IOException e) {
        context.progress().accept("start failed: " + e.getMessage());
        return false;
      }
    }

    /** Starts the product and runs it without attacks while its code is compiled. */
    private void begin() throws IOException {
      stands++;
      context.progress().accept(stands == 1 ? "starting" : "no recovery: restarting");
      stand =
          new Stand(
              context.directory().resolve("siege-" + stands), rateOption.or(RATE), seed, wire);
      int warmUp = Math.min(WARM_UP_SECONDS, WARM_UP_TIMES * seconds);
      var unused = new Phase(stand, "warm-up", List.of(), warmUp, 0).run(null, seed);
    }

    private Outcome phase(String name, List<String> attacks, int left) throws IOException {
      context.progress().accept(name + " for " + seconds + " s");
      int each = seconds + BETWEEN_SECONDS + MIN_BACK_SECONDS;
      int spare = leftSeconds() - left * each; // for the first phases that need it
      int most = Math.min(MAX_BACK_SECONDS, BACK_TIMES * seconds);
      int mostBack = Math.max(MIN_BACK_SECONDS, Math.min(most, MIN_BACK_SECONDS + spare));
      return new Phase(stand, name, attacks, seconds, mostBack).run(quiet, seed);
    }

    /** Seconds left of ten minutes; unlimited if the length of a phase is given. */
    private int leftSeconds() {
      long left = IN_ALL_NANOS - (System.nanoTime() - startNanos);
      return secondsOption.value() > 0
          ? Integer.MAX_VALUE / 2
          : (int) TimeUnit.NANOSECONDS.toSeconds(left);
    }

    private void tell(Outcome outcome) {
      context.lines().accept(outcome.line(quiet));
      context.progress().accept(outcome.line(quiet));
      for (Figure figure : outcome.figures(quiet)) {
        context.report(figure);
        if (figure.target().filter(target -> !target.isMetBy(figure.value())).isPresent()) {
          missed.add(
              String.format(
                  Locale.ROOT,
                  "%s of %s (%.4g)",
                  figure.metric(),
                  outcome.attack(),
                  figure.value()));
        }
      }
    }

    @Override
    public void close() throws IOException {
      if (stand != null) {
        stand.close();
        stand = null;
      }
    }
  }
}

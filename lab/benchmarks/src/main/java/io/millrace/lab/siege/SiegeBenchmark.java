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
 * while, then all at once, then some by chance. Legitimate rows are all stored but for those that
 * the kernel is proved to have dropped, they come about as fast and as fresh as without an attack,
 * memory stays within its budget, and when it is over all is as before.
 *
 * <p>A product that does not recover is ended, and the next phase has a new one, so that each
 * attack is seen for itself.
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
          "An attack, all for all at once or mix for some by chance; may be repeated. An unknown"
              + " name lists them.")
  private List<String> attacks = List.of();

  static final class AttackName implements ITypeConverter<String> {
    @Override
    public String convert(String name) {
      if (!Attacks.CASES.contains(name)) {
        throw new TypeConversionException(name + " is not one of " + Attacks.CASES);
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

  /** After a short phase what was before is not waited for as long as after a long one. */
  private static final int BACK_TIMES = 5;

  /** From the end of a phase to the next: what is on its way, sums, what is left. */
  private static final int BETWEEN_SECONDS = 4;

  private static final double QUIET_SHARE = 0.9;
  private static final int START_SECONDS = 20;

  /** By then the JVM has compiled what it will: before, it takes half of what two cores give. */
  private static final int WARM_UP_SECONDS = 45;

  private static final int WARM_UP_TIMES = 4; // of a phase, where that is less
  private static final long IN_ALL_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final UnaryOperator<Wire> wire;

  /** With sockets as they are. */
  public SiegeBenchmark() {
    this(UnaryOperator.identity());
  }

  /**
   * With something between the legitimate exporters and their sockets.
   *
   * @param wire what that is: one that loses, for who checks whether losses are seen
   */
  public SiegeBenchmark(UnaryOperator<Wire> wire) {
    super("siege", "legitimate load while clients attack every port");
    this.wire = wire;
  }

  /** A phase to come: its name, and the attacks that run in it. */
  private record Plan(String name, List<String> attacks) {}

  @Override
  public boolean isOnRequest() {
    return true;
  }

  /** Where the product recovers at once. */
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
      plans.add(new Plan(Outcome.QUIET_AGAIN, List.of())); // what all the rows do by themselves
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
            "%d phases of %d s, about %d min in all where the product recovers at once; seed %d",
            phases + 1,
            seconds,
            Math.max(1, Math.round(takes(context).toSeconds() / 60.0)),
            seed);
    context.lines().accept(line);
    context.progress().accept(line);
  }

  /** One siege. */
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
          missed.add((plans.size() - i) + " phases for which no time was left: --seconds gives it");
          break;
        }
        if (stand == null && !hasBegun()) {
          missed.add(plan.name() + ", before which the product did not come up");
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

    /** What is compared with a quiet run that was none means little. */
    private void checkQuiet() {
      double asked = rateOption.or(RATE);
      if (quiet.rate() < QUIET_SHARE * asked) {
        missed.add(
            String.format(
                Locale.ROOT,
                "the quiet run itself: %,.0f of %,.0f rows/s, so this machine is too slow or does"
                    + " other things",
                quiet.rate(),
                asked));
      }
    }

    private boolean hasBegun() {
      try {
        begin();
        return true;
      } catch (IOException e) {
        context.progress().accept("does not come up: " + e.getMessage());
        return false;
      }
    }

    /** Starts the product and has it run for a while as it will: code is compiled meanwhile. */
    private void begin() throws IOException {
      stands++;
      context.progress().accept(stands == 1 ? "starts" : "does not recover: restarts");
      stand =
          new Stand(
              context.directory().resolve("siege-" + stands), rateOption.or(RATE), seed, wire);
      int warmUp = Math.min(WARM_UP_SECONDS, WARM_UP_TIMES * seconds);
      var unused = new Phase(stand, "warm-up", List.of(), warmUp, 0).run(null, seed);
    }

    private Outcome phase(String name, List<String> attacks, int left) throws IOException {
      context.progress().accept(name + " for " + seconds + " s");
      int each = seconds + BETWEEN_SECONDS + MIN_BACK_SECONDS;
      int spare = leftSeconds() - left * each; // for who needs it first: most need none
      int most = Math.min(MAX_BACK_SECONDS, BACK_TIMES * seconds);
      int mostBack = Math.max(MIN_BACK_SECONDS, Math.min(most, MIN_BACK_SECONDS + spare));
      return new Phase(stand, name, attacks, seconds, mostBack).run(quiet, seed);
    }

    /** By default ten minutes are enough; who says how long a phase is has the time. */
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

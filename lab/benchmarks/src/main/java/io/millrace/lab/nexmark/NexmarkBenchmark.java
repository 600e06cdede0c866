package io.millrace.lab.nexmark;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Benchmark;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.Rows;
import io.millrace.lab.harness.WrongResultException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine.Mixin;

/**
 * Queries 13 and 19 of Nexmark on blocks, as jobs of the embedded engine with two slots and
 * checkpoints. Each query is first checked row by row on some of the events.
 *
 * <p>A rate counts all events, including those that a query ignores, as the public figures do. The
 * rate per core divides it by the average number of busy cores: processor time of the whole
 * process, including generator, garbage collector, compiler and Flink's own threads, divided by the
 * elapsed time. That corresponds to the public "throughput / cores" of the TaskManager processes.
 */
public final class NexmarkBenchmark extends Benchmark {
  @Mixin private final Rows rowsOption = new Rows();

  private static final long SEED = 19;
  private static final long DEFAULT_EVENTS = 10_000_000;
  private static final long CHECKED_EVENTS = 1_000_000;
  private static final int ROUNDS = 3;

  /** Flink SQL 1.13, events/s per core, from the public benchmark's page. */
  private static final double PUBLISHED_Q13 = 130_730;

  private static final double PUBLISHED_Q19 = 44_040;

  public NexmarkBenchmark() {
    super(
        "nexmark",
        "Nexmark's q13 (side-input join) and q19 (top 10 per key) on blocks, events per core",
        Duration.ofMinutes(2));
  }

  @Override
  public void run(BenchContext context) {
    long batches = Math.max(NexmarkRun.SLOTS, rowsOption.or(DEFAULT_EVENTS) / EventBlocks.EVENTS);
    NexmarkGenerator generator = new NexmarkGenerator(SEED);
    try (NexmarkRun run = new NexmarkRun(context.directory().resolve("flink"), SEED)) {
      check(context, run, generator, Math.min(batches, CHECKED_EVENTS / EventBlocks.EVENTS));
      measure(context, run, NexmarkQuery.GENERATOR, batches, 0);
      measure(context, run, NexmarkQuery.Q13, batches, PUBLISHED_Q13);
      measure(context, run, NexmarkQuery.Q19, batches, PUBLISHED_Q19);
    }
  }

  /** Checks both queries, which also warms up. */
  private static void check(
      BenchContext context, NexmarkRun run, NexmarkGenerator generator, long batches) {
    context.progress().accept("checking " + batches * EventBlocks.EVENTS + " events");
    JoinCheck join = new JoinCheck();
    run.run(NexmarkQuery.Q13, batches, join);
    join.check(generator, batches);
    TopBidsCheck top = new TopBidsCheck();
    run.run(NexmarkQuery.Q19, batches, top);
    top.check(generator, batches);
  }

  private void measure(
      BenchContext context, NexmarkRun run, NexmarkQuery query, long batches, double published) {
    long events = batches * EventBlocks.EVENTS;
    double[] rates = new double[ROUNDS];
    double[] perCore = new double[ROUNDS];
    long expected = expected(query, batches);
    double results = 0;
    for (int round = 0; round < ROUNDS; round++) {
      context.progress().accept(query + ", round " + (round + 1) + " of " + ROUNDS);
      InsertCounter counter = new InsertCounter(query);
      Delivery delivery = run.run(query, batches, counter);
      WrongResultException.check(query + " results", expected, counter.count());
      rates[round] = events / delivery.seconds();
      perCore[round] = events / delivery.cpuSeconds();
      results = delivery.rows();
    }
    double rate = BenchContext.median(rates);
    double rateACore = BenchContext.median(perCore);
    context.report(figure(query, "rate", rate, events));
    Figure core =
        figure(query, "rate_per_core", rateACore, events)
            .with("cores", Math.round(100 * rate / rateACore) / 100.0)
            .with("results_per_event", Math.round(100 * results / events) / 100.0)
            .with("worst", Math.round(Arrays.stream(perCore).min().orElseThrow()))
            .with("best", Math.round(Arrays.stream(perCore).max().orElseThrow()));
    context.report(published == 0 ? core : core.aiming(Figure.Target.atLeast(published)));
  }

  private static long expected(NexmarkQuery query, long batches) {
    return switch (query) {
      case GENERATOR -> batches * EventBlocks.EVENTS;
      case Q13 -> batches * EventBlocks.EPOCHS * NexmarkGenerator.BIDS;
      case Q19 -> TopBidsCheck.ranks(new NexmarkGenerator(SEED), batches);
    };
  }

  private Figure figure(NexmarkQuery query, String metric, double value, long events) {
    return Figure.of(name(), metric, value, "events")
        .with("query", query.name().toLowerCase(Locale.ROOT))
        .with("events", events)
        .with("slots", NexmarkRun.SLOTS)
        .with("checkpoint_s", NexmarkRun.CHECKPOINTS.toSeconds())
        .with("rounds", ROUNDS);
  }
}

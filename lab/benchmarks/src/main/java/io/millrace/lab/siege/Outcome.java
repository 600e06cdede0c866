package io.millrace.lab.siege;

import io.millrace.lab.harness.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measurements of a phase.
 *
 * @param attack name of the attack; {@code quiet} for none
 * @param of attacks that ran at once, if several
 * @param strikes completed rounds of the attacks
 * @param rejected rounds ended by a refused or broken connection
 * @param sent rows that the legitimate exporters sent
 * @param stored of these, rows in the table
 * @param kernelLost rows that the kernel demonstrably dropped
 * @param gatewaysLost records acknowledged to legitimate gateways and in no total
 * @param gatewayFailures number of gateway senders that failed
 * @param gatewayRate gateway records acknowledged per second
 * @param rate rows that became visible per second
 * @param p99Millis 99th percentile of freshness
 * @param rssMib peak of resident memory
 * @param pauseMillis longest time since the start of a completed checkpoint
 * @param metricsMillis 90th percentile of the response time of {@code /metrics}
 * @param topMillis the same of top-N queries; NaN if none ended
 * @param backSeconds from the end of the attack to figures as in the quiet phase; infinite if never
 * @param cores processor use during the attack
 * @param after resources in use afterwards
 * @param fate of a process that is gone or unresponsive; empty otherwise
 */
record Outcome(
    String attack,
    List<String> of,
    long strikes,
    long rejected,
    long sent,
    long stored,
    long kernelLost,
    long gatewaysLost,
    long gatewayFailures,
    double gatewayRate,
    double rate,
    double p99Millis,
    double rssMib,
    double pauseMillis,
    double metricsMillis,
    double topMillis,
    double backSeconds,
    Cores cores,
    After after,
    String fate) {
  static final String QUIET = "quiet";
  static final String QUIET_AGAIN = "quiet-again";

  private static final String BENCH = "siege";

  /** Replaces values that JSON lacks, infinity and NaN. */
  private static final double NEVER = 1e6;

  private static final double MIN_RATIO = 0.8;
  private static final double MAX_P99_RATIO = 3;
  private static final double MAX_METRICS_MILLIS = 250;
  private static final double MAX_BACK_SECONDS = 60;
  private static final double MAX_KERNEL_SHARE = 0.0001;
  private static final double MORE_CHECKPOINT_MIB = 64;
  private static final double MORE_HEAP_MIB = 256;

  /** Three for each of at most 1,000 exporters that the metrics name, and others. */
  private static final int MORE_SERIES = 3_500;

  /**
   * Average number of busy processors.
   *
   * @param product in the product, including work that the attackers cause
   * @param attackers in the attackers themselves, which otherwise have their own processors
   */
  record Cores(double product, double attackers) {}

  /**
   * Resources in use when all is stored and nobody sends.
   *
   * @param storeMib on disk, legitimate rows included
   * @param checkpointMib size of the last checkpoint
   * @param series number of values of {@code /metrics}
   * @param heapMib heap after a full collection; NaN if unknown
   */
  record After(double storeMib, double checkpointMib, int series, double heapMib) {}

  /** Rows and records lost, except by the kernel; duplicate rows count too. */
  long lost() {
    return Math.abs(sent - stored - kernelLost) + Math.max(0, gatewaysLost);
  }

  /** The smaller of the rates of rows and records, relative to the quiet run. */
  double ratio(Outcome quiet) {
    double least = Math.min(rate / quiet.rate, gatewayRate / quiet.gatewayRate);
    return Double.isNaN(least) ? 0 : least; // the quiet run had no rate either
  }

  double p99Ratio(Outcome quiet) {
    return p99Millis / quiet.p99Millis;
  }

  /** Whether current figures are like those of the quiet run. */
  static boolean isQuiet(
      Outcome quiet, double rate, double p99Millis, double metricsMillis, double checkpointAge) {
    return rate >= MIN_RATIO * quiet.rate
        && p99Millis <= MAX_P99_RATIO * quiet.p99Millis
        && metricsMillis <= Math.max(MAX_METRICS_MILLIS, MAX_P99_RATIO * quiet.metricsMillis)
        && checkpointAge <= MAX_P99_RATIO * quiet.pauseMillis;
  }

  /** The figures with their targets. */
  List<Figure> figures(Outcome quiet) {
    List<Figure> figures = new ArrayList<>();
    figures.add(
        figure("lost_rows", (double) lost(), "rows")
            .with("sent", sent)
            .with("stored", stored)
            .with("of_gateways", gatewaysLost)
            .with("strikes", strikes)
            .with("rejected", rejected)
            .with("fate", fate)
            .aiming(Figure.Target.atMost(0)));
    figures.add(
        figure("kernel_lost_rows", (double) kernelLost, "rows")
            .aiming(Figure.Target.atMost(MAX_KERNEL_SHARE * sent)));
    figures.add(
        figure("ratio", ratio(quiet), "of the quiet rate")
            .with("rate", Math.round(rate))
            .with("gateway_rate", Math.round(gatewayRate))
            .with("gateway_failures", gatewayFailures)
            .with("product_cores", rounded(cores.product))
            .with("attackers_cores", rounded(cores.attackers))
            .aiming(Figure.Target.atLeast(MIN_RATIO)));
    figures.add(
        figure("p99_ratio", p99Ratio(quiet), "times quiet")
            .with("p99_ms", Math.round(p99Millis))
            .aiming(Figure.Target.atMost(MAX_P99_RATIO)));
    figures.add(figure("rss_mib", rssMib, "MiB").aiming(Figure.Target.atMost(Stand.BUDGET_MIB)));
    figures.add(figure("pause_ms", pauseMillis, "ms"));
    figures.add(
        figure("metrics_ms", metricsMillis, "ms").aiming(Figure.Target.atMost(MAX_METRICS_MILLIS)));
    if (!Double.isNaN(topMillis)) {
      figures.add(figure("top_ms", topMillis, "ms"));
    }
    figures.add(figure("back_s", backSeconds, "s").aiming(Figure.Target.atMost(MAX_BACK_SECONDS)));
    left(
        figures,
        "checkpoint_mib",
        after.checkpointMib,
        quiet.after.checkpointMib,
        MORE_CHECKPOINT_MIB);
    left(figures, "series", after.series, quiet.after.series, MORE_SERIES);
    left(figures, "heap_mib", after.heapMib, quiet.after.heapMib, MORE_HEAP_MIB);
    figures.add(figure("store_mib", after.storeMib, "MiB"));
    return figures;
  }

  private static double rounded(double value) {
    return Math.round(value * 100) / 100.0;
  }

  private void left(List<Figure> figures, String metric, double value, double before, double more) {
    if (!Double.isNaN(value)) {
      Figure figure = figure(metric, value, "left afterwards");
      figures.add(
          Double.isNaN(before) ? figure : figure.aiming(Figure.Target.atMost(before + more)));
    }
  }

  private Figure figure(String metric, double value, String unit) {
    Figure figure =
        Figure.of(BENCH, metric, Double.isFinite(value) ? value : NEVER, unit)
            .with("attack", attack);
    return of.isEmpty() ? figure : figure.with("of", of);
  }

  /** The outcome as a line of text. */
  String line(Outcome quiet) {
    return String.format(
        Locale.ROOT,
        "%-10s lost %,d, kernel %,d, rate %.2f, p99 x%.1f, rss %,.0f MiB, pause %.1f s,"
            + " /metrics %.0f ms, top %.0f ms, %s%s",
        attack,
        lost(),
        kernelLost,
        ratio(quiet),
        p99Ratio(quiet),
        rssMib,
        pauseMillis / 1_000,
        metricsMillis,
        topMillis,
        Double.isInfinite(backSeconds)
            ? "not recovered"
            : String.format(Locale.ROOT, "recovered after %.0f s", backSeconds),
        fate.isEmpty() ? "" : ", " + fate);
  }
}

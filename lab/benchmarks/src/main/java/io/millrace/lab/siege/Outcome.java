package io.millrace.lab.siege;

import io.millrace.lab.harness.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What was seen of a phase.
 *
 * @param attack its name; {@code quiet} for none
 * @param of the attacks of a mix
 * @param strikes rounds of the attacks
 * @param rejected rounds that a refused or broken connection ended
 * @param sent rows that the legitimate exporters sent
 * @param stored of these, rows that are in the table
 * @param kernelLost rows that the kernel is proved to have dropped
 * @param gatewaysLost records acknowledged to legitimate gateways and in no total
 * @param gatewayFailures how often a gateway's client had to give up
 * @param gatewayRate records a second acknowledged to the gateways
 * @param rate rows a second that became visible
 * @param p99Millis freshness
 * @param rssMib the most resident memory
 * @param pauseMillis longest time since a completed checkpoint was begun
 * @param metricsMillis of {@code /metrics}
 * @param topMillis of a table of the largest groups
 * @param backSeconds from the end of the attack until all was as in the quiet; infinite if never
 * @param cores processor time that was taken during the attack
 * @param after what is left when it is over
 * @param fate of the process; empty if it lives
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

  /** Stands for what does not come, since JSON has no word for it. */
  private static final double NEVER = 1e6;

  private static final double MIN_RATIO = 0.8;
  private static final double MAX_P99_RATIO = 3;
  private static final double MAX_METRICS_MILLIS = 250;
  private static final double MAX_BACK_SECONDS = 60;
  private static final double MAX_KERNEL_SHARE = 0.0001;
  private static final double MORE_CHECKPOINT_MIB = 64;
  private static final double MORE_HEAP_MIB = 256;

  /**
   * Three of each exporter that keeps a ledger of its own, of which there are 5,000 at the most.
   */
  private static final int MORE_SERIES = 15_000;

  /**
   * Processors that were busy on the average.
   *
   * @param product with the product's work, that for the attackers too
   * @param attackers with what the attackers did themselves, who elsewhere have processors of their
   *     own
   */
  record Cores(double product, double attackers) {}

  /**
   * What is kept when all is stored and nobody sends.
   *
   * @param storeMib on disk, legitimate rows included
   * @param checkpointMib the last checkpoint
   * @param series of {@code /metrics}
   * @param heapMib what a full collection leaves; NaN if unknown
   */
  record After(double storeMib, double checkpointMib, int series, double heapMib) {}

  /** Rows and records lost, except by the kernel; duplicate rows count too. */
  long lost() {
    return Math.abs(sent - stored - kernelLost) + Math.max(0, gatewaysLost);
  }

  /** The lesser of rows' and records' rates over those of the quiet run. */
  double ratio(Outcome quiet) {
    double least = Math.min(rate / quiet.rate, gatewayRate / quiet.gatewayRate);
    return Double.isNaN(least) ? 0 : least; // nothing came in the quiet either
  }

  double p99Ratio(Outcome quiet) {
    return p99Millis / quiet.p99Millis;
  }

  /** Whether figures of now are like those of the quiet run. */
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

  /** One line for who reads. */
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
            ? "not back"
            : String.format(Locale.ROOT, "back after %.0f s", backSeconds),
        fate.isEmpty() ? "" : ", " + fate);
  }
}

package io.millrace.bench.recovery;

import io.millrace.bench.harness.Figure;
import io.millrace.bench.harness.Figure.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * How a case went.
 *
 * @param target what was hit
 * @param rate samples a second that were offered
 * @param failed samples that the log did not take in time, of those offered
 */
record CaseResult(
    Failure failure,
    String target,
    double rate,
    long failed,
    Recovery recovery,
    TableComparison comparison) {
  private static final String BENCH = "recovery";
  private static final Target OUTPUT = Target.atMost(3);
  private static final Target CAUGHT_UP = Target.atMost(8);

  /** A line, and more where something is wrong. */
  void tell(Consumer<String> lines) {
    lines.accept(
        String.format(
            Locale.ROOT,
            "%-30s detect %s  restart %s  output again %s  replay %s  caught up %s  rows %,d: %,d missing, %,d doubled, %,d different  (%s)",
            failure.label(),
            text(recovery.detected()),
            text(recovery.running()),
            text(recovery.output()),
            text(recovery.replayed()),
            text(recovery.caughtUp()),
            comparison.rows(),
            comparison.missing(),
            comparison.doubled(),
            comparison.different(),
            target));
    comparison.examples().forEach(example -> lines.accept("  ! " + example));
    if (failed > 0) {
      lines.accept(
          String.format(
              Locale.ROOT,
              "  ! the log did not take %,d samples in time: they may be in it",
              failed));
    }
  }

  private static String text(OptionalLong micros) {
    return micros.isPresent()
        ? String.format(Locale.ROOT, "%4.1f s", micros.getAsLong() / 1e6)
        : "   –  ";
  }

  /** For scripts. Times are seconds behind the failure. */
  List<Figure> figures() {
    List<Figure> figures = new ArrayList<>();
    boolean hasTarget = failure == Failure.TASKMANAGER;
    recovery
        .output()
        .ifPresent(
            micros -> {
              Figure figure = figure("output_again_s", micros / 1e6, "s");
              figure = with(figure, "detect_s", recovery.detected());
              figure = with(figure, "deploy_s", recovery.deployed());
              figure = with(figure, "restart_s", recovery.running());
              figure = with(figure, "replay_s", recovery.replayed());
              figure = figure.with("silence_s", seconds(recovery.silence()));
              figures.add(hasTarget ? figure.aiming(OUTPUT) : figure);
            });
    recovery
        .caughtUp()
        .ifPresent(
            micros -> {
              Figure figure = figure("caught_up_s", micros / 1e6, "s");
              figures.add(hasTarget ? figure.aiming(CAUGHT_UP) : figure);
            });
    figures.add(
        figure(
                "wrong_rows",
                (double) (comparison.missing() + comparison.doubled() + comparison.different()),
                "rows")
            .with("rows", comparison.rows())
            .aiming(Target.atMost(0)));
    return figures;
  }

  private Figure figure(String metric, double value, String unit) {
    return Figure.of(BENCH, metric, value, unit)
        .with("case", failure.option())
        .with("samples_per_second", Math.round(rate));
  }

  private static Figure with(Figure figure, String name, OptionalLong micros) {
    return micros.isPresent() ? figure.with(name, seconds(micros.getAsLong())) : figure;
  }

  private static double seconds(long micros) {
    return Math.round(micros / 1e4) / 100.0;
  }
}

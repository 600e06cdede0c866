package io.millrace.lab.recovery;

import io.millrace.lab.harness.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Result of a case.
 *
 * @param target what failed
 * @param rate samples offered per second
 * @param failed of these samples, those that the log did not acknowledge in time
 */
record CaseResult(
    Failure failure,
    String target,
    double rate,
    long failed,
    Recovery recovery,
    TableComparison comparison) {
  private static final String BENCH = "recovery";
  private static final Map<String, Figure.Target> TARGETS =
      Map.of(
          Recovery.OUTPUT_METRIC, Figure.Target.atMost(3),
          Recovery.CAUGHT_UP_METRIC, Figure.Target.atMost(8));

  /** Prints a line, and more if something is wrong. */
  void tell(Consumer<String> lines) {
    lines.accept(
        String.format(
            Locale.ROOT,
            "%-30s %s  rows %,d: %,d missing, %,d duplicated, %,d different  (%s)",
            failure.label(),
            recovery.text(),
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
              "  ! the log did not acknowledge %,d samples in time; it may have stored them",
              failed));
    }
  }

  /** The figures; times are in seconds after the failure. */
  List<Figure> figures() {
    Figure wrong =
        Figure.of(
                BENCH,
                "wrong_rows",
                (double) (comparison.missing() + comparison.doubled() + comparison.different()),
                "rows")
            .with("case", failure.option())
            .with("samples_per_second", Math.round(rate));
    List<Figure> figures = new ArrayList<>();
    for (Figure figure : recovery.figures(wrong)) {
      Figure.Target target = TARGETS.get(figure.metric());
      figures.add(failure == Failure.TASKMANAGER ? figure.aiming(target) : figure);
    }
    figures.add(wrong.with("rows", comparison.rows()).aiming(Figure.Target.atMost(0)));
    return figures;
  }
}

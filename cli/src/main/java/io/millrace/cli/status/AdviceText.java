package io.millrace.cli.status;

import io.millrace.engine.advice.Advice;
import io.millrace.engine.advice.Advice.OnStep;
import io.millrace.engine.advice.Advice.Verdict;
import java.io.PrintWriter;
import java.util.Locale;

/** Prints advice: one line for each step and for each finding about hosts. */
public final class AdviceText {
  private AdviceText() {}

  /** Prints the advice. */
  public static void print(Advice advice, PrintWriter out) {
    if (advice.steps().isEmpty()) {
      out.println("no job is running; nothing to recommend");
    }
    int width = 0;
    for (OnStep step : advice.steps()) {
      width = Math.max(width, name(step).length());
    }
    for (OnStep step : advice.steps()) {
      out.printf(
          Locale.ROOT,
          "%-" + width + "s  %-4s  %-8s  %s%n",
          name(step),
          step.verdict().name().toLowerCase(Locale.ROOT),
          step.verdict() == Verdict.KEEP
              ? Integer.toString(step.parallelism())
              : step.parallelism() + " → " + step.suggested(),
          step.reason());
    }
    advice.notes().forEach(note -> out.println("! " + note));
    out.flush();
  }

  private static String name(OnStep step) {
    return step.job() + ": " + step.step();
  }
}

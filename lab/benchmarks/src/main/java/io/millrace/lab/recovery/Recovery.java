package io.millrace.lab.recovery;

import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Times of a recovery in microseconds after the failure; empty if the event did not occur.
 *
 * @param detected the job no longer runs, or another JobManager leads
 * @param deployed the first subtask of the execution that continues is sent to a TaskManager
 * @param running the last of its subtasks runs
 * @param output the table grows by rows of that execution; if the job was not stopped, the end of
 *     the longest silence
 * @param replayed a row is visible that arrived after the failure and after the job had stopped:
 *     rows that unaffected subtasks store before they are stopped do not count
 * @param caughtUp start of {@link #STEADY_MICROS} in which the newest row is as fresh, and as few
 *     rows are pending, as before the failure
 * @param silence longest time without a newer visible row
 */
record Recovery(
    OptionalLong detected,
    OptionalLong deployed,
    OptionalLong running,
    OptionalLong output,
    OptionalLong replayed,
    OptionalLong caughtUp,
    long silence) {
  /** Time for which the output must be as before. */
  static final long STEADY_MICROS = 2_000_000;

  /** Delays below this count as normal: a checkpoint takes as much. */
  private static final long USUAL_MICROS = 500_000;

  /** The metric of {@link #output}. */
  static final String OUTPUT_METRIC = "output_again_s";

  /** The metric of {@link #caughtUp}. */
  static final String CAUGHT_UP_METRIC = "caught_up_s";

  /** The times as text. */
  String text() {
    return "detect %s  restart %s  output again %s  replay %s  caught up %s"
        .formatted(text(detected), text(running), text(output), text(replayed), text(caughtUp));
  }

  private static String text(OptionalLong micros) {
    return micros.isPresent()
        ? String.format(Locale.ROOT, "%4.1f s", micros.getAsLong() / 1e6)
        : "   –  ";
  }

  /**
   * Figures of {@link #OUTPUT_METRIC} and {@link #CAUGHT_UP_METRIC}, if they occurred, in seconds
   * after the failure.
   *
   * @param like a figure with the benchmark's name and the conditions
   */
  List<Figure> figures(Figure like) {
    List<Figure> figures = new ArrayList<>();
    output.ifPresent(
        micros -> {
          Figure figure = seconds(like, OUTPUT_METRIC, micros);
          figure = with(figure, "detect_s", detected);
          figure = with(figure, "deploy_s", deployed);
          figure = with(figure, "restart_s", running);
          figure = with(figure, "replay_s", replayed);
          figures.add(figure.with("silence_s", seconds(silence)));
        });
    caughtUp.ifPresent(micros -> figures.add(seconds(like, CAUGHT_UP_METRIC, micros)));
    return figures;
  }

  private static Figure seconds(Figure like, String metric, long micros) {
    return new Figure(like.bench(), metric, micros / 1e6, "s", like.params(), Optional.empty());
  }

  private static Figure with(Figure figure, String name, OptionalLong micros) {
    return micros.isPresent() ? figure.with(name, seconds(micros.getAsLong())) : figure;
  }

  private static double seconds(long micros) {
    return Math.round(micros / 1e4) / 100.0;
  }

  /**
   * State before the failure.
   *
   * @param delayMicros median age of the newest row
   * @param lagRows median number of logged rows that were not visible yet
   */
  record Before(long delayMicros, long lagRows) {
    static Before of(List<OutputWatch.Look> looks) {
      return new Before(
          (long) median(looks.stream().mapToDouble(Before::delay).toArray()),
          (long) median(looks.stream().mapToDouble(Before::lag).toArray()));
    }

    private static double median(double[] values) {
      return values.length == 0 ? Double.MAX_VALUE : BenchContext.median(values);
    }

    private static double delay(OutputWatch.Look look) {
      return look.newestMicros() == Long.MIN_VALUE
          ? Double.MAX_VALUE
          : look.atMicros() - look.newestMicros();
    }

    private static double lag(OutputWatch.Look look) {
      return look.logged() - look.rows();
    }

    /** Whether a sample is no worse than twice the state before, or than normal. */
    boolean isReachedBy(OutputWatch.Look look, double rate) {
      return delay(look) <= Math.max(2.0 * delayMicros, USUAL_MICROS)
          && lag(look) <= Math.max(2.0 * lagRows, rate * USUAL_MICROS / 1e6);
    }
  }

  /**
   * Computes the times.
   *
   * @param failedMicros time of the failure since the epoch
   * @param steps steps of the job since then
   * @param looks samples since then
   * @param before state before the failure
   * @param rate rows per second
   */
  static Recovery of(
      long failedMicros,
      List<JobLog.Step> steps,
      List<OutputWatch.Look> looks,
      Before before,
      double rate) {
    OptionalLong detected =
        steps.stream()
            .filter(step -> step.kind() == JobLog.Kind.STOPPED || step.kind() == JobLog.Kind.LEADS)
            .mapToLong(JobLog.Step::atMicros)
            .filter(at -> at >= failedMicros)
            .findFirst();
    long stopped = detected.orElse(failedMicros);
    Silence silence = Silence.longest(failedMicros, looks);
    OptionalLong replayed =
        looks.stream()
            .filter(look -> detected.isPresent() && look.newestMicros() > stopped)
            .mapToLong(OutputWatch.Look::atMicros)
            .findFirst();
    long until = replayed.orElse(Long.MAX_VALUE);
    OptionalLong running = last(steps, JobLog.Kind.RUNS, stopped, until);
    OptionalLong lifeBegan = last(steps, JobLog.Kind.STOPPED, stopped, until);
    OptionalLong deployed =
        steps.stream()
            .filter(step -> step.kind() == JobLog.Kind.DEPLOYED)
            .mapToLong(JobLog.Step::atMicros)
            .filter(at -> at >= lifeBegan.orElse(stopped) && at <= until)
            .findFirst();
    OptionalLong output =
        detected.isPresent() ? growth(looks, running.orElse(stopped)) : silence.end();
    OptionalLong fresh = detected.isPresent() ? replayed : output;
    return new Recovery(
        behind(detected, failedMicros),
        behind(deployed, failedMicros),
        behind(running, failedMicros),
        behind(output, failedMicros),
        behind(replayed, failedMicros),
        behind(caughtUp(looks, fresh, before, rate), failedMicros),
        silence.micros());
  }

  private static OptionalLong last(
      List<JobLog.Step> steps, JobLog.Kind kind, long from, long until) {
    return steps.stream()
        .filter(step -> step.kind() == kind)
        .mapToLong(JobLog.Step::atMicros)
        .filter(at -> at >= from && at <= until)
        .max();
  }

  private static OptionalLong behind(OptionalLong at, long failedMicros) {
    return at.isPresent() ? OptionalLong.of(at.getAsLong() - failedMicros) : at;
  }

  /** The first sample after {@code from} with more rows than the one before. */
  private static OptionalLong growth(List<OutputWatch.Look> looks, long from) {
    long rows = Long.MAX_VALUE;
    for (OutputWatch.Look look : looks) {
      if (look.atMicros() >= from) {
        if (look.rows() > rows) {
          return OptionalLong.of(look.atMicros());
        }
        rows = look.rows();
      }
    }
    return OptionalLong.empty();
  }

  private static OptionalLong caughtUp(
      List<OutputWatch.Look> looks, OptionalLong fresh, Before before, double rate) {
    long since = -1;
    for (OutputWatch.Look look : looks) {
      if (look.atMicros() < fresh.orElse(Long.MAX_VALUE) || !before.isReachedBy(look, rate)) {
        since = -1;
      } else if (since < 0) {
        since = look.atMicros();
      } else if (look.atMicros() - since >= STEADY_MICROS) {
        return OptionalLong.of(since);
      }
    }
    return OptionalLong.empty();
  }

  /**
   * A time without a newer visible row.
   *
   * @param end when a newer row became visible; empty if none did
   */
  private record Silence(long micros, OptionalLong end) {
    static Silence longest(long failedMicros, List<OutputWatch.Look> looks) {
      Silence longest = new Silence(0, OptionalLong.empty());
      long newest = Long.MIN_VALUE;
      long since = failedMicros;
      for (OutputWatch.Look look : looks) {
        long micros = look.atMicros() - since;
        if (look.newestMicros() > newest) {
          if (micros >= longest.micros) {
            longest = new Silence(micros, OptionalLong.of(look.atMicros()));
          }
          newest = look.newestMicros();
          since = look.atMicros();
        } else if (micros > longest.micros) {
          longest = new Silence(micros, OptionalLong.empty());
        }
      }
      return longest;
    }
  }
}

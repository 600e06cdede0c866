package io.millrace.engine.advice;

import io.millrace.engine.advice.Advice.OnStep;
import io.millrace.engine.advice.Advice.Verdict;
import io.millrace.engine.job.ClusterStatus;
import io.millrace.engine.job.ClusterStatus.Host;
import io.millrace.engine.job.ClusterStatus.Subtask;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The rules for one step; the first that applies wins.
 *
 * <p>All use the busy, back-pressured and idle shares that Flink measures. The busy share is
 * Storm's «capacity» (executed × latency / window): near 1 a subtask is saturated, whatever its
 * rate. Rate divided by busy share is its true processing rate, and gives the number of subtasks:
 * the model of DS2 (Kalavri et al., OSDI 2018), which Flink's autoscaler uses, with its target of
 * 70% busy.
 */
final class StepRules {
  /** Target busy share: leaves capacity for bursts and for catching up after a restart. */
  static final double TARGET = 0.7;

  /** A step with this busy share or more limits the job. */
  static final double FULL = 0.85;

  static final double SPARE = 0.3;

  static final double BACK_PRESSURED = 0.2;

  /** A subtask is skewed if the busy share of the others is at most this fraction of its own. */
  static final double SKEW = 0.5;

  private static final long SMALL_LAG = 100;

  private static final List<Function<Situation, Optional<OnStep>>> RULES =
      List.of(
          StepRules::unknown,
          StepRules::skewed,
          StepRules::coresAreFull,
          StepRules::more,
          StepRules::held,
          StepRules::logIsSlow,
          StepRules::othersHaveTheCores,
          StepRules::less);

  private StepRules() {}

  static OnStep apply(Situation situation) {
    return RULES.stream()
        .map(rule -> rule.apply(situation))
        .flatMap(Optional::stream)
        .findFirst()
        .orElseGet(() -> well(situation, figures(situation)));
  }

  private static Optional<OnStep> unknown(Situation s) {
    return s.load().busy() == null
        ? Optional.of(well(s, "its busy share is not measured yet"))
        : Optional.empty();
  }

  /** A hot key or partition, or a full host: more subtasks would relieve only the others. */
  private static Optional<OnStep> skewed(Situation s) {
    Subtask busiest = s.step().busiest().orElseThrow();
    double max = busiest.load().busy();
    List<Double> others =
        s.step().subtasks().stream()
            .filter(subtask -> subtask.index() != busiest.index())
            .map(subtask -> subtask.load().busy())
            .filter(Objects::nonNull)
            .toList();
    if (max < FULL || others.isEmpty()) {
      return Optional.empty();
    }
    double rest = others.stream().mapToDouble(Double::doubleValue).sum() / others.size();
    if (rest > SKEW * max) {
      return Optional.empty();
    }
    String what =
        String.format(
            Locale.ROOT,
            "subtask %d is busy %s, the others %s on average",
            busiest.index(),
            percent(max),
            percent(rest));
    Optional<Host> full = s.hostOf(busiest).filter(s::overloaded);
    if (full.isPresent()) {
      return Optional.of(
          keep(
              s,
              what
                  + ": its host "
                  + full.get().name()
                  + " is full (see the advice on hosts); more subtasks would not help"));
    }
    String why =
        s.isSource()
            ? "it reads fuller partitions; spread the writers over all partitions of the log"
            : "its keys or partitions receive more rows than the others; split the hot key";
    return Optional.of(keep(s, what + ": " + why + ", more subtasks would not help it"));
  }

  /** Busy time includes waiting for a core: without free cores, more subtasks do not help. */
  private static Optional<OnStep> coresAreFull(Situation s) {
    List<Host> hosts = s.hosts();
    boolean somewhereElse =
        s.cluster().hosts().stream()
            .anyMatch(host -> host.freeSlots() > 0 && !s.overloaded(host) && host.cpu() != null);
    if (s.expectedBusy() < FULL
        || hosts.isEmpty()
        || somewhereElse
        || !hosts.stream().allMatch(s::overloaded)) {
      return Optional.empty();
    }
    String names =
        hosts.stream()
            .map(host -> host.name() + " " + percent(host.cpu().mean()))
            .collect(Collectors.joining(", "));
    return Optional.of(
        keep(
            s,
            figures(s)
                + ": full, but so are the cores of its hosts ("
                + names
                + "); more subtasks would share them, so add a host"));
  }

  private static Optional<OnStep> more(Situation s) {
    if (s.expectedBusy() < FULL) {
      return Optional.empty();
    }
    int p = s.parallelism();
    int wanted = Math.max(p + 1, needed(s));
    int limit = s.limit();
    String why =
        s.load().busy() >= FULL
            ? figures(s) + ": saturated"
            : figures(s)
                + ": busy share would be "
                + percent(Math.min(1, s.expectedBusy()))
                + " once the limiting steps have more subtasks";
    if (limit <= p) {
      return Optional.of(
          keep(
              s,
              why
                  + ", "
                  + wanted
                  + " subtasks would suffice, but slots and cores allow "
                  + limit
                  + ": add a TaskManager or slots, on more cores"));
    }
    int suggested = Math.min(wanted, limit);
    String bound =
        suggested < wanted
            ? "; " + wanted + " would suffice, slots and cores allow " + suggested
            : "";
    return Optional.of(advice(s, Verdict.MORE, suggested, why + bound));
  }

  /** A back-pressured step waits, so its busy share does not show how many subtasks it needs. */
  private static Optional<OnStep> held(Situation s) {
    Double waits = s.load().backPressured();
    return waits != null && waits >= BACK_PRESSURED
        ? Optional.of(
            keep(
                s,
                figures(s)
                    + ", back-pressured "
                    + percent(waits)
                    + ": a downstream step limits it"))
        : Optional.empty();
  }

  private static Optional<OnStep> logIsSlow(Situation s) {
    Long lag = s.job().lag();
    Double rate = s.load().recordsOut();
    boolean waits = lag != null && lag > SMALL_LAG && (rate == null || lag > rate);
    return s.isSource() && waits && s.load().idle() != null && s.load().idle() > 1 - SKEW
        ? Optional.of(
            keep(
                s,
                String.format(
                    Locale.ROOT,
                    "%s, with %,d unread values in the log: the log or the path to it is slow"
                        + " (brokers, network, too few partitions)",
                    figures(s),
                    lag)))
        : Optional.empty();
  }

  private static Optional<OnStep> othersHaveTheCores(Situation s) {
    return s.expectedBusy() < SPARE && s.hosts().stream().anyMatch(s::usedByOthers)
        ? Optional.of(
            keep(
                s,
                figures(s)
                    + ", but other processes use the cores of its host: measure again without them"))
        : Optional.empty();
  }

  private static Optional<OnStep> less(Situation s) {
    int needed = needed(s);
    return s.expectedBusy() < SPARE && needed < s.parallelism()
        ? Optional.of(
            advice(
                s,
                Verdict.LESS,
                needed,
                figures(s)
                    + ": at this load, parallelism "
                    + needed
                    + " gives a busy share of "
                    + percent(after(s))))
        : Optional.empty();
  }

  private static double after(Situation s) {
    return s.load().busy() * s.parallelism() / needed(s);
  }

  static int needed(Situation s) {
    return Math.max(1, (int) Math.ceil(s.parallelism() * s.expectedBusy() / TARGET - 1e-9));
  }

  private static String figures(Situation s) {
    StringBuilder text = new StringBuilder("busy " + percent(s.load().busy()));
    if (s.load().idle() != null) {
      text.append(", idle ").append(percent(s.load().idle()));
    }
    s.inputBackPressured()
        .filter(share -> share >= BACK_PRESSURED)
        .ifPresent(share -> text.append(", upstream step back-pressured ").append(percent(share)));
    return text.toString();
  }

  static String percent(double share) {
    return Math.round(share * 100) + "%";
  }

  private static OnStep keep(Situation s, String reason) {
    return advice(s, Verdict.KEEP, s.parallelism(), reason);
  }

  private static OnStep advice(Situation s, Verdict verdict, int suggested, String reason) {
    return advice(s, verdict, suggested, true, reason);
  }

  private static OnStep well(Situation s, String reason) {
    return advice(s, Verdict.KEEP, s.parallelism(), false, reason);
  }

  private static OnStep advice(
      Situation s, Verdict verdict, int suggested, boolean noteworthy, String reason) {
    return new OnStep(
        s.job().name(),
        s.step().name(),
        verdict,
        s.parallelism(),
        suggested,
        s.load().busy(),
        s.step().busiest().map(Subtask::load).map(ClusterStatus.Load::busy).orElse(null),
        s.inputBackPressured().orElse(null),
        s.load().idle(),
        noteworthy,
        reason);
  }
}

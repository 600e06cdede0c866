package io.millrace.engine.job;

import io.millrace.engine.job.ClusterStatus.Load;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Metrics of a step, by Flink's names: {@code 0.busyTimeMsPerSecond} of subtask 0. */
final class StepMetrics {
  static final String ROWS_IN = "rowsInPerSecond";

  static final Set<String> ROWS_OUT = Set.of("rowsOutPerSecond", "rowsStoredPerSecond");

  /** Milliseconds since the epoch, per operator. */
  private static final String EVENT_TIME = "currentOutputWatermark";

  private static final String PENDING = "pendingRecords";
  private static final String BUSY = "busyTimeMsPerSecond";
  private static final String BACK_PRESSURED = "backPressuredTimeMsPerSecond";
  private static final String IDLE = "idleTimeMsPerSecond";
  private static final String RECORDS_IN = "numRecordsInPerSecond";
  private static final String RECORDS_OUT = "numRecordsOutPerSecond";
  private static final Set<String> OF_TASK =
      Set.of(BUSY, BACK_PRESSURED, IDLE, RECORDS_IN, RECORDS_OUT);
  private static final double MILLIS = 1_000;

  /** A later event time means that a source has ended. */
  private static final double END = Long.MAX_VALUE / 2.0;

  private final Map<Integer, Map<String, String>> values = new HashMap<>();

  private final String chain;

  private StepMetrics(Map<String, String> metrics, String step) {
    chain = sanitized(step);
    metrics.forEach(
        (name, value) -> {
          int dot = name.indexOf('.');
          values
              .computeIfAbsent(Integer.valueOf(name.substring(0, dot)), index -> new HashMap<>())
              .put(name.substring(dot + 1), value);
        });
  }

  static StepMetrics read(FlinkRest rest, String path, String step) throws IOException {
    List<String> wanted =
        rest.metricNames(path).stream().filter(StepMetrics::isWanted).sorted().toList();
    return new StepMetrics(rest.metrics(path, wanted), step);
  }

  private static boolean isWanted(String name) {
    int first = name.indexOf('.');
    if (first <= 0 || !name.substring(0, first).chars().allMatch(Character::isDigit)) {
      return false;
    }
    String last = lastWord(name);
    boolean ofTask = name.lastIndexOf('.') == first;
    return ofTask
        ? OF_TASK.contains(last)
        : last.equals(ROWS_IN)
            || ROWS_OUT.contains(last)
            || last.equals(PENDING)
            || last.equals(EVENT_TIME);
  }

  private static String lastWord(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  private static String sanitized(String name) {
    return name.replaceAll("[^a-zA-Z0-9>-]", "_");
  }

  Load load(int subtask, long nowMillis) {
    Map<String, String> own = values.getOrDefault(subtask, Map.of());
    // For a chain: input of the first operator and output of the last one.
    Double rowsIn =
        own.keySet().stream()
            .filter(name -> lastWord(name).equals(ROWS_IN))
            .min(Comparator.comparingInt(this::place))
            .map(name -> number(own, name))
            .orElse(null);
    Double passed = ofLast(own, EVENT_TIME::equals);
    return new Load(
        rowsIn,
        ofLast(own, ROWS_OUT::contains),
        number(own, RECORDS_IN),
        number(own, RECORDS_OUT),
        share(own, BUSY),
        share(own, BACK_PRESSURED),
        share(own, IDLE),
        passed == null || passed < 0 || passed > END ? null : Math.max(0, nowMillis - passed));
  }

  private Double ofLast(Map<String, String> own, Predicate<String> metric) {
    return own.keySet().stream()
        .filter(name -> metric.test(lastWord(name)))
        .max(Comparator.comparingInt(this::place))
        .map(name -> number(own, name))
        .orElse(null);
  }

  private int place(String metric) {
    return chain.indexOf(sanitized(metric.substring(0, metric.lastIndexOf('.'))));
  }

  /** Number of unread values in the log; null if unknown. */
  Long pending() {
    Long sum = null;
    for (Map<String, String> own : values.values()) {
      for (String name : own.keySet()) {
        Double pending = lastWord(name).equals(PENDING) ? number(own, name) : null;
        if (pending != null) {
          sum = (sum == null ? 0 : sum) + pending.longValue();
        }
      }
    }
    return sum;
  }

  private static Double share(Map<String, String> values, String name) {
    Double millis = number(values, name);
    return millis == null ? null : Double.valueOf(Math.max(0, Math.min(1, millis / MILLIS)));
  }

  /** Flink reports NaN for unknown values. */
  private static Double number(Map<String, String> values, String name) {
    String text = values.get(name);
    if (text == null) {
      return null;
    }
    try {
      double number = Double.parseDouble(text);
      return Double.isFinite(number) ? number : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }
}

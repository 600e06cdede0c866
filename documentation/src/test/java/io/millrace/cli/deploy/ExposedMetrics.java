package io.millrace.cli.deploy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Series of {@code /metrics}, and what an expression of PromQL needs that is not among them. */
final class ExposedMetrics {
  private static final Pattern SAMPLE =
      Pattern.compile("(?m)^(millrace_\\w+)(?:\\{(.*)\\})? [-+.\\w]+$");
  private static final Pattern PAIR =
      Pattern.compile("(\\w+)(=~|!~|!=|=)\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Pattern SELECTOR = Pattern.compile("(millrace_\\w+)(?:\\{([^}]*)\\})?");
  private static final Pattern GROUPING =
      Pattern.compile("\\b(?:by|on|group_left|group_right)\\s*\\(([^)]*)\\)");

  /** Of the scrape, and of histograms. */
  private static final Set<String> GIVEN = Set.of("job", "instance", "le");

  /** Their values are names of devices, steps and webhooks, which differ between instances. */
  private static final Set<String> OPEN =
      Set.of("exporter", "protocol", "task", "subtask", "webhook");

  private record Series(String name, Map<String, String> labels) {}

  private final List<Series> series = new ArrayList<>();
  private final Set<String> labels = new HashSet<>(GIVEN);

  ExposedMetrics(String text) {
    for (MatchResult sample : SAMPLE.matcher(text).results().toList()) {
      Map<String, String> values = new HashMap<>();
      pairs(sample.group(2)).forEach(pair -> values.put(pair.group(1), pair.group(3)));
      labels.addAll(values.keySet());
      series.add(new Series(sample.group(1), values));
    }
  }

  private static List<MatchResult> pairs(String list) {
    return list == null ? List.of() : PAIR.matcher(list).results().toList();
  }

  Set<String> labels() {
    return labels;
  }

  boolean has(String name) {
    return series.stream().anyMatch(each -> each.name().equals(name));
  }

  Set<String> values(String name, String label) {
    return series.stream()
        .filter(each -> each.name().equals(name))
        .map(each -> each.labels().get(label))
        .collect(Collectors.toSet());
  }

  /** Metrics, labels and values of labels that are not exposed. */
  Set<String> missing(String expression) {
    Set<String> missing = new TreeSet<>();
    Matcher selector = SELECTOR.matcher(expression);
    while (selector.find()) {
      String name = selector.group(1);
      if (!has(name)) {
        missing.add(name);
      }
      pairs(selector.group(2)).stream()
          .filter(pair -> !GIVEN.contains(pair.group(1)))
          .forEach(pair -> missing.addAll(missing(name, pair)));
    }
    for (MatchResult list : GROUPING.matcher(expression).results().toList()) {
      for (String label : list.group(1).split(",", -1)) {
        if (!label.isBlank() && !labels.contains(label.strip())) {
          missing.add(label.strip());
        }
      }
    }
    return missing;
  }

  private List<String> missing(String name, MatchResult pair) {
    String label = pair.group(1);
    boolean isOpen =
        OPEN.contains(label) || pair.group(3).contains("$") || pair.group(2).startsWith("!");
    List<String> missing = new ArrayList<>();
    for (String value : pair.group(3).split("\\|", -1)) {
      boolean isThere =
          series.stream()
              .filter(each -> each.name().equals(name))
              .map(each -> each.labels().get(label))
              .anyMatch(known -> isOpen ? known != null : value.equals(known));
      if (!isThere) {
        missing.add(name + "{" + label + "=\"" + value + "\"}");
      }
    }
    return missing;
  }
}

package io.millrace.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Strict reader of the text format: checks the grammar of each line, that families are contiguous
 * and occur once, that no sample is duplicate, and that buckets are cumulative.
 */
public final class PrometheusText {
  private static final Pattern HELP = Pattern.compile("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (\\S.*)");
  private static final Pattern TYPE =
      Pattern.compile("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary)");
  private static final String LABEL = "[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\\n]|\\\\[\\\\\"n])*\"";
  private static final Pattern SAMPLE =
      Pattern.compile(
          "([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{("
              + LABEL
              + "(?:,"
              + LABEL
              + ")*)\\})? ([-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]+)?|Inf|NaN))");

  private final Map<String, String> types = new LinkedHashMap<>();
  private final Map<String, Double> samples = new LinkedHashMap<>();

  /** Reads and checks a text. */
  public PrometheusText(String text) {
    assertThat(text).endsWith("\n");
    String family = "";
    Set<String> helped = new HashSet<>();
    for (String line : text.substring(0, text.length() - 1).split("\n", -1)) {
      Matcher help = HELP.matcher(line);
      Matcher type = TYPE.matcher(line);
      Matcher sample = SAMPLE.matcher(line);
      if (help.matches()) {
        family = help.group(1);
        assertThat(helped.add(family)).as(line).isTrue();
      } else if (type.matches()) {
        assertThat(type.group(1)).as(line).isEqualTo(family);
        assertThat(types.put(family, type.group(2))).as(line).isNull();
      } else {
        assertThat(sample.matches()).as(line).isTrue();
        assertThat(suffixes(types.get(family))).as(line).contains(suffix(sample.group(1), family));
        String labels = sample.group(2) == null ? "" : "{" + sample.group(2) + "}";
        Double before = samples.put(sample.group(1) + labels, number(sample.group(3)));
        assertThat(before).as(line).isNull();
      }
    }
    checkHistograms();
  }

  private static List<String> suffixes(String type) {
    return switch (type) {
      case "histogram" -> List.of("_bucket", "_sum", "_count");
      case "summary" -> List.of("_sum", "_count");
      default -> List.of("");
    };
  }

  private static String suffix(String name, String family) {
    assertThat(name).startsWith(family);
    return name.substring(family.length());
  }

  private static double number(String text) {
    return switch (text) {
      case "+Inf", "Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  /** Checks that bounds and counts rise, and that the last bucket has all. */
  private void checkHistograms() {
    Map<String, List<Double>> bounds = new LinkedHashMap<>();
    Map<String, List<Double>> counts = new LinkedHashMap<>();
    Pattern bucket = Pattern.compile("(\\w+)_bucket\\{(.*?),?le=\"([^\"]+)\"\\}");
    samples.forEach(
        (name, value) -> {
          Matcher matcher = bucket.matcher(name);
          if (matcher.matches()) {
            String key = matcher.group(1) + "_count{" + matcher.group(2) + "}";
            bounds.computeIfAbsent(key, k -> new ArrayList<>()).add(number(matcher.group(3)));
            counts.computeIfAbsent(key, k -> new ArrayList<>()).add(value);
          }
        });
    bounds.forEach(
        (key, list) -> assertThat(list).as(key).isSorted().endsWith(Double.POSITIVE_INFINITY));
    counts.forEach((key, list) -> assertThat(list).as(key).isSorted().endsWith(samples.get(key)));
  }

  /** Type by name of the family. */
  public Map<String, String> types() {
    return types;
  }

  /** Value by name and labels, as written. */
  public Map<String, Double> samples() {
    return samples;
  }
}

package io.millrace.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The dashboards of Grafana, and their SQL with variables and macros written out. */
public final class GrafanaSql {
  /** Milliseconds of a bucket of the charts. */
  private static final String INTERVAL = "60000";

  private static final Pattern TIME_FILTER = Pattern.compile("\\$__timeFilter\\((\\w+)\\)");

  private GrafanaSql() {}

  /** The files of the dashboards, seen from the directory of a module. */
  public static List<Path> dashboards() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("..", "deploy", "grafana", "dashboards"))) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }

  /**
   * Writes out a query, as Grafana and its plugin for Flight SQL do.
   *
   * @param condition on the time, with {@code time} for the column
   * @param exporters as a list of SQL
   */
  public static String expanded(String sql, String condition, String exporters) {
    return TIME_FILTER
        .matcher(sql)
        .replaceAll(
            filter ->
                Matcher.quoteReplacement(condition.replaceAll("\\btime\\b", filter.group(1))))
        .replace("$__interval_ms", INTERVAL)
        .replace("$exporter", exporters);
  }
}

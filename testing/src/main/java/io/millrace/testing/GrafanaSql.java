package io.millrace.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The dashboards of Grafana, and their SQL with variables and macros written out. */
public final class GrafanaSql {
  private static final Pattern TIME_FILTER = Pattern.compile("\\$__timeFilter\\((\\w+)\\)");

  private GrafanaSql() {}

  /** The files of the dashboards, seen from the directory of a module. */
  public static List<Path> dashboards() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("..", "deploy", "grafana", "dashboards"))) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }

  /**
   * Writes out a query with buckets of a minute, as Grafana and its plugin for Flight SQL do.
   *
   * @param exporters as a list of SQL
   */
  public static String expanded(String sql, Instant from, Instant to, String exporters) {
    String begin = from.truncatedTo(ChronoUnit.SECONDS).toString();
    String end = to.truncatedTo(ChronoUnit.SECONDS).toString();
    return TIME_FILTER
        .matcher(sql)
        .replaceAll("$1 >= '" + begin + "' AND $1 <= '" + end + "'")
        .replace("${__from:date:iso}", begin)
        .replace("${__to:date:iso}", end)
        .replace("$__interval_ms", "60000")
        .replace("$__interval", "1m")
        .replace("${exporter:csv}", exporters.replace("'", ""))
        .replace("$exporter", exporters);
  }
}

package io.millrace.cli.demo;

import io.millrace.cli.console.Terminal;
import io.millrace.cli.print.Si;
import io.millrace.server.runtime.Millrace;
import io.millrace.store.QueryException;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

final class DemoScreen {
  private static final Duration WINDOW = Duration.ofMinutes(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int NAME_WIDTH = 34;

  private static final int OTHER_WIDTH = 2 + 3 + 9 + 9 + 8;

  private final Millrace millrace;
  private final double startSeconds;
  private final int rate;
  private final boolean hasHeavyAndRising;
  private final long sendingSince = System.nanoTime();

  DemoScreen(Millrace millrace, double startSeconds, int rate, boolean hasHeavyAndRising) {
    this.hasHeavyAndRising = hasHeavyAndRising;
    this.millrace = millrace;
    this.startSeconds = startSeconds;
    this.rate = rate;
  }

  String text() {
    Map<String, Object> status = millrace.status();
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "millrace demo · %s · up after %.1f s%nconsole and API %s%n",
            status.get("state"),
            startSeconds,
            millrace.url()));
    text.append(
        String.format(
            Locale.ROOT,
            "sFlow in %,.0f samples/s (sent %,d/s) · stored %,.0f rows/s%n"
                + "lag %s batches · newest row %s ms old · %,d rows%n",
            number(status, "samples_in_rate"),
            rate,
            number(status, "rows_stored_rate"),
            Objects.requireNonNullElse(status.get("lag_batches"), "?"),
            Objects.requireNonNullElse(status.get("freshness_ms"), "?"),
            (long) number(status, "rows")));
    Instant now = Instant.now();
    if (hasHeavyAndRising) {
      heavyAndRising(text, since(now));
    }
    top(
        text,
        "AS pairs",
        "concat('AS', src_as, ' ', src_as_name)",
        "concat('AS', dst_as, ' ', dst_as_name)",
        "src_as",
        "dst_as",
        now);
    top(text, "DNS pairs", "src_dns", "dst_dns", "src_dns", "dst_dns", now);
    return text.toString();
  }

  private static String since(Instant now) {
    return LocalDateTime.ofInstant(now.minus(WINDOW), ZoneOffset.UTC).toString();
  }

  private void heavyAndRising(StringBuilder text, String since) {
    line(
        text,
        "  heavy   %s: %.1f%% of the bytes in 5 s, %.1f to %.1f%%%n",
        """
        SELECT key, 100 * share, 100.0 * lower / total, 100.0 * upper / total FROM hitters
        WHERE rank = 1 AND epoch >= TIMESTAMP '%s' ORDER BY epoch DESC LIMIT 1\
        """
            .formatted(since));
    line(
        text,
        "  rising  %s: %.0f samples in 5 s where %.1f were expected, at most %.0f%n",
        """
        SELECT key, count::DOUBLE, expectation, upper FROM flow_trends
        WHERE stage = 'final' AND bucket >= TIMESTAMP '%s' ORDER BY score DESC LIMIT 1\
        """
            .formatted(since));
  }

  private void line(StringBuilder text, String format, String sql) {
    try {
      for (List<Object> row : rows(sql)) {
        text.append(String.format(Locale.ROOT, format, row.toArray()));
      }
    } catch (QueryException e) { // the machine is busy; the next screen retries
      text.append("  ").append(e.getMessage()).append(System.lineSeparator());
    }
  }

  private static double number(Map<String, Object> status, String key) {
    return ((Number) status.get(key)).doubleValue();
  }

  private void top(
      StringBuilder text,
      String title,
      String source,
      String destination,
      String sourceKey,
      String destinationKey,
      Instant now) {
    int width = Math.min(NAME_WIDTH, (Terminal.columns() - OTHER_WIDTH) / 2);
    String since = since(now);
    double sending = Math.max(1, (System.nanoTime() - sendingSince) / 1e9);
    double seconds = Math.min((double) WINDOW.toSeconds(), sending);
    String sql =
        """
        SELECT %s AS source, %s AS destination, packets, bytes, total FROM (
          SELECT %s, sum(packets * sampling_rate) AS packets,
                 sum(bytes * sampling_rate) AS bytes, sum(sum(bytes * sampling_rate)) OVER () AS total
          FROM flows WHERE time >= TIMESTAMP '%s' AND %s IS NOT NULL AND %s IS NOT NULL GROUP BY ALL)
        ORDER BY bytes DESC LIMIT 10
        """
            .formatted(
                source,
                destination,
                columns(sourceKey, destinationKey),
                since,
                sourceKey,
                destinationKey);
    text.append(
        String.format(
            Locale.ROOT,
            "%n  %-" + width + "s   %-" + width + "s %8s %8s %7s%n",
            "top " + title + ", last minute",
            "",
            "packets",
            "bit/s",
            "share"));
    List<List<Object>> rows;
    try {
      rows = rows(sql);
    } catch (QueryException e) { // the machine is busy; the next screen retries
      text.append("  ").append(e.getMessage()).append(System.lineSeparator());
      return;
    }
    for (List<Object> row : rows) {
      double bytes = ((Number) row.get(3)).doubleValue();
      double total = ((Number) row.get(4)).doubleValue();
      text.append(
          String.format(
              Locale.ROOT,
              "  %-" + width + "s → %-" + width + "s %8s %8s %6.2f%%%n",
              cut(row.get(0), width),
              cut(row.get(1), width),
              Si.format(((Number) row.get(2)).doubleValue()),
              Si.format(bytes * 8 / seconds),
              100 * bytes / total));
    }
  }

  private static String columns(String source, String destination) {
    return source.equals("src_as")
        ? "src_as, src_as_name, dst_as, dst_as_name"
        : source + ", " + destination;
  }

  private List<List<Object>> rows(String sql) {
    List<List<Object>> rows = new ArrayList<>();
    try (QueryResult result = millrace.store().query(new QueryRequest(sql, TIMEOUT, 10))) {
      while (result.next()) {
        List<Object> row = new ArrayList<>();
        for (int i = 0; i < result.columns().size(); i++) {
          row.add(result.value(i));
        }
        rows.add(row);
      }
    }
    return rows;
  }

  private static String cut(Object name, int width) {
    String text = String.valueOf(name);
    return text.length() <= width ? text : text.substring(0, width - 1) + "…";
  }
}

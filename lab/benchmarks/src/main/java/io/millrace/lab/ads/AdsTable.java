package io.millrace.lab.ads;

import io.millrace.lab.harness.Figure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The figures of one run as a table, with a line per engine. Not thread-safe. */
final class AdsTable {
  private static final String ENGINE = "engine";
  private static final String LEGEND =
      "cores: in the order of the rates. ms at a share of the engine's best rate: p50; p99 from the"
          + " end of a window; p99 from when the watermark passed it. * did not finish in time";

  private final Map<String, Map<String, String>> engines = new LinkedHashMap<>();
  private final Set<String> columns = new LinkedHashSet<>();

  /** Adds a figure of an engine; ignores one that the table has no column for. */
  void add(Figure figure) {
    switch (figure.metric()) {
      case "rate" -> put(figure, rateColumn(figure.params()), rate(figure));
      case "cores" -> put(figure, "cores", format("%.2f", figure.value()));
      case "times" -> put(figure, "ours / its", format("%.2f", figure.value()));
      case "p50_ms", "p99_ms", "watermark_p99_ms" ->
          put(figure, "ms at " + figure.params().get("load_percent") + '%', millis(figure.value()));
      default -> {}
    }
  }

  /** Lists several figures of a cell one after the other. */
  private void put(Figure figure, String column, String text) {
    columns.add(column);
    engines
        .computeIfAbsent(figure.params().get(ENGINE).toString(), none -> new LinkedHashMap<>())
        .merge(column, text, (before, more) -> before + "; " + more);
  }

  /** The bare consumer has one thread and no campaigns. */
  private static String rateColumn(Map<String, Object> params) {
    Object subtasks = params.getOrDefault("subtasks", 1);
    boolean isSkewed = "skewed".equals(params.get("campaigns"));
    return "events/s, " + subtasks + (isSkewed ? " skewed" : "");
  }

  private static String rate(Figure figure) {
    boolean isComplete = !Boolean.FALSE.equals(figure.params().get("complete"));
    return format("%,.0f", figure.value()) + (isComplete ? "" : "*");
  }

  private static String millis(double value) {
    return Double.isInfinite(value) ? "never" : format("%.0f", value);
  }

  private static String format(String pattern, double value) {
    return String.format(Locale.ROOT, pattern, value);
  }

  /** The table, from header to legend; empty without figures. */
  List<String> lines() {
    if (engines.isEmpty()) {
      return List.of();
    }
    List<List<String>> rows = new ArrayList<>();
    List<String> header = new ArrayList<>(List.of(ENGINE));
    header.addAll(columns);
    rows.add(header);
    engines.forEach(
        (engine, cells) -> {
          List<String> row = new ArrayList<>(List.of(engine));
          columns.forEach(column -> row.add(cells.getOrDefault(column, "–")));
          rows.add(row);
        });
    int[] widths = new int[header.size()];
    rows.forEach(
        row -> {
          for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], row.get(i).length());
          }
        });
    List<String> lines = rows.stream().map(row -> line(row, widths)).collect(Collectors.toList());
    lines.add(LEGEND);
    return lines;
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder(row.get(0)).append(blanks(row.get(0), widths[0]));
    for (int i = 1; i < widths.length; i++) {
      line.append("  ").append(blanks(row.get(i), widths[i])).append(row.get(i));
    }
    return line.toString();
  }

  private static String blanks(String text, int width) {
    return " ".repeat(width - text.length());
  }
}

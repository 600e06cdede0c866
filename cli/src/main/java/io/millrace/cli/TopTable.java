package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.print.RowPrinter;
import io.millrace.cli.print.Si;
import io.millrace.cli.print.Sparkline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Table of a {@code response} of {@code /api/v1/top}, with sparklines if {@code series}, of {@code
 * /api/v1/series}, is not missing.
 */
record TopTable(JsonNode response, String by, boolean p95, JsonNode series) {
  private static final int CURVE = 24;

  private static final double MAX_ERROR = 0.3;

  void print(RowPrinter printer) {
    String unit = by.equals("bytes") ? "bit/s" : "packet/s";
    double perVolume =
        (by.equals("bytes") ? 8 : 1) / Math.max(1e-6, response.path("seconds").asDouble());
    double total = response.path("total").asDouble();
    Map<List<String>, String> curves = curves();
    printer.header(columns(curves));
    for (JsonNode row : response.path("rows")) {
      List<String> cells = values(row.path("values"));
      String curve = curves.getOrDefault(cells, "");
      double volume = row.path("volume").asDouble();
      cells = new ArrayList<>(cells);
      boolean isVague = row.path("error").asDouble() > MAX_ERROR * volume;
      cells.add(isVague ? "too few samples" : Si.format(volume * perVolume, unit));
      if (isSampled()) {
        cells.add(isVague ? "-" : Si.format(row.path("error").asDouble() * perVolume, unit));
      }
      cells.add(
          isVague
              ? "-"
              : String.format(Locale.ROOT, "%.1f%%", total == 0 ? 0 : 100 * volume / total));
      cells.add(Si.format(row.path("flows").asDouble()));
      if (p95) {
        cells.add(row.path("p95").isNumber() ? Si.format(row.path("p95").asDouble(), unit) : "-");
      }
      if (hasCounters(response)) {
        JsonNode counted = row.path("counters_p95");
        cells.add(counted.isNumber() ? Si.format(counted.asDouble(), unit) : "-");
      }
      if (!curves.isEmpty()) {
        cells.add(curve);
      }
      printer.row(cells.toArray(new String[0]));
    }
    printer.end();
  }

  private List<RowPrinter.Column> columns(Map<List<String>, String> curves) {
    List<RowPrinter.Column> columns = new ArrayList<>();
    response
        .path("columns")
        .forEach(name -> columns.add(new RowPrinter.Column(name.asText(), false)));
    boolean isEstimated = response.path("estimated").asBoolean();
    columns.add(new RowPrinter.Column(isEstimated || isSampled() ? "estimate" : "rate", true));
    if (isSampled()) {
      columns.add(new RowPrinter.Column("±", true));
    }
    columns.add(new RowPrinter.Column("share", true));
    columns.add(new RowPrinter.Column("flows", true));
    if (p95) {
      columns.add(new RowPrinter.Column("p95", true));
    }
    if (hasCounters(response)) {
      columns.add(new RowPrinter.Column("counters p95", true));
    }
    if (!curves.isEmpty()) {
      columns.add(new RowPrinter.Column("over time", false));
    }
    return columns;
  }

  static boolean hasCounters(JsonNode response) {
    return response.path("rows").path(0).has("counters_p95");
  }

  private boolean isSampled() {
    return response.path("error").asDouble() > 0;
  }

  private Map<List<String>, String> curves() {
    Map<List<String>, String> curves = new HashMap<>();
    for (JsonNode group : series.path("groups")) {
      curves.put(values(group.path("labels")), Sparkline.of(points(group.path("values"))));
    }
    return curves;
  }

  private static List<String> values(JsonNode values) {
    List<String> texts = new ArrayList<>();
    values.forEach(value -> texts.add(value.isNull() ? null : value.asText()));
    return texts;
  }

  /** Averages the known values to one point for each character of the sparkline. */
  private static double[] points(JsonNode values) {
    int width = Math.min(CURVE, values.size());
    double[] sums = new double[width];
    int[] known = new int[width];
    for (int i = 0; i < values.size(); i++) {
      if (values.path(i).isNumber()) {
        sums[i * width / values.size()] += values.path(i).asDouble();
        known[i * width / values.size()]++;
      }
    }
    Arrays.setAll(sums, i -> known[i] == 0 ? Double.NaN : sums[i] / known[i]);
    return sums;
  }
}

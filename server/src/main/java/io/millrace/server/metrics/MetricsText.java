package io.millrace.server.metrics;

import io.millrace.pipelines.Figure;
import java.util.EnumMap;
import java.util.Map;

/**
 * Builds samples in Prometheus' text format, version 0.0.4. They may be added in any order, and are
 * grouped by metric with help and type lines. Used by one thread.
 */
public final class MetricsText {
  /** Media type of the format. */
  public static final String MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /** Greatest integer up to which a double is exact. */
  private static final double MAX_WHOLE = 0x1p53;

  private final Map<Metric, StringBuilder> samples = new EnumMap<>(Metric.class);
  private final StringBuilder figures = new StringBuilder();

  /**
   * Adds a value of a gauge or counter, with the values of its labels in their order.
   *
   * @param value value; null if unknown, which omits the sample
   */
  public void add(Metric metric, Number value, String... labels) {
    if (value != null) {
      sample(metric, "", number(value), labels, "");
    }
  }

  /**
   * Adds a counter of a pipeline; call once per counter.
   *
   * @param value value; null if unknown, which omits the sample
   */
  public void add(String pipeline, Figure figure, Long value) {
    if (value != null) {
      String name = Metric.metricName(pipeline, figure);
      head(figures, name, figure.help(), Metric.Type.COUNTER);
      figures.append(name).append(' ').append(value).append('\n');
    }
  }

  private static void head(StringBuilder out, String name, String help, Metric.Type type) {
    out.append("# HELP ").append(name).append(' ').append(help);
    out.append("\n# TYPE ").append(name).append(' ').append(type.text()).append('\n');
  }

  /** Adds sum and count of a summary. */
  public void addSummary(Metric metric, double sum, long count, String... labels) {
    sample(metric, "_sum", number(sum), labels, "");
    sample(metric, "_count", number(count), labels, "");
  }

  void addHistogram(Metric metric, double[] bounds, long[] counts, double sum, String... labels) {
    long below = 0;
    for (int i = 0; i < counts.length; i++) {
      below += counts[i];
      String bound = i < bounds.length ? number(bounds[i]) : "+Inf";
      sample(metric, "_bucket", number(below), labels, "le=\"" + bound + '"');
    }
    sample(metric, "_sum", number(sum), labels, "");
    sample(metric, "_count", number(below), labels, "");
  }

  private void sample(Metric metric, String suffix, String value, String[] labels, String more) {
    if (labels.length != metric.labels().size()) {
      throw new IllegalArgumentException(metric + " has the labels " + metric.labels());
    }
    StringBuilder out = samples.computeIfAbsent(metric, unused -> new StringBuilder());
    out.append(metric.metricName()).append(suffix);
    StringBuilder pairs = new StringBuilder();
    for (int i = 0; i < labels.length; i++) {
      pairs.append(i == 0 ? "" : ",").append(metric.labels().get(i)).append("=\"");
      pairs.append(escaped(labels[i])).append('"');
    }
    pairs.append(more.isEmpty() || pairs.isEmpty() ? "" : ",").append(more);
    if (!pairs.isEmpty()) {
      out.append('{').append(pairs).append('}');
    }
    out.append(' ').append(value).append('\n');
  }

  private static String number(Number number) {
    double value = number.doubleValue();
    if (number instanceof Double && Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    boolean whole = value == Math.rint(value) && Math.abs(value) < MAX_WHOLE;
    return number instanceof Double && !whole
        ? number.toString()
        : Long.toString(number.longValue());
  }

  private static String escaped(String label) {
    return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  /** Returns the text. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    samples.forEach(
        (metric, lines) -> {
          head(text, metric.metricName(), metric.help(), metric.type());
          text.append(lines);
        });
    return text.append(figures).toString();
  }
}

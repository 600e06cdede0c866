package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.millrace.cli.console.ApiException;
import io.millrace.cli.console.EscapingWriter;
import io.millrace.cli.console.Instants;
import io.millrace.cli.console.Terminal;
import io.millrace.cli.console.UsageException;
import io.millrace.cli.console.Watch;
import io.millrace.cli.print.RowFormat;
import io.millrace.cli.print.RowPrinter;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "top",
    description = {
      "The largest groups of flows by volume. A row sampled 1 in N counts N times, so volumes of "
          + "sampled traffic are estimates.",
      "",
      "as, member, dns, domain, addr and port group by source and destination; src_as, dst_port "
          + "and so on by one of them. Other columns of flows are named as in the table (proto, "
          + "exporter, in_if, …).  app and subscriber come from the pipeline apps: they combine "
          + "only with each other and with --by, --last, -n and --format."
    },
    footer = {
      "",
      "  millrace top as",
      "  millrace top domain --last 1h",
      "  millrace top dst_port proto --by packets --last 5m -n 20",
      "  millrace top addr --filter 'src_as = AS64500 AND dst_port IN (80, 443)'",
      "  millrace top addr --filter 'src ip 192.0.2.1 and not proto udp'",
      "  millrace top exporter in_if --p95 --last 30d",
      "  millrace top member --last 30d",
      "  millrace top as --table november",
      "  millrace top as --last 5m --watch",
      "  millrace top --heavy source 5-tuple",
      "  millrace top app subscriber --last 1h"
    })
final class TopCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private InstanceOption instance;

  @Parameters(arity = "0..*", paramLabel = "DIMENSION", description = "Columns to group by.")
  private List<String> dimensions = List.of();

  @Option(
      names = "--heavy",
      description =
          "Show the heavy hitters of the newest epoch (requires hitters.enabled). Dimensions are "
              + "then keys of hitters.keys, all by default. Only -n and --format can be combined "
              + "with it.")
  private boolean heavy;

  @Option(names = "--by", paramLabel = "bytes|packets", description = "Measure; bytes by default.")
  private String by = "bytes";

  @Option(names = "--last", paramLabel = "5m", description = "Time range up to the newest row.")
  private String last;

  @Option(names = "--from", paramLabel = "T", description = "Start, inclusive.")
  private String from;

  @Option(names = "--to", paramLabel = "T", description = "End, exclusive.")
  private String to;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      description = "Table of flows, such as one of import or replay; flows by default.")
  private String table;

  @Option(
      names = "--filter",
      paramLabel = "FILTER",
      description =
          "Only flows that match this filter, in SQL or nfdump syntax; see "
              + "docs/reference/filter.md.")
  private String filter;

  @Option(
      names = "--p95",
      description =
          "Rank by the 95th percentile, as in transit billing: the rates of all 5-minute "
              + "intervals, zeros included, are sorted, the largest 5%% are dropped, and the "
              + "largest remaining rate counts, in bits or packets a second. Interfaces (exporter "
              + "with in_if or out_if) also show the percentile of their interface counters.")
  private boolean p95;

  @Option(names = "--scan", description = "Scan the rows even if a rollup covers the query.")
  private boolean scan;

  @Option(names = "-n", paramLabel = "N", description = "Number of groups; 10 by default.")
  private int n = 10;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}; table by default.")
  private RowFormat format = RowFormat.TABLE;

  @Option(
      names = "--watch",
      paramLabel = "SECONDS",
      arity = "0..1",
      fallbackValue = "2",
      description = "Repeat with this pause; 2 if no number is given.")
  private Integer watchSeconds;

  @Override
  public Integer call() throws IOException {
    return Watch.every(watchSeconds, spec.commandLine().getOut(), this::print);
  }

  private int print() throws IOException {
    boolean clears = watchSeconds != null && Terminal.isStandardOutput();
    if (clears) {
      EscapingWriter.clear(spec.commandLine().getOut());
    }
    if (heavy) {
      return heavy();
    }
    if (dimensions.isEmpty()) {
      throw new UsageException("missing dimension; write top as, or top --heavy");
    }
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("by", String.join(",", dimensions));
    parameters.put("metric", by);
    parameters.put("n", Integer.toString(n));
    if (dimensions.contains("app") || dimensions.contains("subscriber")) {
      return apps(parameters);
    }
    put(parameters, "table", table);
    put(parameters, "last", last);
    put(parameters, "filter", filter);
    put(parameters, "from", from == null ? null : Instants.parse("--from", from).toString());
    put(parameters, "to", to == null ? null : Instants.parse("--to", to).toString());
    put(parameters, "p95", p95 ? "true" : null);
    put(parameters, "scan", scan ? "true" : null);
    JsonNode response;
    try {
      response = instance.client().get("/api/v1/top", parameters);
    } catch (ApiException e) {
      if (e.pointsIntoQuery()) { // the message quotes the filter with an arrow at the position
        spec.commandLine().getErr().println("millrace: " + e.getMessage());
        return 2;
      }
      throw e;
    }

    RowPrinter printer = RowPrinter.of(format, spec.commandLine().getOut());
    if (format == RowFormat.TABLE && Terminal.isStandardOutput()) {
      new TopTable(response, by, p95, curves(parameters)).print(printer);
    } else {
      figures(response, printer);
    }
    if (format == RowFormat.TABLE) {
      remarks(response);
    }
    return 0;
  }

  /** Rates of the same groups over time; missing if the series API does not support the query. */
  private JsonNode curves(Map<String, String> parameters) throws IOException {
    Map<String, String> query = new LinkedHashMap<>(parameters);
    query.keySet().retainAll(List.of("by", "n", "table", "last", "filter", "from", "to"));
    query.put("measure", by.equals("bytes") ? "bits" : "packets");
    try {
      return instance.client().get("/api/v1/series", query);
    } catch (ApiException e) {
      return MissingNode.getInstance();
    }
  }

  private void figures(JsonNode response, RowPrinter printer) {
    List<RowPrinter.Column> columns = new ArrayList<>();
    response
        .path("columns")
        .forEach(column -> columns.add(new RowPrinter.Column(column.asText(), false)));
    String volume = response.path("estimated").asBoolean() ? "estimated_" + by : by;
    columns.add(new RowPrinter.Column(volume, true));
    columns.add(new RowPrinter.Column("share", true));
    columns.add(new RowPrinter.Column("flows", true));
    boolean hasBounds = false;
    for (JsonNode row : response.path("rows")) {
      hasBounds |= uncertain(row) > 0;
    }
    if (hasBounds) {
      columns.add(new RowPrinter.Column("±", true));
    }
    if (p95) {
      columns.add(new RowPrinter.Column(by.equals("bytes") ? "p95_bits_s" : "p95_packets_s", true));
    }
    if (TopTable.hasCounters(response)) {
      columns.add(new RowPrinter.Column("counters_p95_bits_s", true));
    }
    printer.header(columns);
    double total = response.path("total").asDouble();
    for (JsonNode row : response.path("rows")) {
      List<String> cells = new ArrayList<>();
      row.path("values").forEach(value -> cells.add(value.isNull() ? null : value.asText()));
      double amount = row.path("volume").asDouble();
      cells.add(String.format(Locale.ROOT, "%.0f", amount));
      cells.add(String.format(Locale.ROOT, "%.4f", total == 0 ? 0 : amount / total));
      cells.add(row.path("flows").asText());
      if (hasBounds) {
        cells.add(String.format(Locale.ROOT, "%.0f", uncertain(row)));
      }
      if (p95) {
        JsonNode rate = row.path("p95");
        cells.add(rate.isNumber() ? String.format(Locale.ROOT, "%.0f", rate.asDouble()) : "-");
      }
      if (TopTable.hasCounters(response)) {
        JsonNode rate = row.path("counters_p95");
        cells.add(rate.isNumber() ? String.format(Locale.ROOT, "%.0f", rate.asDouble()) : "-");
      }
      printer.row(cells.toArray(new String[0]));
    }
    printer.end();
  }

  /** Uncertainty of a group: its bound or its error, of which a result has only one. */
  private static double uncertain(JsonNode row) {
    return Math.max(row.path("bound").asDouble(), row.path("error").asDouble());
  }

  private void remarks(JsonNode response) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(response.path("note").asText());
    if (response.hasNonNull("source")) {
      err.printf(
          "%s to %s, from %s%n",
          response.path("from").asText(),
          response.path("to").asText(),
          response.path("source").asText());
    }
    double others = response.path("others").asDouble();
    if (others > 0) {
      err.printf(
          Locale.ROOT,
          "%.2f%% of all %s belong to groups too small to be kept%n",
          100 * others / response.path("total").asDouble(),
          by);
    }
  }

  private int apps(Map<String, String> parameters) throws IOException {
    put(parameters, "last", last);
    JsonNode response = instance.client().get("/api/v1/apps/top", parameters);
    figures(response, RowPrinter.of(format, spec.commandLine().getOut()));
    return 0;
  }

  private int heavy() throws IOException {
    Map<String, String> parameters = new LinkedHashMap<>();
    put(parameters, "kind", dimensions.isEmpty() ? null : String.join(",", dimensions));
    parameters.put("n", Integer.toString(n));
    JsonNode response = instance.client().get("/api/v1/hitters", parameters);
    RowPrinter printer = RowPrinter.of(format, spec.commandLine().getOut());
    String measure = response.path("measure").asText("bytes");
    printer.header(
        List.of(
            new RowPrinter.Column("kind", false),
            new RowPrinter.Column("key", false),
            new RowPrinter.Column("estimated_" + measure, true),
            new RowPrinter.Column("lower", true),
            new RowPrinter.Column("upper", true),
            new RowPrinter.Column("share", true),
            new RowPrinter.Column("change", true)));
    for (JsonNode row : response.path("rows")) {
      printer.row(
          new String[] {
            row.path("kind").asText(),
            row.path("key").asText(),
            row.path("estimate").asText(),
            row.path("lower").asText(),
            row.path("upper").asText(),
            String.format(Locale.ROOT, "%.4f", row.path("share").asDouble()),
            row.path("change").asText("-")
          });
    }
    printer.end();
    if (format == RowFormat.TABLE && response.hasNonNull("epoch")) {
      spec.commandLine().getErr().println("epoch of " + response.path("epoch").asText());
    }
    return 0;
  }

  private static void put(Map<String, String> parameters, String name, String value) {
    if (value != null) {
      parameters.put(name, value);
    }
  }
}

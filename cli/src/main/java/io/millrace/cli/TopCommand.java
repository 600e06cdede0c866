package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.millrace.cli.console.EscapingWriter;
import io.millrace.cli.console.Instants;
import io.millrace.cli.console.RefusedException;
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

/** {@code millrace top}: the largest groups without SQL. */
@Command(
    name = "top",
    description = {
      "The largest groups of flows by volume. A row that was sampled one in N counts N times, so"
          + " volumes are estimates wherever there is sampling.",
      "",
      "as, member, dns, domain, addr and port stand for source and destination; src_as, dst_port and the"
          + " like for one of them; any other column of flows goes by its name (proto, exporter, in_if, …)."
          + " app and subscriber are those of the pipeline apps; they go together, and with --by,"
          + " --last, -n and --format."
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

  @Parameters(arity = "0..*", paramLabel = "DIMENSION", description = "What to group by.")
  private List<String> dimensions = List.of();

  @Option(
      names = "--heavy",
      description =
          "The heavy keys of the newest epoch in place of groups, where hitters are enabled; the"
              + " dimensions are then some of hitters.keys, all of them without any. Goes with -n"
              + " and --format.")
  private boolean heavy;

  @Option(
      names = "--by",
      paramLabel = "bytes|packets",
      description = "What to count; bytes by default.")
  private String by = "bytes";

  @Option(names = "--last", paramLabel = "5m", description = "Back from the newest row.")
  private String last;

  @Option(names = "--from", paramLabel = "T", description = "From this instant on, inclusive.")
  private String from;

  @Option(names = "--to", paramLabel = "T", description = "Up to this instant, exclusive.")
  private String to;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      description = "The table of flows, such as one of import or replay; flows by default.")
  private String table;

  @Option(
      names = "--filter",
      paramLabel = "FILTER",
      description =
          "Only flows that pass this filter, written as in SQL or as in nfdump; see"
              + " docs/reference/filter.md.")
  private String filter;

  @Option(
      names = "--p95",
      description =
          "Rank by the 95th percentile, as transit is billed: the rates of all 5 minutes of the time,"
              + " those without traffic too, are sorted, the largest twentieth is left out, and the"
              + " largest that is left counts, in bits or packets a second. Ports (exporter with"
              + " in_if or out_if) have that of their own counters beside it.")
  private boolean p95;

  @Option(
      names = "--scan",
      description = "Read the rows, even where sums that were kept have the answer.")
  private boolean scan;

  @Option(names = "-n", paramLabel = "N", description = "How many groups; 10 by default.")
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
      description = "Again and again, with a pause of so many seconds; 2 without a number.")
  private Integer watchSeconds;

  @Override
  public Integer call() throws IOException {
    return Watch.every(watchSeconds, spec.commandLine().getOut(), this::print);
  }

  private int print() throws IOException {
    boolean isAfresh = watchSeconds != null && Terminal.isStandardOutput();
    if (isAfresh) {
      EscapingWriter.clear(spec.commandLine().getOut());
    }
    if (heavy) {
      return heavy();
    }
    if (dimensions.isEmpty()) {
      throw new UsageException("top of what? Write top as, or top --heavy");
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
    JsonNode answer;
    try {
      answer = instance.client().get("/api/v1/top", parameters);
    } catch (RefusedException e) {
      if (e.pointsIntoQuery()) { // the filter's own lines, with their arrow under the place
        spec.commandLine().getErr().println("millrace: " + e.getMessage());
        return 2;
      }
      throw e;
    }

    RowPrinter printer = RowPrinter.of(format, spec.commandLine().getOut());
    if (format == RowFormat.TABLE && Terminal.isStandardOutput()) {
      new TopTable(answer, by, p95, curves(parameters)).print(printer);
    } else {
      figures(answer, printer);
    }
    if (format == RowFormat.TABLE) {
      remarks(answer);
    }
    return 0;
  }

  /** The rates of the same groups over the same time; none where that cannot be asked for. */
  private JsonNode curves(Map<String, String> parameters) throws IOException {
    Map<String, String> asked = new LinkedHashMap<>(parameters);
    asked.keySet().retainAll(List.of("by", "n", "table", "last", "filter", "from", "to"));
    asked.put("measure", by.equals("bytes") ? "bits" : "packets");
    try {
      return instance.client().get("/api/v1/series", asked);
    } catch (RefusedException e) {
      return MissingNode.getInstance();
    }
  }

  /** Every figure as it is, for tables that are read on. */
  private void figures(JsonNode answer, RowPrinter printer) {
    List<RowPrinter.Column> columns = new ArrayList<>();
    answer
        .path("columns")
        .forEach(column -> columns.add(new RowPrinter.Column(column.asText(), false)));
    String volume = answer.path("estimated").asBoolean() ? "estimated_" + by : by;
    columns.add(new RowPrinter.Column(volume, true));
    columns.add(new RowPrinter.Column("share", true));
    columns.add(new RowPrinter.Column("flows", true));
    boolean hasBounds = false;
    for (JsonNode row : answer.path("rows")) {
      hasBounds |= uncertain(row) > 0;
    }
    if (hasBounds) {
      columns.add(new RowPrinter.Column("±", true));
    }
    if (p95) {
      columns.add(new RowPrinter.Column(by.equals("bytes") ? "p95_bits_s" : "p95_packets_s", true));
    }
    if (TopTable.hasCounters(answer)) {
      columns.add(new RowPrinter.Column("counters_p95_bits_s", true));
    }
    printer.header(columns);
    double total = answer.path("total").asDouble();
    for (JsonNode row : answer.path("rows")) {
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
      if (TopTable.hasCounters(answer)) {
        JsonNode rate = row.path("counters_p95");
        cells.add(rate.isNumber() ? String.format(Locale.ROOT, "%.0f", rate.asDouble()) : "-");
      }
      printer.row(cells.toArray(new String[0]));
    }
    printer.end();
  }

  /** What a group may lack, or how far it may be off: an answer has one of the two. */
  private static double uncertain(JsonNode row) {
    return Math.max(row.path("bound").asDouble(), row.path("error").asDouble());
  }

  /** What the figures are worth and what they were made of. */
  private void remarks(JsonNode answer) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(answer.path("note").asText());
    if (answer.hasNonNull("source")) {
      err.printf(
          "%s to %s, from %s%n",
          answer.path("from").asText(), answer.path("to").asText(), answer.path("source").asText());
    }
    double others = answer.path("others").asDouble();
    if (others > 0) {
      err.printf(
          Locale.ROOT,
          "%.2f%% of all %s belong to groups that were too small to be kept%n",
          100 * others / answer.path("total").asDouble(),
          by);
    }
  }

  private int apps(Map<String, String> parameters) throws IOException {
    put(parameters, "last", last);
    JsonNode answer = instance.client().get("/api/v1/apps/top", parameters);
    figures(answer, RowPrinter.of(format, spec.commandLine().getOut()));
    return 0;
  }

  private int heavy() throws IOException {
    Map<String, String> parameters = new LinkedHashMap<>();
    put(parameters, "kind", dimensions.isEmpty() ? null : String.join(",", dimensions));
    parameters.put("n", Integer.toString(n));
    JsonNode answer = instance.client().get("/api/v1/hitters", parameters);
    RowPrinter printer = RowPrinter.of(format, spec.commandLine().getOut());
    String measure = answer.path("measure").asText("bytes");
    printer.header(
        List.of(
            new RowPrinter.Column("kind", false),
            new RowPrinter.Column("key", false),
            new RowPrinter.Column("estimated_" + measure, true),
            new RowPrinter.Column("lower", true),
            new RowPrinter.Column("upper", true),
            new RowPrinter.Column("share", true),
            new RowPrinter.Column("change", true)));
    for (JsonNode row : answer.path("rows")) {
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
    if (format == RowFormat.TABLE && answer.hasNonNull("epoch")) {
      spec.commandLine().getErr().println("epoch of " + answer.path("epoch").asText());
    }
    return 0;
  }

  private static void put(Map<String, String> parameters, String name, String value) {
    if (value != null) {
      parameters.put(name, value);
    }
  }
}

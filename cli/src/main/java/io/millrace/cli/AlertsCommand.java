package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.console.Instants;
import io.millrace.cli.print.RowFormat;
import io.millrace.cli.print.RowPrinter;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "alerts",
    description = {
      "Past heavy hitters, changers and trends, newest first: the key, when it was first and "
          + "last seen, its largest window, and its previous or expected volume. Requires "
          + "hitters, flow_trends or trends to be enabled."
    },
    footer = {
      "",
      "  millrace alerts",
      "  millrace alerts --last 7d --kind hitter,changer",
      "  millrace alerts --key 192.0.2.1 --format json"
    })
final class AlertsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private InstanceOption instance;

  @Option(names = "--last", paramLabel = "1d", description = "Time range up to now; 1d by default.")
  private String last;

  @Option(names = "--from", paramLabel = "T", description = "Start, inclusive.")
  private String from;

  @Option(names = "--to", paramLabel = "T", description = "End, exclusive.")
  private String to;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      description = "Comma-separated list of hitter, changer, trend; all by default.")
  private String kind;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "Only keys that contain this text, such as an address or an AS.")
  private String key;

  @Option(names = "-n", paramLabel = "N", description = "Maximum number of rows; 20 by default.")
  private int n = 20;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}; table by default.")
  private RowFormat format = RowFormat.TABLE;

  @Override
  public Integer call() throws IOException {
    Map<String, String> parameters = new LinkedHashMap<>();
    put(parameters, "last", last);
    put(parameters, "from", from == null ? null : Instants.parse("--from", from).toString());
    put(parameters, "to", to == null ? null : Instants.parse("--to", to).toString());
    put(parameters, "kind", kind);
    put(parameters, "key", key);
    parameters.put("n", Integer.toString(n));
    JsonNode response = instance.client().get("/api/v1/alerts", parameters);
    RowPrinter printer = RowPrinter.of(format, spec.commandLine().getOut());
    printer.header(
        List.of(
            new RowPrinter.Column("kind", false),
            new RowPrinter.Column("by", false),
            new RowPrinter.Column("key", false),
            new RowPrinter.Column("first_seen", false),
            new RowPrinter.Column("last_seen", false),
            new RowPrinter.Column("peak", true),
            new RowPrinter.Column("before", true),
            new RowPrinter.Column("measure", false),
            new RowPrinter.Column("share", true)));
    for (JsonNode row : response.path("rows")) {
      printer.row(
          new String[] {
            row.path("kind").asText(),
            row.path("by").asText(),
            row.path("key").asText(),
            row.path("first_seen").asText(),
            row.path("last_seen").asText(),
            row.path("peak").asText(),
            row.path("baseline").isNull() ? null : row.path("baseline").asText(),
            row.path("measure").asText(),
            row.path("share").isNull()
                ? null
                : String.format(Locale.ROOT, "%.4f", row.path("share").asDouble())
          });
    }
    printer.end();
    if (format == RowFormat.TABLE) {
      String note = response.path("note").asText();
      spec.commandLine()
          .getErr()
          .println(
              note.isEmpty()
                  ? response.path("from").asText() + " to " + response.path("to").asText()
                  : note);
    }
    return 0;
  }

  private static void put(Map<String, String> parameters, String name, String value) {
    if (value != null) {
      parameters.put(name, value);
    }
  }
}

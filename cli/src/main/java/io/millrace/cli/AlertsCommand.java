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

/** {@code millrace alerts}: heavy hitters, changers and trends of the past. */
@Command(
    name = "alerts",
    description = {
      "Heavy hitters, changers and trends of the past, each once, the newest first: the key, when it"
          + " was first and last seen, its greatest window, and what it had before or was expected."
          + " They are found where hitters, flow_trends or trends are enabled."
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

  @Option(names = "--last", paramLabel = "1d", description = "Back from now; a day by default.")
  private String last;

  @Option(names = "--from", paramLabel = "T", description = "From this instant on, inclusive.")
  private String from;

  @Option(names = "--to", paramLabel = "T", description = "Up to this instant, exclusive.")
  private String to;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      description = "Some of hitter, changer, trend with commas between; all by default.")
  private String kind;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "Only this key, or keys of which this is a part: an address, an AS.")
  private String key;

  @Option(names = "-n", paramLabel = "N", description = "How many; 20 by default.")
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
    JsonNode answer = instance.client().get("/api/v1/alerts", parameters);
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
    for (JsonNode row : answer.path("rows")) {
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
      String note = answer.path("note").asText();
      spec.commandLine()
          .getErr()
          .println(
              note.isEmpty()
                  ? answer.path("from").asText() + " to " + answer.path("to").asText()
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

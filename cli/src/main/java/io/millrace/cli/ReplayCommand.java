package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.console.Instants;
import io.millrace.cli.console.Progress;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code millrace replay}: a stretch of the log again, into tables of its own. */
@Command(
    name = "replay",
    description = {
      "Run a stretch of the log again, through the decoder and the data sets that the running instance"
          + " has now, into tables of its own: compare them in SQL. Prints the tables' names."
    },
    footer = {"", "  millrace replay --from 2026-01-31T12:00 --to 2026-01-31T13:00"})
final class ReplayCommand implements Callable<Integer> {
  private static final long LOOK_MILLIS = 200;

  @Spec private CommandSpec spec;
  @Mixin private InstanceOption instance;

  @Option(names = "--from", required = true, paramLabel = "T", description = "Arrival, inclusive.")
  private String from;

  @Option(names = "--to", required = true, paramLabel = "T", description = "Arrival, exclusive.")
  private String to;

  @Option(
      names = "--pipeline",
      paramLabel = "NAME",
      defaultValue = "flows",
      description = "What to run; flows by default.")
  private String pipeline;

  @Override
  public Integer call() throws IOException, InterruptedException {
    ApiClient client = instance.client();
    JsonNode replay =
        client.post(
            "/api/v1/replay",
            Map.of(
                "from", Instants.parse("--from", from).toString(),
                "to", Instants.parse("--to", to).toString(),
                "pipeline", pipeline));
    String table = replay.path("table").asText();
    try (Progress progress = new Progress("replay into " + table)) {
      while (replay.path("state").asText().equals("running")) {
        progress.update(
            replay.path("rows").asLong(),
            replay.path("values_done").asLong(),
            replay.path("values").asLong());
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        replay = client.get("/api/v1/replay", Map.of("table", table));
      }
    }
    if (replay.path("state").asText().equals("failed")) {
      throw new IOException(
          "the replay into " + table + " failed: " + replay.path("failure").asText());
    }
    spec.commandLine()
        .getOut()
        .printf(
            "%s: %,d rows from %,d log values%n",
            table, replay.path("rows").asLong(), replay.path("values").asLong());
    for (JsonNode results : replay.path("result_tables")) {
      spec.commandLine().getOut().println(results.asText());
    }
    spec.commandLine().getOut().flush();
    return 0;
  }
}

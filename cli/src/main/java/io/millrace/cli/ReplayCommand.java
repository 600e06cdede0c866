package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.console.Instants;
import io.millrace.cli.console.Progress;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "replay",
    description = {
      "Reprocess a range of the log with the running instance's current decoder and data sets, "
          + "into separate tables for comparison in SQL. Prints the names of the tables."
    },
    footer = {
      "",
      "  millrace replay --from 2026-01-31T12:00 --to 2026-01-31T13:00",
      "  millrace replay --drop replay_20260131_130102_345"
    })
final class ReplayCommand implements Callable<Integer> {
  private static final long POLL_MILLIS = 200;

  @Spec private CommandSpec spec;
  @Mixin private InstanceOption instance;

  @ArgGroup(multiplicity = "1")
  private Choice choice;

  private static final class Choice {
    @ArgGroup(exclusive = false, multiplicity = "1")
    private TimeRange range;

    @Option(
        names = "--drop",
        paramLabel = "NAME",
        description = "Stop the replay of that name and drop its tables.")
    private String drop;
  }

  private static final class TimeRange {
    @Option(
        names = "--from",
        required = true,
        paramLabel = "T",
        description = "Start by arrival time, inclusive.")
    private String from;

    @Option(
        names = "--to",
        required = true,
        paramLabel = "T",
        description = "End by arrival time, exclusive.")
    private String to;

    @Option(
        names = "--pipeline",
        paramLabel = "NAME",
        defaultValue = "flows",
        description = "Pipeline to run; flows by default.")
    private String pipeline;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    ApiClient client = instance.client();
    return choice.drop == null ? replay(client, choice.range) : drop(client, choice.drop);
  }

  private int drop(ApiClient client, String name) throws IOException {
    JsonNode dropped = client.delete("/api/v1/replay", Map.of("table", name)).path("dropped");
    for (JsonNode table : dropped) {
      spec.commandLine().getOut().println("dropped " + table.asText());
    }
    spec.commandLine().getOut().flush();
    return 0;
  }

  private int replay(ApiClient client, TimeRange range) throws IOException, InterruptedException {
    JsonNode replay =
        client.post(
            "/api/v1/replay",
            Map.of(
                "from", Instants.parse("--from", range.from).toString(),
                "to", Instants.parse("--to", range.to).toString(),
                "pipeline", range.pipeline));
    String table = replay.path("table").asText();
    try (Progress progress = new Progress("replay into " + table)) {
      while (replay.path("state").asText().equals("running")) {
        progress.update(
            replay.path("rows").asLong(),
            replay.path("values_done").asLong(),
            replay.path("values").asLong());
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
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

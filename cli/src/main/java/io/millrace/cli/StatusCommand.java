package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.console.EscapingWriter;
import io.millrace.cli.console.Terminal;
import io.millrace.cli.console.Watch;
import io.millrace.cli.status.ClusterText;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "status",
    description = {
      "Show the state of the running instance: rates, lag, checkpoints and problems; for each "
          + "step of its jobs the rate, the busy, back-pressured and idle time, and the event-time "
          + "lag; for each host the utilisation of its cores, sampled every 500 ms, and its "
          + "subtasks.",
      "",
      "With --jobmanager, show the jobs and hosts of a Flink cluster."
    },
    footer = {"", "  millrace status --watch", "  millrace status --jobmanager flink1:8081 --json"})
final class StatusCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ClusterSource source;

  @Option(names = "--json", description = "Print the API's response on one line.")
  private boolean json;

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
    ClusterSource.Status status = source.read();
    PrintWriter out = spec.commandLine().getOut();
    boolean clears = watchSeconds != null && Terminal.isStandardOutput() && !json;
    if (clears) {
      EscapingWriter.clear(out);
    }
    if (json) {
      out.println(status.instance().orElseGet(() -> status.cluster().orElseThrow().toJson()));
    } else {
      status.instance().ifPresent(instance -> printInstance(out, instance));
      if (status.instance().isPresent() && status.cluster().isPresent()) {
        out.println();
      }
      status
          .cluster()
          .ifPresent(
              cluster ->
                  new ClusterText(cluster, Terminal.isStandardOutput(), Terminal.columns(), out)
                      .print());
    }
    out.flush();
    return 0;
  }

  private static void printInstance(PrintWriter out, JsonNode status) {
    line(out, "state", status.path("state").asText());
    JsonNode fileWriters = status.path("counters").path("store.file-writers");
    if (fileWriters.isNumber()) {
      line(
          out,
          "files",
          "written by " + fileWriters.asLong() + " sinks on the cluster, not by this process");
    }
    line(out, "uptime", duration(status.path("uptime_ms").asLong()));
    if (status.path("flight_sql").isTextual()) {
      line(out, "Flight SQL", status.path("flight_sql").asText());
    }
    line(out, "received", number(status, "datagrams_in") + " datagrams");
    line(
        out,
        "decoded",
        number(status, "samples_in") + " samples, " + number(status, "samples_in_rate") + "/s");
    line(
        out,
        "stored",
        number(status, "rows_stored") + " rows, " + number(status, "rows_stored_rate") + "/s");
    line(out, "table flows", number(status, "rows") + " rows, " + size(status, "disk_bytes"));
    line(out, "lag", text(status.path("lag_batches"), " batches"));
    line(out, "newest row", text(status.path("freshness_ms"), " ms old"));
    JsonNode checkpoint = status.path("checkpoint");
    line(
        out,
        "checkpoint",
        checkpoint.isNull()
            ? status.path("restarts").isNull() ? "unknown" : "none yet"
            : String.format(
                Locale.ROOT,
                "%d, %.1f s ago, took %d ms",
                checkpoint.path("id").asLong(),
                checkpoint.path("age_ms").asLong() / 1e3,
                checkpoint.path("duration_ms").asLong()));
    line(out, "restarts", text(status.path("restarts"), ""));
    status.path("problems").forEach(problem -> out.println("! " + problem.asText()));
  }

  private static void line(PrintWriter out, String name, String value) {
    out.printf("%-12s%s%n", name, value);
  }

  private static String number(JsonNode status, String key) {
    return String.format(Locale.ROOT, "%,.0f", status.path(key).asDouble());
  }

  private static String size(JsonNode status, String key) {
    return String.format(Locale.ROOT, "%,.1f MiB on disk", status.path(key).asDouble() / (1 << 20));
  }

  private static String text(JsonNode value, String unit) {
    return value.isNull() ? "unknown" : value.asText() + unit;
  }

  private static String duration(long millis) {
    long seconds = millis / 1_000;
    return String.format(
        Locale.ROOT, "%d:%02d:%02d", seconds / 3_600, seconds / 60 % 60, seconds % 60);
  }
}

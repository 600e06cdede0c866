package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code millrace status}: rates, lag and checkpoints of the running instance. */
@Command(
    name = "status",
    description = "How the running instance is doing: rates, lag, checkpoints, problems.")
final class StatusCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private InstanceOption instance;

  @Option(names = "--json", description = "The API's answer as it is.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    JsonNode status = instance.client().get("/api/v1/status", Map.of());
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(status);
      out.flush();
      return 0;
    }
    line(out, "state", status.path("state").asText());
    line(out, "up for", duration(status.path("uptime_ms").asLong()));
    line(out, "received", number(status, "datagrams_in") + " datagrams");
    line(
        out,
        "decoded",
        number(status, "samples_in") + " samples, " + number(status, "samples_in_rate") + "/s");
    line(
        out,
        "stored",
        number(status, "rows_stored") + " rows, " + number(status, "rows_stored_rate") + "/s");
    line(out, "in flows", number(status, "rows") + " rows, " + size(status, "disk_bytes"));
    line(out, "lag", text(status.path("lag_batches"), " log values"));
    line(out, "newest row", text(status.path("freshness_ms"), " ms old"));
    JsonNode checkpoint = status.path("checkpoint");
    line(
        out,
        "checkpoint",
        checkpoint.isNull()
            ? "none yet"
            : String.format(
                Locale.ROOT,
                "%d, %.1f s ago, took %d ms",
                checkpoint.path("id").asLong(),
                checkpoint.path("age_ms").asLong() / 1e3,
                checkpoint.path("duration_ms").asLong()));
    line(out, "restarts", number(status, "restarts"));
    status.path("problems").forEach(problem -> out.println("! " + problem.asText()));
    out.flush();
    return 0;
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

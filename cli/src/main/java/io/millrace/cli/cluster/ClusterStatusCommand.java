package io.millrace.cli.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.cli.console.UsageException;
import io.millrace.cli.print.RowFormat;
import io.millrace.cli.print.RowPrinter;
import io.millrace.cluster.ClusterDirectory;
import io.millrace.cluster.ClusterProcess;
import io.millrace.cluster.Role;
import io.millrace.engine.job.FlinkRest;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
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
    name = "status",
    description =
        "The processes of the cluster, its free slots and its jobs. A process is up, frozen or "
            + "dead; a TaskManager without slots is not registered.",
    footer = {"", "  millrace cluster status", "  millrace cluster status --json"})
final class ClusterStatusCommand implements Callable<Integer> {
  private static final List<RowPrinter.Column> COLUMNS =
      List.of(
          new RowPrinter.Column("process", false),
          new RowPrinter.Column("role", false),
          new RowPrinter.Column("host", false),
          new RowPrinter.Column("pid", true),
          new RowPrinter.Column("state", false),
          new RowPrinter.Column("since", false),
          new RowPrinter.Column("address", false),
          new RowPrinter.Column("slots", true),
          new RowPrinter.Column("free", true));

  @Spec private CommandSpec spec;
  @Mixin private ClusterDirectoryOption place;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  /** State of Flink; components are null while there is no leader. */
  private record Flink(
      FlinkRest.Overview overview,
      Map<String, FlinkRest.TaskManager> taskManagers,
      List<FlinkRest.Job> jobs) {
    static Flink query(List<String> addresses) {
      try {
        FlinkRest rest = new FlinkRest(addresses);
        Map<String, FlinkRest.TaskManager> byName = new HashMap<>();
        rest.taskManagers().forEach(one -> byName.put(one.id(), one));
        return new Flink(rest.overview(), byName, rest.jobs());
      } catch (IOException e) {
        return new Flink(null, Map.of(), List.of());
      }
    }
  }

  @Override
  public Integer call() throws IOException {
    ClusterDirectory directory = place.directory();
    ClusterDirectory.Addresses addresses =
        directory
            .addresses()
            .orElseThrow(() -> new UsageException("no cluster is running in " + directory.root()));
    List<ClusterProcess> processes = directory.processes();
    Flink flink = Flink.query(addresses.rest());
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(json(directory, addresses, processes, flink));
    } else {
      print(out, addresses, processes, flink);
    }
    out.flush();
    return 0;
  }

  private static void print(
      PrintWriter out,
      ClusterDirectory.Addresses addresses,
      List<ClusterProcess> processes,
      Flink flink) {
    RowPrinter table = RowPrinter.of(RowFormat.TABLE, out);
    table.header(COLUMNS);
    for (ClusterProcess process : processes) {
      FlinkRest.TaskManager slots = slots(process, flink);
      table.row(
          new String[] {
            process.name(),
            role(process),
            process.host(),
            Long.toString(process.pid()),
            state(process),
            since(process.since()),
            process.address(),
            slots == null ? null : Integer.toString(slots.slots()),
            slots == null ? null : Integer.toString(slots.freeSlots())
          });
    }
    table.end();
    out.println();
    out.println("Flink  " + String.join(" ", addresses.rest()));
    out.println("Kafka  " + addresses.bootstrapServers());
    ClusterDirectory.trino(processes).ifPresent(url -> out.println("Trino  " + url));
    if (flink.overview == null) {
      out.println("! no JobManager responds");
      return;
    }
    out.printf("slots  %d of %d are free%n", flink.overview.freeSlots(), flink.overview.slots());
    if (flink.jobs.isEmpty()) {
      out.println("jobs   none");
    }
    flink.jobs.forEach(
        job ->
            out.printf(
                "job    %s  %s  since %s  %d tasks  %s%n",
                job.id(),
                job.state().toLowerCase(Locale.ROOT),
                since(Instant.ofEpochMilli(job.startMillis())),
                job.tasks(),
                job.name()));
  }

  private static ObjectNode json(
      ClusterDirectory directory,
      ClusterDirectory.Addresses addresses,
      List<ClusterProcess> processes,
      Flink flink) {
    ObjectNode all = new ObjectMapper().createObjectNode();
    all.put("directory", directory.root().toString());
    ArrayNode rest = all.putArray("rest");
    addresses.rest().forEach(rest::add);
    all.put("bootstrap_servers", addresses.bootstrapServers());
    all.put("checkpoints", addresses.checkpoints());
    ClusterDirectory.trino(processes).ifPresent(url -> all.put("trino", url));
    all.put("answers", flink.overview != null);
    if (flink.overview != null) {
      all.put("flink_version", flink.overview.version());
      all.put("slots", flink.overview.slots());
      all.put("free_slots", flink.overview.freeSlots());
    }
    ArrayNode list = all.putArray("processes");
    for (ClusterProcess process : processes) {
      ObjectNode one = list.addObject();
      one.put("process", process.name());
      one.put("role", role(process));
      one.put("host", process.host());
      one.put("pid", process.pid());
      one.put("state", state(process));
      one.put("since", process.since().toString());
      one.put("address", process.address());
      one.put("log", process.log().toString());
      FlinkRest.TaskManager slots = slots(process, flink);
      if (slots != null) {
        one.put("slots", slots.slots());
        one.put("free_slots", slots.freeSlots());
      }
    }
    ArrayNode jobs = all.putArray("jobs");
    for (FlinkRest.Job job : flink.jobs) {
      ObjectNode one = jobs.addObject();
      one.put("id", job.id());
      one.put("name", job.name());
      one.put("state", job.state());
      one.put("since", Instant.ofEpochMilli(job.startMillis()).toString());
      one.put("tasks", job.tasks());
    }
    return all;
  }

  private static FlinkRest.TaskManager slots(ClusterProcess process, Flink flink) {
    return process.role() == Role.TASKMANAGER ? flink.taskManagers.get(process.name()) : null;
  }

  private static String role(ClusterProcess process) {
    return process.role().name().toLowerCase(Locale.ROOT);
  }

  private static String state(ClusterProcess process) {
    return process.frozen() ? "frozen" : process.alive() ? "up" : "dead";
  }

  private static String since(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}

package io.millrace.cli.status;

import io.millrace.cli.print.Plural;
import io.millrace.cli.print.RowFormat;
import io.millrace.cli.print.RowPrinter;
import io.millrace.cli.print.RowPrinter.Column;
import io.millrace.engine.job.ClusterStatus;
import io.millrace.engine.job.ClusterStatus.Checkpoint;
import io.millrace.engine.job.ClusterStatus.Checkpoints;
import io.millrace.engine.job.ClusterStatus.Core;
import io.millrace.engine.job.ClusterStatus.Host;
import io.millrace.engine.job.ClusterStatus.Job;
import io.millrace.engine.job.ClusterStatus.Load;
import io.millrace.engine.job.ClusterStatus.Step;
import io.millrace.engine.job.ClusterStatus.Subtask;
import io.millrace.engine.job.ClusterStatus.TaskManager;
import io.millrace.engine.job.ClusterStatus.Usage;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Prints the status of a cluster: a table of steps for each job, a table of hosts, idle and
 * overloaded hosts.
 */
public final class ClusterText {
  /** Samples in the sparkline of a core: ten seconds. */
  private static final int CURVE = 20;

  private static final int ID_LENGTH = 8;

  /**
   * Line width of the full table of steps. Narrower tables omit columns that are repeated below.
   */
  private static final int WIDE = 140;

  private static final int NARROW_NUMBERS = 60;

  private final ClusterStatus status;
  private final boolean drawn;
  private final int columns;
  private final PrintWriter out;

  /**
   * Creates a printer.
   *
   * @param drawn whether to use bars and sparklines, for a terminal
   * @param columns characters of a line
   */
  public ClusterText(ClusterStatus status, boolean drawn, int columns, PrintWriter out) {
    this.status = status;
    this.drawn = drawn;
    this.columns = columns;
    this.out = out;
  }

  /** Prints the cluster. */
  public void print() {
    if (status.jobs().isEmpty()) {
      out.println("no job is running");
    }
    for (Job job : status.jobs()) {
      job(job);
      out.println();
    }
    hosts();
    out.flush();
  }

  private void job(Job job) {
    out.printf("job %s: %s, %s%n", job.name(), job.state(), Plural.of(job.restarts(), "restart"));
    out.println("lag: " + (job.lag() == null ? "unknown" : number(job.lag()) + " batches"));
    out.println(checkpoints(job.checkpoints()));
    if (job.failure() != null) {
      out.println("! last failure: " + job.failure());
    }
    if (job.steps().isEmpty()) {
      return;
    }
    if (columns < WIDE) {
      narrowSteps(job);
    } else {
      steps(job);
    }
    // Below the table, which would truncate them.
    for (Step step : job.steps()) {
      out.println("subtasks of " + cut(step.name()) + " on " + where(step));
    }
  }

  private void steps(Job job) {
    RowPrinter table =
        table(
            new Column("step", false),
            new Column("subtasks", true),
            new Column("in/s", true),
            new Column("out/s", true),
            new Column("busy", true),
            new Column("back-pressured", true),
            new Column("idle", true),
            new Column("lag", true),
            new Column("busiest", false));
    for (Step step : job.steps()) {
      Load load = step.load();
      table.row(
          new String[] {
            step.name(),
            subtasks(step),
            rate(load.rowsIn(), load.recordsIn()),
            rate(load.rowsOut(), load.recordsOut()),
            share(load.busy()),
            share(load.backPressured()),
            share(load.idle()),
            seconds(load.lagMillis()),
            step.busiest().map(this::busiest).orElse("-")
          });
    }
    table.end();
  }

  private void narrowSteps(Job job) {
    RowPrinter table = RowPrinter.ofTable(out, Math.max(ID_LENGTH, columns - NARROW_NUMBERS));
    table.header(
        List.of(
            new Column("step", false),
            new Column("tasks", true),
            new Column("in/s", true),
            new Column("out/s", true),
            new Column("busy", true),
            new Column("held", true),
            new Column("lag", true)));
    for (Step step : job.steps()) {
      Load load = step.load();
      table.row(
          new String[] {
            step.name(),
            subtasks(step),
            rate(load.rowsIn(), load.recordsIn()),
            rate(load.rowsOut(), load.recordsOut()),
            Bars.percent(load.busy()),
            Bars.percent(load.backPressured()),
            seconds(load.lagMillis())
          });
    }
    table.end();
  }

  private static String subtasks(Step step) {
    return step.parallelism() + (step.state().equals("RUNNING") ? "" : " " + step.state());
  }

  private String cut(String name) {
    return name.length() <= columns / 2 ? name : name.substring(0, columns / 2 - 1) + "…";
  }

  private String busiest(Subtask subtask) {
    return "#"
        + subtask.index()
        + (subtask.host().isEmpty() ? "" : " on " + subtask.host())
        + ' '
        + Bars.percent(subtask.load().busy());
  }

  private static String checkpoints(Checkpoints checkpoints) {
    Checkpoint last = checkpoints.last();
    String counts =
        number(checkpoints.completed()) + " completed, " + number(checkpoints.failed()) + " failed";
    return last == null
        ? "checkpoint: none yet; " + counts
        : String.format(
            Locale.ROOT,
            "checkpoint: %d, %.1f s ago, took %d ms, %s; %s",
            last.id(),
            last.ageMillis() / 1e3,
            last.durationMillis(),
            size(last.bytes()),
            counts);
  }

  private String where(Step step) {
    Map<String, List<String>> places = new TreeMap<>();
    for (Subtask subtask : step.subtasks()) {
      places
          .computeIfAbsent(place(subtask), place -> new ArrayList<>())
          .add(Integer.toString(subtask.index()));
    }
    return places.entrySet().stream()
        .map(place -> place.getKey() + ": " + String.join(" ", place.getValue()))
        .collect(Collectors.joining(", "));
  }

  private String place(Subtask subtask) {
    if (subtask.taskManager().isEmpty()) {
      return "nowhere";
    }
    for (Host host : status.hosts()) {
      for (TaskManager taskManager : host.taskManagers()) {
        if (taskManager.id().equals(subtask.taskManager())) {
          return host.taskManagers().size() == 1
              ? host.name()
              : host.name() + '/' + shortName(taskManager, host);
        }
      }
    }
    return subtask.host();
  }

  /** Name of a TaskManager: its address if the host has several. */
  private static String shortName(TaskManager taskManager, Host host) {
    boolean unique =
        !taskManager.address().isEmpty()
            && host.taskManagers().stream()
                    .filter(other -> other.address().equals(taskManager.address()))
                    .count()
                == 1;
    String id = taskManager.id();
    return unique ? taskManager.address() : id.substring(0, Math.min(ID_LENGTH, id.length()));
  }

  private void hosts() {
    RowPrinter table =
        table(
            new Column("host", false),
            new Column("TaskManagers", true),
            new Column("slots used", true),
            new Column("cores", true),
            new Column("CPU", true),
            new Column("variation", true));
    for (Host host : status.hosts()) {
      Usage cpu = host.cpu();
      table.row(
          new String[] {
            host.name(),
            Integer.toString(host.taskManagers().size()),
            (host.slots() - host.freeSlots()) + " of " + host.slots(),
            Integer.toString(host.cores()),
            share(cpu == null ? null : cpu.mean()),
            cpu == null ? "-" : String.format(Locale.ROOT, "%.2f", cpu.variation())
          });
    }
    table.end();
    for (Host host : status.hosts()) {
      out.println(
          "cores of "
              + host.name()
              + (host.coreUse().isEmpty()
                  ? " are not sampled: its TaskManager has no host reporter"
                  : (drawn ? ", last 10 s and mean of 30 s: " : ", now and mean of 30 s: ")
                      + host.coreUse().stream().map(this::core).collect(Collectors.joining(", "))));
    }
    if (status.cpu() != null) {
      out.printf(
          Locale.ROOT,
          "CPU over %s: mean %s, coefficient of variation %.2f%n",
          Plural.of(status.hosts().stream().filter(host -> host.cpu() != null).count(), "host"),
          Bars.percent(status.cpu().mean()),
          status.cpu().variation());
    }
    out.println("idle hosts: " + names(status.idleHosts()));
    out.println("overloaded hosts: " + names(status.overloadedHosts()));
  }

  private String core(Core core) {
    List<Double> samples = core.samples();
    String mean = Bars.percent(core.cpu().mean());
    return drawn
        ? Bars.curve(samples.subList(Math.max(0, samples.size() - CURVE), samples.size()))
            + ' '
            + mean
        : Bars.percent(core.last()) + ' ' + mean;
  }

  private static String names(List<String> hosts) {
    return hosts.isEmpty() ? "none" : String.join(", ", hosts);
  }

  private RowPrinter table(Column... columns) {
    RowPrinter table = RowPrinter.of(RowFormat.TABLE, out);
    table.header(List.of(columns));
    return table;
  }

  private String share(Double share) {
    return drawn ? Bars.bar(share) : Bars.percent(share);
  }

  /**
   * Rate in rows or, for a step without row counts, in Flink's records, which are blocks or log
   * values.
   */
  private static String rate(Double rows, Double records) {
    if (rows != null) {
      return String.format(Locale.ROOT, "%,.0f rows", rows);
    }
    return records == null ? "-" : String.format(Locale.ROOT, "%,.0f blocks", records);
  }

  private static String seconds(Double millis) {
    return millis == null ? "-" : String.format(Locale.ROOT, "%,.1f s", millis / 1e3);
  }

  private static String number(long n) {
    return String.format(Locale.ROOT, "%,d", n);
  }

  private static String size(long bytes) {
    return bytes < 1 << 20
        ? String.format(Locale.ROOT, "%,.1f KiB", bytes / 1024.0)
        : String.format(Locale.ROOT, "%,.1f MiB", bytes / 1024.0 / 1024.0);
  }
}

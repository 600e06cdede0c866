package io.millrace.cli;

import io.millrace.cli.console.UsageException;
import io.millrace.cli.status.AdviceText;
import io.millrace.engine.advice.Advice;
import io.millrace.engine.advice.Advisor;
import io.millrace.engine.job.ClusterStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "advise",
    description = {
      "Measure the jobs for a while and recommend a number of subtasks for each step, with the "
          + "figures it follows from. A step that is busy near 100%% of its time is saturated, "
          + "whatever its rate. Also list hosts that are idle while others are overloaded.",
      "",
      "Changes nothing. Run it under the load to size for."
    },
    footer = {"", "  millrace advise --seconds 60", "  millrace advise --jobmanager flink1:8081"})
final class AdviseCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ClusterSource source;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Time to measure, at least 1; 10 by default.")
  private int seconds = 10;

  @Option(names = "--json", description = "Print the advice as JSON on one line.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (seconds < 1) {
      throw new UsageException("--seconds " + seconds + ": at least 1");
    }
    Advice advice = Advisor.advise(ClusterStatus.over(watch()));
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(advice.toJson());
    } else {
      AdviceText.print(advice, out);
    }
    out.flush();
    return 0;
  }

  private List<ClusterStatus> watch() throws IOException {
    List<ClusterStatus> readings = new ArrayList<>();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (long next = System.nanoTime(); next < end; next += TimeUnit.SECONDS.toNanos(1)) {
      try {
        TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
      readings.add(
          source
              .read()
              .cluster()
              .orElseThrow(
                  () ->
                      new IOException(
                          "the jobs run on a cluster; name it with --jobmanager HOST:PORT")));
    }
    if (readings.isEmpty()) {
      throw new IOException("interrupted");
    }
    return readings;
  }
}

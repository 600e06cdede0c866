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

/** {@code millrace advise}: which step should have more subtasks and which fewer. */
@Command(
    name = "advise",
    description = {
      "Watches the jobs for a while and says, a line a step, whether it should have more subtasks or"
          + " fewer, how many, and the figures that say so: a step that is busy near 100%% of its time"
          + " can take no more, whatever its rate. Then which hosts idle while others are full.",
      "",
      "Nothing is changed. Watch under the load that it is to be right for."
    },
    footer = {"", "  millrace advise --seconds 60", "  millrace advise --jobmanager flink1:8081"})
final class AdviseCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ClusterSource source;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long to watch, at least 1; 10 by default.")
  private int seconds = 10;

  @Option(names = "--json", description = "The advice as JSON, in one line.")
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

  /** A look a second; each takes a part of its second. */
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
              .look()
              .cluster()
              .orElseThrow(
                  () ->
                      new IOException(
                          "the instance runs no job itself; name the cluster with --jobmanager HOST:PORT")));
    }
    if (readings.isEmpty()) {
      throw new IOException("interrupted");
    }
    return readings;
  }
}

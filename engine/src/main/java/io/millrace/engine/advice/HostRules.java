package io.millrace.engine.advice;

import io.millrace.engine.job.ClusterStatus;
import io.millrace.engine.job.ClusterStatus.Host;
import io.millrace.engine.job.ClusterStatus.Job;
import io.millrace.engine.job.ClusterStatus.Subtask;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

final class HostRules {
  private static final String SPREAD =
      "set taskmanager.load-balance.mode: SLOTS (and with the adaptive scheduler"
          + " jobmanager.adaptive-scheduler.prefer-minimal-taskmanagers: false), so that subtasks are"
          + " spread";

  private HostRules() {}

  static List<String> apply(ClusterStatus cluster, boolean stepsWantMore) {
    List<String> notes = new ArrayList<>();
    Set<String> occupied =
        cluster.jobs().stream()
            .map(Job::steps)
            .flatMap(List::stream)
            .flatMap(step -> step.subtasks().stream())
            .map(Subtask::taskManager)
            .collect(Collectors.toSet());
    boolean others = !cluster.overloadedHosts().isEmpty();
    for (Host host : cluster.hosts()) {
      boolean idle = cluster.idleHosts().contains(host.name());
      boolean empty = host.taskManagers().stream().noneMatch(one -> occupied.contains(one.id()));
      if (idle && empty && !cluster.jobs().isEmpty()) {
        notes.add(nothingRuns(host, others, stepsWantMore));
      } else if (idle && others) {
        notes.add(
            "host "
                + host.name()
                + " idles"
                + use(host)
                + " while "
                + String.join(", ", cluster.overloadedHosts())
                + " is full: "
                + SPREAD);
      }
      if (cluster.overloadedHosts().contains(host.name())) {
        notes.add(overloaded(host, cluster));
      }
    }
    return notes;
  }

  /**
   * Unless configured to spread subtasks, Flink fills the first slots or the fewest TaskManagers.
   */
  private static String nothingRuns(Host host, boolean others, boolean stepsWantMore) {
    String what = "host " + host.name() + " runs nothing, " + free(host) + ": ";
    if (others) {
      return what + SPREAD;
    }
    return stepsWantMore
        ? what + "give it subtasks of the steps above"
        : what + "no job needs it now";
  }

  private static String free(Host host) {
    int slots = host.freeSlots();
    return slots == 1 ? "1 slot is free" : slots + " slots are free";
  }

  private static String overloaded(Host host, ClusterStatus cluster) {
    boolean alone =
        cluster.hosts().stream().allMatch(o -> cluster.overloadedHosts().contains(o.name()));
    return "host "
        + host.name()
        + " is full"
        + use(host)
        + ": "
        + (Situation.usedByOthers(cluster, host)
            ? "most of that is other processes; move them to another host"
            : alone
                ? "add a host"
                : "fewer slots there (taskmanager.numberOfTaskSlots), or spread subtasks over the others");
  }

  private static String use(Host host) {
    return host.cpu() == null
        ? ""
        : " (" + StepRules.percent(host.cpu().mean()) + " of its " + host.cores() + " cores)";
  }
}

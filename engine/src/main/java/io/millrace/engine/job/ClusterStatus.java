package io.millrace.engine.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A Flink cluster at one moment: machines, jobs, their steps, and which subtask runs where. Shares
 * are from 0 to 1. What is not known (yet) is null, in the JSON too. Immutable.
 *
 * @param nowMillis when it was read, milliseconds since the epoch
 * @param flinkVersion of the cluster
 * @param cpu the use of the processors over hosts: of those whose use is known, each counts once,
 *     however many cores it has; null if of none
 * @param idleHosts names of those on which no subtask runs, or whose cores work less than {@link
 *     #IDLE} of the time
 * @param overloadedHosts names of those whose cores work more than {@link #OVERLOADED} of the time
 * @param hosts machines with TaskManagers, by name
 * @param jobs that have not ended, and those that have failed
 */
public record ClusterStatus(
    long nowMillis,
    String flinkVersion,
    Usage cpu,
    List<String> idleHosts,
    List<String> overloadedHosts,
    List<Host> hosts,
    List<Job> jobs) {

  /** Below this mean a host's cores do nothing worth a host. */
  public static final double IDLE = 0.1;

  /** Above this mean a host's cores have no room for a burst. */
  public static final double OVERLOADED = 0.85;

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  /**
   * Use of several like things (samples of a core, cores of a host, hosts of a cluster).
   *
   * @param mean share
   * @param variation coefficient of variation: standard deviation by mean; 0 where all are alike
   */
  public record Usage(double mean, double variation) {
    /** Of the values; null if there are none. */
    public static Usage of(List<Double> values) {
      if (values.isEmpty()) {
        return null;
      }
      double sum = 0;
      for (double value : values) {
        sum += value;
      }
      double mean = sum / values.size();
      double squares = 0;
      for (double value : values) {
        squares += (value - mean) * (value - mean);
      }
      return new Usage(mean, mean == 0 ? 0 : Math.sqrt(squares / values.size()) / mean);
    }
  }

  /**
   * A machine: everything under one running kernel, so that no core is counted twice.
   *
   * @param name for people
   * @param machine the kernel's id, or what stands for it where no samples are taken: the address
   * @param cores that the machine has
   * @param cpu its use over its cores; null where no samples are taken
   * @param sampleMillis between two samples; 0 where none are taken
   * @param sampledMillis when the last sample was taken, milliseconds since the epoch; 0 if never
   * @param coreUse by core; empty where no samples are taken
   */
  public record Host(
      String name,
      String machine,
      int cores,
      Usage cpu,
      int sampleMillis,
      long sampledMillis,
      List<Core> coreUse,
      List<TaskManager> taskManagers) {

    Host withName(String other) {
      return new Host(
          other, machine, cores, cpu, sampleMillis, sampledMillis, coreUse, taskManagers);
    }

    /** Slots of all its TaskManagers. */
    public int slots() {
      return taskManagers.stream().mapToInt(TaskManager::slots).sum();
    }

    /** Slots in which nothing runs. */
    public int freeSlots() {
      return taskManagers.stream().mapToInt(TaskManager::freeSlots).sum();
    }
  }

  /**
   * One core.
   *
   * @param last sample
   * @param cpu mean of the samples, and how they vary
   * @param samples oldest first
   */
  public record Core(double last, Usage cpu, List<Double> samples) {}

  /**
   * A process that runs subtasks.
   *
   * @param id Flink's
   * @param address host of its RPC; empty inside one process
   */
  public record TaskManager(String id, String address, int slots, int freeSlots) {}

  /**
   * A job.
   *
   * @param state Flink's word: {@code RUNNING}, {@code RESTARTING}, {@code FAILED} …
   * @param restarts since it was submitted, those for another parallelism too
   * @param lag values that the log holds and the sources have not read; null while that is unknown
   * @param failure why it last failed; null if it never did
   */
  public record Job(
      String id,
      String name,
      String state,
      long startedMillis,
      long restarts,
      Long lag,
      String failure,
      Checkpoints checkpoints,
      List<Step> steps) {
    Job withSteps(List<Step> others) {
      return new Job(
          id, name, state, startedMillis, restarts, lag, failure, checkpoints, List.copyOf(others));
    }
  }

  /**
   * What became of the checkpoints of a job since it was submitted.
   *
   * @param last the newest that was completed; null if there is none
   */
  public record Checkpoints(Checkpoint last, long completed, long failed, long inProgress) {}

  /**
   * A completed checkpoint.
   *
   * @param ageMillis since it was begun
   * @param durationMillis from begin to completion
   * @param bytes of state
   */
  public record Checkpoint(long id, long ageMillis, long durationMillis, long bytes) {}

  /**
   * What one subtask does on one thread: an operator, or several in a chain.
   *
   * @param id Flink's, of the vertex
   * @param maxParallelism how many subtasks it can ever have
   * @param inputs ids of the steps before it
   * @param load over all subtasks: rates are sums, shares are means, and it is as far behind as the
   *     last of them, a source as the first, since nothing may come to its others
   */
  public record Step(
      String id,
      String name,
      String state,
      int parallelism,
      int maxParallelism,
      List<String> inputs,
      Load load,
      List<Subtask> subtasks) {

    Step withSubtasks(List<Subtask> others) {
      Load together = Loads.together(others.stream().map(Subtask::load).toList(), inputs.isEmpty());
      return new Step(
          id, name, state, parallelism, maxParallelism, inputs, together, List.copyOf(others));
    }

    /** The subtask that is busy most; empty while none is known to be busy. */
    public Optional<Subtask> busiest() {
      return subtasks.stream()
          .filter(subtask -> subtask.load().busy() != null)
          .max((one, other) -> Double.compare(one.load().busy(), other.load().busy()));
    }
  }

  /**
   * One instance of a step.
   *
   * @param state Flink's word
   * @param host name of the machine that it runs on; empty while it runs nowhere
   * @param taskManager id of the process; empty while it runs nowhere
   */
  public record Subtask(int index, String state, String host, String taskManager, Load load) {
    Subtask withLoad(Load other) {
      return new Subtask(index, state, host, taskManager, other);
    }
  }

  /**
   * What a subtask does, over the last seconds. Busy, back-pressured and idle are parts of its time
   * and make up 1.
   *
   * @param rowsIn rows a second that came; null if the step does not count rows
   * @param rowsOut rows a second that it gave away or stored
   * @param recordsIn a second: a record is a block, or a value of the log; over a minute
   * @param recordsOut a second, over a minute
   * @param busy share of time at work: near 1 it can take no more
   * @param backPressured share of time in which it waited for the step behind it
   * @param idle share of time in which it waited for input
   * @param behindMillis how far its event time is behind the clock; null where it has none. Where
   *     nothing comes event time stands still, and the clock goes on
   */
  public record Load(
      Double rowsIn,
      Double rowsOut,
      Double recordsIn,
      Double recordsOut,
      Double busy,
      Double backPressured,
      Double idle,
      Double behindMillis) {
    /** Nothing is known. */
    public static final Load UNKNOWN = new Load(null, null, null, null, null, null, null, null);
  }

  /** The status with what follows from hosts and jobs. */
  public static ClusterStatus of(
      long nowMillis, String flinkVersion, List<Host> hosts, List<Job> jobs) {
    Set<String> occupied =
        jobs.stream()
            .flatMap(job -> job.steps().stream())
            .flatMap(step -> step.subtasks().stream())
            .map(Subtask::taskManager)
            .collect(Collectors.toSet());
    List<String> idle = new ArrayList<>();
    List<String> overloaded = new ArrayList<>();
    List<Double> means = new ArrayList<>();
    for (Host host : hosts) {
      Usage cpu = host.cpu();
      boolean empty = host.taskManagers().stream().noneMatch(one -> occupied.contains(one.id()));
      if (cpu != null) {
        means.add(cpu.mean());
      }
      if (cpu != null && cpu.mean() > OVERLOADED) {
        overloaded.add(host.name());
      } else if (empty || (cpu != null && cpu.mean() < IDLE)) {
        idle.add(host.name());
      }
    }
    return new ClusterStatus(
        nowMillis,
        flinkVersion,
        Usage.of(means),
        List.copyOf(idle),
        List.copyOf(overloaded),
        List.copyOf(hosts),
        List.copyOf(jobs));
  }

  /**
   * The last of several readings, with the means of them all in place of its loads. Readings of a
   * job from before its parallelism changed are left out.
   *
   * @param readings oldest first, at least one
   */
  public static ClusterStatus over(List<ClusterStatus> readings) {
    ClusterStatus last = readings.get(readings.size() - 1);
    List<Job> jobs = last.jobs().stream().map(job -> Loads.over(readings, job)).toList();
    return of(last.nowMillis(), last.flinkVersion(), last.hosts(), jobs);
  }

  /** As JSON, with names in snake case. */
  public JsonNode toJson() {
    return JSON.valueToTree(this);
  }

  /**
   * Reads what {@link #toJson} wrote, of this release or another.
   *
   * @throws IllegalArgumentException if it is something else
   */
  public static ClusterStatus fromJson(JsonNode json) {
    try {
      return JSON.treeToValue(json, ClusterStatus.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("no status of a cluster: " + e.getOriginalMessage(), e);
    }
  }
}

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
 * A Flink cluster at one moment: machines, jobs, steps, and the placement of subtasks. Shares are
 * from 0 to 1. Unknown values are null, also in JSON. Immutable.
 *
 * @param nowMillis time of the reading, milliseconds since the epoch
 * @param flinkVersion of the cluster
 * @param cpu processor use over hosts, each with the same weight whatever its number of cores; null
 *     if unknown for all
 * @param idleHosts names of those without subtasks, or with a mean use below {@link #IDLE}
 * @param overloadedHosts names of those with a mean use above {@link #OVERLOADED}
 * @param hosts machines with TaskManagers, by name
 * @param jobs running and failed jobs
 */
public record ClusterStatus(
    long nowMillis,
    String flinkVersion,
    Usage cpu,
    List<String> idleHosts,
    List<String> overloadedHosts,
    List<Host> hosts,
    List<Job> jobs) {

  /** A host with a lower mean use is idle. */
  public static final double IDLE = 0.1;

  /** A host with a higher mean use has no capacity for a burst. */
  public static final double OVERLOADED = 0.85;

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  /**
   * Mean and variation of processor use over samples of a core, cores of a host, or hosts of a
   * cluster.
   *
   * @param mean share
   * @param variation coefficient of variation: standard deviation divided by mean; 0 if all are
   *     equal
   */
  public record Usage(double mean, double variation) {
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
   * A machine: all processes under one running kernel, so that no core is counted twice.
   *
   * @param name host name
   * @param machine id of the kernel; the address if no samples are taken
   * @param cores number of cores
   * @param cpu use over its cores; null if no samples are taken
   * @param sampleMillis between two samples; 0 if none are taken
   * @param sampledMillis time of the last sample, milliseconds since the epoch; 0 if never
   * @param coreUse by core; empty if no samples are taken
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

    public int slots() {
      return taskManagers.stream().mapToInt(TaskManager::slots).sum();
    }

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
   * @param state Flink's name: {@code RUNNING}, {@code RESTARTING}, {@code FAILED} …
   * @param restarts since it was submitted, including those for another parallelism
   * @param lag values in the log that the sources have not read; null if unknown
   * @param failure reason of the last failure; null if there was none
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
   * Checkpoints of a job since it was submitted.
   *
   * @param last the newest completed one; null if there is none
   */
  public record Checkpoints(Checkpoint last, long completed, long failed, long inProgress) {}

  /**
   * A completed checkpoint.
   *
   * @param ageMillis since its start
   * @param durationMillis from start to completion
   * @param bytes of state
   */
  public record Checkpoint(long id, long ageMillis, long durationMillis, long bytes) {}

  /**
   * A step of a job (Flink's vertex): an operator or a chain of operators, which each subtask runs
   * on one thread.
   *
   * @param id Flink's vertex id
   * @param maxParallelism upper bound of the number of subtasks
   * @param inputs ids of the upstream steps
   * @param load over all subtasks: rates are sums, shares are means; the event-time lag is the
   *     maximum, but for a source the minimum, since its other subtasks may have no input
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

    /** The busiest subtask; empty if unknown. */
    public Optional<Subtask> busiest() {
      return subtasks.stream()
          .filter(subtask -> subtask.load().busy() != null)
          .max((one, other) -> Double.compare(one.load().busy(), other.load().busy()));
    }
  }

  /**
   * One instance of a step.
   *
   * @param state Flink's name
   * @param host name of its machine; empty while it is not running
   * @param taskManager id of the process; empty while it is not running
   */
  public record Subtask(int index, String state, String host, String taskManager, Load load) {
    Subtask withLoad(Load other) {
      return new Subtask(index, state, host, taskManager, other);
    }
  }

  /**
   * Load of a subtask, over the last seconds. Busy, back-pressured and idle shares add up to 1.
   *
   * @param rowsIn rows received per second; null if the step does not count rows
   * @param rowsOut rows emitted or stored per second
   * @param recordsIn per second, over a minute; a record is a block, or a value of the log
   * @param recordsOut per second, over a minute
   * @param busy busy share: near 1 the subtask is saturated
   * @param backPressured share of time in which it was back-pressured by the downstream step
   * @param idle share of time in which it waited for input
   * @param lagMillis lag of its watermark to the clock; null if it has none. grows while there is
   *     no input
   */
  public record Load(
      Double rowsIn,
      Double rowsOut,
      Double recordsIn,
      Double recordsOut,
      Double busy,
      Double backPressured,
      Double idle,
      Double lagMillis) {
    /** An unknown load. */
    public static final Load UNKNOWN = new Load(null, null, null, null, null, null, null, null);
  }

  /** Returns a status, with the figures derived from hosts and jobs. */
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
   * The last of several readings, with loads averaged over all. Readings of a job before its
   * parallelism changed are left out.
   *
   * @param readings oldest first, at least one
   */
  public static ClusterStatus over(List<ClusterStatus> readings) {
    ClusterStatus last = readings.get(readings.size() - 1);
    List<Job> jobs = last.jobs().stream().map(job -> Loads.over(readings, job)).toList();
    return of(last.nowMillis(), last.flinkVersion(), last.hosts(), jobs);
  }

  /** JSON with names in snake case. */
  public JsonNode toJson() {
    return JSON.valueToTree(this);
  }

  /**
   * Parses the result of {@link #toJson}, of this release or another.
   *
   * @throws IllegalArgumentException if it is something else
   */
  public static ClusterStatus fromJson(JsonNode json) {
    try {
      return JSON.treeToValue(json, ClusterStatus.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("invalid cluster status: " + e.getOriginalMessage(), e);
    }
  }
}

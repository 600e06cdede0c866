package io.millrace.engine.job;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * The embedded stream engine's settings. Wrong values are refused here. Immutable.
 *
 * @param run where the job runs: in this process, or on a cluster to which it is submitted
 * @param slots how many subtasks of each step can run: the highest parallelism of all jobs together
 * @param checkpointInterval from the start of a checkpoint to the next: what is read again after a
 *     failure
 * @param bufferTimeout a block that does not fill a network buffer waits this long for the next
 *     one; with zero each leaves at once, and no thread of each sender wakes up to look for what
 *     waits
 * @param networkBytes of buffers between subtasks
 * @param networkBufferBytes of one such buffer, a power of two: a subtask may have {@link
 *     #senderBuffers} of them filled and not yet read by the next step, then it waits
 * @param restPort loopback port of Flink's own web interface, 0 for a free one; empty for none
 * @param steps settings of single steps, by their names
 */
@RecordBuilder
public record FlinkConfig(
    Place run,
    int slots,
    Duration checkpointInterval,
    Duration bufferTimeout,
    long networkBytes,
    int networkBufferBytes,
    OptionalInt restPort,
    Map<String, StepConfig> steps)
    implements FlinkConfigBuilder.With {

  private static final int MOST_SLOTS = 256;

  /** Where a job runs. */
  public enum Place {
    /** On the engine inside this process. */
    HERE,
    /** On a Flink cluster, submitted to it by a command of its own. */
    CLUSTER
  }

  /** Checks each value. */
  public FlinkConfig {
    require(slots >= 1 && slots <= MOST_SLOTS, "slots", slots, "1 to " + MOST_SLOTS);
    require(
        checkpointInterval.toMillis() >= 100 && checkpointInterval.toHours() <= 24,
        "checkpoint-interval",
        checkpointInterval,
        "100 ms to 24 h");
    require(
        !bufferTimeout.isNegative() && bufferTimeout.toMillis() <= 10_000,
        "buffer-timeout",
        bufferTimeout,
        "0 to 10 s");
    require(networkBytes >= 8L << 20, "network", networkBytes, "at least 8 MiB");
    require(
        networkBufferBytes >= 4 << 10
            && networkBufferBytes <= 1 << 20
            && Integer.bitCount(networkBufferBytes) == 1,
        "network-buffer",
        networkBufferBytes,
        "a power of two, 4 KiB to 1 MiB");
    require(
        networkBytes / networkBufferBytes >= 64,
        "network-buffer",
        networkBufferBytes,
        "at most a 64th of job.network");
    require(
        restPort.isEmpty() || (restPort.getAsInt() >= 0 && restPort.getAsInt() <= 65_535),
        "rest-port",
        restPort,
        "0 to 65535");
    steps = Map.copyOf(steps);
  }

  private static void require(boolean holds, String name, Object value, String allowed) {
    if (!holds) {
      throw new IllegalArgumentException("job." + name + ": " + value + " is not " + allowed);
    }
  }

  /** One slot for each processor, a checkpoint every 5 s, no web interface. */
  public static FlinkConfig defaults() {
    return new FlinkConfig(
        Place.HERE,
        Runtime.getRuntime().availableProcessors(),
        Duration.ofSeconds(5),
        Duration.ZERO,
        64L << 20,
        32 << 10,
        OptionalInt.empty(),
        Map.of());
  }

  /**
   * The same with slots for jobs that need so many, and more for the steps that have settings of
   * their own.
   *
   * @param forJobs of all jobs together, without these
   */
  public FlinkConfig withSlotsFor(int forJobs) {
    int more = steps.values().stream().mapToInt(step -> step.parallelism().orElse(0)).sum();
    long groups =
        steps.values().stream().map(StepConfig::slots).filter(Objects::nonNull).distinct().count();
    return withSlots((int) Math.min(MOST_SLOTS, (forJobs + more) * (1 + groups)));
  }

  /**
   * Network buffers that one subtask may have on the way to the next step, when that has as many
   * subtasks as there are slots: Flink 2 has two for each receiver and eight to share, and no
   * setting for it.
   */
  public int senderBuffers() {
    return 2 * slots + 8;
  }

  /** The same with Flink's web interface on a loopback port, 0 for a free one. */
  public FlinkConfig withRestPort(int restPort) {
    return withRestPort(OptionalInt.of(restPort));
  }

  /** The same without Flink's web interface. */
  public FlinkConfig withoutRestPort() {
    return withRestPort(OptionalInt.empty());
  }
}

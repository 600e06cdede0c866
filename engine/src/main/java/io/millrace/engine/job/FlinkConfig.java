package io.millrace.engine.job;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * Settings of the embedded stream engine. Invalid values are rejected here. Immutable.
 *
 * @param run where the job runs: in this process, or on a cluster to which it is submitted
 * @param slots number of slots, for all jobs together
 * @param checkpointInterval from the start of a checkpoint to the start of the next: bounds the
 *     replay after a failure
 * @param bufferTimeout how long a partly filled network buffer waits for the next block; 0 flushes
 *     after each block, and senders need no flusher thread
 * @param networkBytes memory of buffers between subtasks
 * @param networkBufferBytes size of one such buffer, a power of two: a subtask with {@link
 *     #senderBuffers} full unread buffers is back-pressured
 * @param restPort loopback port of Flink's web interface, 0 for a free one; empty for none
 * @param steps settings of single steps, by name
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

  private static final int MAX_SLOTS = 256;

  /** Place where a job runs. */
  public enum Place {
    /** The engine inside this process. */
    HERE,
    /** A Flink cluster, to which a separate command submits it. */
    CLUSTER
  }

  public FlinkConfig {
    require(slots >= 1 && slots <= MAX_SLOTS, "slots", slots, "1 to " + MAX_SLOTS);
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

  /** One slot per processor, a checkpoint every 5 s, no web interface. */
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
   * This configuration with {@code forJobs} slots, plus those of steps with their own slot sharing
   * group.
   *
   * @param forJobs slots of all jobs together, without those groups
   */
  public FlinkConfig withSlotsFor(int forJobs) {
    int more = steps.values().stream().mapToInt(step -> step.parallelism().orElse(0)).sum();
    long groups =
        steps.values().stream().map(StepConfig::slots).filter(Objects::nonNull).distinct().count();
    return withSlots((int) Math.min(MAX_SLOTS, (forJobs + more) * (1 + groups)));
  }

  /**
   * Network buffers in flight from one subtask to the next step, if that has one subtask per slot.
   * Flink 2 has two per receiver and eight floating buffers, without a setting for it.
   */
  public int senderBuffers() {
    return 2 * slots + 8;
  }

  /** This configuration with Flink's web interface on a loopback port, 0 for a free one. */
  public FlinkConfig withRestPort(int restPort) {
    return withRestPort(OptionalInt.of(restPort));
  }

  /** This configuration without Flink's web interface. */
  public FlinkConfig withoutRestPort() {
    return withRestPort(OptionalInt.empty());
  }
}

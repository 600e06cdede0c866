package io.millrace.pipelines.apps;

import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.wire.packet.IpLayer;
import java.time.Duration;

/**
 * Applications as they are configured.
 *
 * @param enabled whether the job runs
 * @param slots subtasks of each step
 * @param layer whose flows they are where packets come in tunnels
 * @param maxFlows most open flows of a subtask
 * @param idle time without packets behind which a flow is over; a connection whose both sides have
 *     spoken lasts five times as long
 * @param active time behind which a flow that lasts is told in parts
 * @param names file with more names of hosts; empty for none
 */
public record AppsConfig(
    boolean enabled,
    int slots,
    IpLayer layer,
    int maxFlows,
    Duration idle,
    Duration active,
    String names) {
  private static final int CONNECTED = 5;
  private static final int BEGINNING = 4;

  /** Checks that all of it can be meant. */
  public AppsConfig {
    if (slots < 1 || slots > 128) {
      throw new IllegalArgumentException("slots: " + slots + " is not in 1 to 128");
    }
    table(maxFlows, idle, active);
  }

  /** Not enabled; the inner layer, 262,144 flows, 60 s and 30 min. */
  public static AppsConfig defaults() {
    return new AppsConfig(
        false, 1, IpLayer.INNER, 1 << 18, Duration.ofMinutes(1), Duration.ofMinutes(30), "");
  }

  /** The same, switched on. */
  public AppsConfig running(int subtasks) {
    return new AppsConfig(true, subtasks, layer, maxFlows, idle, active, names);
  }

  /** Bounds of a subtask's table. */
  FlowTableConfig table() {
    return table(maxFlows, idle, active);
  }

  private static FlowTableConfig table(int maxFlows, Duration idle, Duration active) {
    FlowTableConfig defaults = FlowTableConfig.defaults();
    long idleMicros = idle.toNanos() / 1_000;
    return new FlowTableConfig(
        maxFlows,
        idleMicros,
        CONNECTED * idleMicros,
        Math.max(1, idleMicros / BEGINNING),
        active.toNanos() / 1_000,
        defaults.headBytes(),
        defaults.headMemoryBytes());
  }
}

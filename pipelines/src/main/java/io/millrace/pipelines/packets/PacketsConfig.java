package io.millrace.pipelines.packets;

import io.millrace.pipelines.JobSettings;
import io.millrace.wire.packet.IpLayer;

/**
 * Settings of packets as flows.
 *
 * @param slots subtasks of each step
 * @param layer of tunnelled packets whose addresses, protocol and ports are used
 */
public record PacketsConfig(int slots, IpLayer layer) {
  public PacketsConfig {
    JobSettings.checkSlots(slots);
  }

  /** A single subtask; the outer layer. */
  public static PacketsConfig defaults() {
    return new PacketsConfig(1, IpLayer.OUTER);
  }
}

package io.millrace.pipelines.packets;

import io.millrace.pipelines.JobSettings;
import io.millrace.wire.packet.IpLayer;

/**
 * How packets become flows.
 *
 * @param slots subtasks of each step
 * @param layer whose addresses, protocol and ports they have, where packets are in tunnels
 */
public record PacketsConfig(int slots, IpLayer layer) {
  /** Checks the number. */
  public PacketsConfig {
    JobSettings.checkSlots(slots);
  }

  /** A single subtask; the outer layer. */
  public static PacketsConfig defaults() {
    return new PacketsConfig(1, IpLayer.OUTER);
  }
}

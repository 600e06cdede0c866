package io.millrace.pipelines.count;

import io.millrace.pipelines.JobSettings;
import io.millrace.wire.packet.IpLayer;

/**
 * Settings of the packet counter.
 *
 * @param enabled whether the job runs
 * @param slots subtasks of each step
 * @param layer of tunnelled packets whose protocol and 5-tuple are counted
 * @param byFlow whether packets are counted by 5-tuple too
 */
public record CountConfig(boolean enabled, int slots, IpLayer layer, boolean byFlow) {
  /** Checks each value. */
  public CountConfig {
    JobSettings.checkSlots(slots);
  }

  /** Not enabled; the outer layer, without 5-tuples. */
  public static CountConfig defaults() {
    return new CountConfig(false, 1, IpLayer.OUTER, false);
  }

  /** The same, enabled, with or without 5-tuples. */
  public CountConfig running(int subtasks, boolean flows) {
    return new CountConfig(true, subtasks, layer, flows);
  }
}

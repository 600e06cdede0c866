package io.millrace.pipelines.count;

import io.millrace.pipelines.JobSettings;
import io.millrace.wire.packet.IpLayer;

/**
 * Settings of the packet counter.
 *
 * @param enabled whether the job runs
 * @param slots number of subtasks of each step
 * @param layer of tunnelled packets whose protocol and 5-tuple are counted
 * @param byFlow whether packets are also counted by 5-tuple
 */
public record CountConfig(boolean enabled, int slots, IpLayer layer, boolean byFlow) {
  public CountConfig {
    JobSettings.checkSlots(slots);
  }

  /** Disabled; the outer layer, without 5-tuples. */
  public static CountConfig defaults() {
    return new CountConfig(false, 1, IpLayer.OUTER, false);
  }

  /** These settings, enabled, with or without 5-tuples. */
  public CountConfig running(int subtasks, boolean flows) {
    return new CountConfig(true, subtasks, layer, flows);
  }
}

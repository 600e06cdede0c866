package io.millrace.analytics.app.subscriber;

import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;

/**
 * Snapshot of mutable state, serialised by key group when it is taken; each group starts with a
 * version.
 */
public final class StateByGroup implements StateSnapshot {
  private static final int FIRST_BYTES = 1 << 10;

  private final int version;
  private final BlockBuffer[] byGroup;

  /**
   * Empty state.
   *
   * @param version of all of it, 0 to 255
   * @param groups number of all groups
   */
  public StateByGroup(int version, int groups) {
    this.version = version;
    byGroup = new BlockBuffer[groups];
  }

  /** Buffer of a group, to append to. */
  public BlockBuffer group(int group) {
    if (byGroup[group] == null) {
      byGroup[group] = new BlockBuffer(FIRST_BYTES);
    }
    return byGroup[group];
  }

  @Override
  public boolean isEmpty(int group) {
    return byGroup[group] == null;
  }

  @Override
  public void write(int group, BlockBuffer out) {
    out.putByte(version);
    out.put(byGroup[group].bytes(), 0, byGroup[group].length());
  }
}

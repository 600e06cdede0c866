package io.millrace.analytics.windows;

import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.io.IOException;

/**
 * Snapshot of {@link SlidingSums}. A group without rows is written too after the first watermark:
 * late rows must be detected after a restart.
 *
 * <pre>
 *   0         1           9       13
 *   +---------+-----------+-------+-------+------+-------+------+--
 *   | version | watermark | panes | begin | pane | begin | pane | …
 *   +---------+-----------+-------+-------+------+-------+------+--
 * </pre>
 */
final class SlidingSumsSnapshot implements StateSnapshot {
  private static final int VERSION = 1;

  private final long watermark;
  private final long[] begins;
  private final StateSnapshot[] panes;

  SlidingSumsSnapshot(long watermark, long[] begins, StateSnapshot[] panes) {
    this.watermark = watermark;
    this.begins = begins;
    this.panes = panes;
  }

  static void checkVersion(BlockInput in) {
    in.takeVersion(VERSION, "sums over windows");
  }

  @Override
  public boolean isEmpty(int group) {
    return (watermark == Long.MIN_VALUE || watermark == Long.MAX_VALUE) && panesOf(group) == 0;
  }

  private int panesOf(int group) {
    int count = 0;
    for (StateSnapshot pane : panes) {
      count += pane.isEmpty(group) ? 0 : 1;
    }
    return count;
  }

  @Override
  public void write(int group, BlockBuffer out) throws IOException {
    out.putByte(VERSION);
    out.putLong(watermark);
    out.putInt(panesOf(group));
    for (int i = 0; i < panes.length; i++) {
      if (!panes[i].isEmpty(group)) {
        out.putLong(begins[i]);
        panes[i].write(group, out);
      }
    }
  }

  @Override
  public void release() {
    for (StateSnapshot pane : panes) {
      pane.release();
    }
  }
}

package io.millrace.analytics.trend;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Snapshot of a {@link TrendState}. Once the first bucket is known every group stores it, so that
 * any group restores it.
 *
 * <pre>
 *   version 1, buckets of the mean 1, usual hours 0 or 1 1, length of a bucket 8
 *   first bucket 8, last bucket that is over 8
 *   table of the known keywords, table of their usual hours if any
 *   number of open buckets 4, of each: its number 8, its table
 *   0, or 1 and a sketch
 * </pre>
 */
final class TrendSnapshot implements StateSnapshot {
  private static final int VERSION = 1;

  private final KeyGroups groups;
  private final TrendSettings settings;
  private final long first;
  private final long closed;
  private final TreeMap<Long, StateSnapshot> open = new TreeMap<>();
  private final StateSnapshot known;
  private final StateSnapshot usual;
  private final AdmissionSketch[] sketches;

  TrendSnapshot(
      KeyGroups groups,
      TrendSettings settings,
      long first,
      long closed,
      Map<Long, ByteKeyTable> open,
      ByteKeyTable known,
      ByteKeyTable usual,
      AdmissionSketch[] sketches) {
    this.groups = groups;
    this.settings = settings;
    this.first = first;
    this.closed = closed;
    open.forEach((bucket, table) -> this.open.put(bucket, table.snapshot()));
    this.known = known.snapshot();
    this.usual = usual == null ? null : usual.snapshot();
    this.sketches =
        Arrays.stream(sketches)
            .map(sketch -> sketch == null || sketch.isEmpty() ? null : sketch.copy())
            .toArray(AdmissionSketch[]::new);
  }

  @Override
  public boolean isEmpty(int group) {
    return first == TrendState.UNKNOWN
        && known.isEmpty(group)
        && (usual == null || usual.isEmpty(group))
        && open.values().stream().allMatch(bucket -> bucket.isEmpty(group))
        && sketches[group - groups.first()] == null;
  }

  @Override
  public void write(int group, BlockBuffer out) throws IOException {
    out.putByte(VERSION);
    out.putByte(settings.buckets());
    out.putByte(usual == null ? 0 : 1);
    out.putLong(settings.bucketMicros());
    out.putLong(first);
    out.putLong(closed);
    known.write(group, out);
    if (usual != null) {
      usual.write(group, out);
    }
    out.putInt((int) open.values().stream().filter(bucket -> !bucket.isEmpty(group)).count());
    for (Map.Entry<Long, StateSnapshot> bucket : open.entrySet()) {
      if (!bucket.getValue().isEmpty(group)) {
        out.putLong(bucket.getKey());
        bucket.getValue().write(group, out);
      }
    }
    AdmissionSketch sketch = sketches[group - groups.first()];
    out.putByte(sketch == null ? 0 : 1);
    if (sketch != null) {
      sketch.write(out);
    }
  }

  static void checkHeader(BlockInput in, TrendSettings settings) {
    in.takeVersion(VERSION, "trend state");
    int buckets = in.takeByte();
    boolean isUsual = in.takeByte() != 0;
    long length = in.takeLong();
    if (buckets != settings.buckets()
        || length != settings.bucketMicros()
        || isUsual != (settings.baseline() == TrendSettings.Baseline.USUAL)) {
      throw in.broken(
          ("trends over " + buckets + " buckets of " + length + " µs")
              + (isUsual ? " and usual hours" : "")
              + "; the settings differ: restore them or start with empty state");
    }
  }

  @Override
  public void release() {
    open.values().forEach(StateSnapshot::release);
    known.release();
    if (usual != null) {
      usual.release();
    }
  }
}

package io.millrace.analytics.ads;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.keyed.ByteKeyTable;
import io.millrace.analytics.keyed.KeyBytes;
import io.millrace.analytics.keyed.KeyedAnalyzer;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;

/**
 * Sums of counts by campaign and window ({@link AdRecords#COUNTS}): emitted when the watermark has
 * passed the window's end, and again, with the total so far, after each second of event time with
 * late views. So the last row of a campaign and window is valid; it has the greatest count.
 *
 * <pre>
 *                  ├──── window ────┤────── allowedLateness ──────┤
 *   views          x  xx   x  x   x        x    x             x
 *   emitted                       6           7  8          late: counted and dropped
 * </pre>
 *
 * <p>State: 44 bytes and the campaign's name for each window that still accepts views.
 */
public final class CampaignWindows implements KeyedAnalyzer<TableBlock, TableBlock> {
  /** Counter: late views, after the allowed lateness of their window. */
  public static final String LATE = "lateViews";

  private static final long SECOND = 1_000_000;

  // Columns of the state.
  private static final int VIEWS = 0;
  private static final int GIVEN = 1; // views in the row emitted last

  private final long windowMicros;
  private final long allowedLatenessMicros;
  private final KeyBytes key = new KeyBytes();
  private AnalyzerContext context;
  private AnalyzerContext.Counter late;
  private ByteKeyTable windows;

  /** Earliest event time with rows to emit or to remove. */
  private long due = Long.MIN_VALUE;

  private long passed;

  /**
   * An unopened analyzer.
   *
   * @param windowMicros length of a window
   * @param allowedLatenessMicros how long after its end a window accepts views; like the window,
   *     less than a year
   */
  public CampaignWindows(long windowMicros, long allowedLatenessMicros) {
    this.windowMicros = windowMicros;
    this.allowedLatenessMicros = allowedLatenessMicros;
  }

  @Override
  public void open(AnalyzerContext opened) {
    context = opened;
    passed = context.currentWatermark();
    late = context.counter(LATE);
    windows = new ByteKeyTable(context.keyGroups(), 2);
    context.gauge("windows", windows::size);
  }

  private long last(long start) {
    return start + windowMicros - 1;
  }

  @Override
  public void process(TableBlock counts, Emitter<TableBlock> out) {
    long[] starts = counts.longs(AdRecords.WINDOW);
    long[] views = counts.longs(AdRecords.VIEWS);
    long now = context.currentWatermark();
    for (int row = 0; row < counts.rows(); row++) {
      long last = last(starts[row]);
      if (last + allowedLatenessMicros <= now) {
        late.add(views[row]);
        continue;
      }
      int entry = windows.entry(AdRecords.BY_WINDOW.read(counts, row, key));
      windows.values(VIEWS)[entry] += views[row];
      due = Math.min(due, last <= now ? nextSecond(now) : last);
    }
  }

  private static long nextSecond(long micros) {
    return (Math.floorDiv(micros, SECOND) + 1) * SECOND;
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) {
    if (micros >= due) {
      TableBlock given =
          emitDue(micros, Math.floorDiv(micros, SECOND) > Math.floorDiv(passed, SECOND));
      if (given.rows() > 0) {
        out.emit(given);
      }
    }
    passed = micros;
  }

  private TableBlock emitDue(long micros, boolean withUpdates) {
    due = Long.MAX_VALUE;
    TableBlock given = new TableBlock(AdRecords.COUNTS, windows.size());
    for (int entry = windows.size() - 1; entry >= 0; entry--) {
      long last = last(windows.key(entry, key).takeNumber());
      boolean isOver = last + allowedLatenessMicros <= micros;
      if (last > micros) {
        due = Math.min(due, last);
        continue;
      }
      if (windows.values(VIEWS)[entry] > windows.values(GIVEN)[entry]) {
        if (last > passed || withUpdates || isOver) {
          give(entry, given);
        } else {
          due = Math.min(due, nextSecond(micros));
        }
      }
      if (isOver) {
        windows.remove(entry);
      } else {
        due = Math.min(due, last + allowedLatenessMicros);
      }
    }
    return given;
  }

  private void give(int entry, TableBlock to) {
    long views = windows.values(VIEWS)[entry];
    int row = to.rows();
    AdRecords.BY_WINDOW.write(windows.key(entry, key), to, row, 0);
    to.longs(AdRecords.VIEWS)[row] = views;
    to.rows(row + 1);
    windows.values(GIVEN)[entry] = views;
  }

  @Override
  public StateSnapshot snapshot() {
    return windows.snapshot();
  }

  @Override
  public void restore(int group, BlockInput in) {
    windows.restore(in);
  }
}

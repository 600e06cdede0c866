package io.millrace.analytics.gateway;

import io.millrace.analytics.Emitter;
import io.millrace.wire.block.TableBlock;
import java.util.Arrays;

/** Bytes of each series by arrival interval, as state of the series. */
final class ArrivalIntervals {
  private static final int BLOCK_ROWS = 4_096;

  private final long lengthMicros;
  private Series series;

  private int[] counting = new int[64];

  private int countingSize;
  private TableBlock values;

  ArrivalIntervals(long lengthMicros) {
    this.lengthMicros = lengthMicros;
  }

  void bind(Series restored) {
    series = restored;
    countingSize = 0;
    for (int entry = 0; entry < series.table().size(); entry++) {
      if (series.interval[entry] != 0) {
        add(entry);
      }
    }
  }

  private void add(int entry) {
    if (countingSize == counting.length) {
      counting = Arrays.copyOf(counting, countingSize * 2);
    }
    counting[countingSize++] = entry;
  }

  void count(int entry, long interval, long bytes, Emitter<TableBlock> out) {
    if (series.interval[entry] == 0) {
      series.interval[entry] = interval;
      add(entry);
    } else if (interval > series.interval[entry]) {
      addValue(entry, out);
      series.interval[entry] = interval;
    }
    series.intervalBytes[entry] = Volumes.plus(series.intervalBytes[entry], bytes);
  }

  private void addValue(int entry, Emitter<TableBlock> out) {
    if (values == null) {
      values = new TableBlock(GatewayDays.VALUES, BLOCK_ROWS);
    }
    int row = values.rows();
    values.longs(0)[row] = series.interval[entry] * lengthMicros;
    values.longs(1)[row] = series.intervalBytes[entry];
    values.rows(row + 1);
    series.intervalBytes[entry] = 0;
    if (row + 1 == BLOCK_ROWS) {
      give(out);
    }
  }

  void give(Emitter<TableBlock> out) {
    if (values != null) {
      out.emit(GatewayDays.VALUE_ROWS, values);
      values = null;
    }
  }

  void close(long micros, Emitter<TableBlock> out) {
    int left = 0;
    for (int i = 0; i < countingSize; i++) {
      int entry = counting[i];
      if (micros == Long.MAX_VALUE || (series.interval[entry] + 1) * lengthMicros <= micros + 1) {
        addValue(entry, out);
        series.interval[entry] = 0;
      } else {
        counting[left++] = entry;
      }
    }
    countingSize = left;
    give(out);
  }
}

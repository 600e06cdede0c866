package io.millrace.wire.netflow;

import static io.millrace.wire.packet.BigEndian.put16;
import static io.millrace.wire.packet.BigEndian.put32;
import static io.millrace.wire.packet.BigEndian.put64;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.util.Arrays;

final class RecordWriter {
  private static final int START_UPTIME = 22;
  private static final int END_UPTIME = 21;

  private RecordWriter() {}

  static void write(
      ExportTemplate template,
      FlowBlock rows,
      int from,
      int to,
      byte[] b,
      int at,
      long exportMicros,
      int uptime) {
    int step = template.recordLength();
    int field = at;
    for (int i = 0; i < template.fields(); i++) {
      FlowColumn column = template.columns[i];
      int length = template.length[i];
      int element = template.element[i];
      if (column == null) {
        for (int row = from, p = field; row < to; row++, p += step) {
          Arrays.fill(b, p, p + length, (byte) 0);
        }
      } else if (column.type() == FlowColumn.Type.ADDRESS) {
        addresses(rows, column, from, to, b, field, step, length);
      } else if (element == START_UPTIME || element == END_UPTIME) {
        long[] values = rows.longs(column);
        for (int row = from, p = field; row < to; row++, p += step) {
          long millis = Math.floorDiv(values[row] - exportMicros, 1000L);
          put32(b, p, values[row] == FlowBlock.NULL ? 0 : uptime + (int) millis);
        }
      } else if (column.type().isLong()) {
        long[] values = rows.longs(column);
        int unit = column.type() == FlowColumn.Type.MOMENT ? 1000 : 1;
        for (int row = from, p = field; row < to; row++, p += step) {
          put(b, p, length, values[row] == FlowBlock.NULL ? 0 : values[row] / unit);
        }
      } else {
        int[] values = rows.ints(column);
        int shift = column == FlowColumn.MPLS_LABEL ? 4 : 0;
        for (int row = from, p = field; row < to; row++, p += step) {
          put(b, p, length, values[row] == FlowBlock.NULL ? 0 : (long) values[row] << shift);
        }
      }
      field += length;
    }
  }

  private static void addresses(
      FlowBlock rows, FlowColumn column, int from, int to, byte[] b, int at, int step, int length) {
    long[] high = rows.addressHigh(column);
    long[] low = rows.addressLow(column);
    for (int row = from, p = at; row < to; row++, p += step) {
      if (length == 4) {
        put32(b, p, (int) low[row]);
      } else {
        put64(b, p, high[row]);
        put64(b, p + 8, low[row]);
      }
    }
  }

  private static void put(byte[] b, int at, int length, long value) {
    switch (length) {
      case 1 -> b[at] = (byte) value;
      case 2 -> put16(b, at, (int) value);
      case 4 -> put32(b, at, (int) value);
      case 8 -> put64(b, at, value);
      default -> {
        for (int i = length - 1; i >= 0; i--, value >>>= 8) {
          b[at + i] = (byte) value;
        }
      }
    }
  }
}

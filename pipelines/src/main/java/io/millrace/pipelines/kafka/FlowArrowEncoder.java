package io.millrace.pipelines.kafka;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.message.Ascii;
import io.millrace.wire.message.FlowEncoder;
import io.millrace.wire.message.JoinedTexts;
import io.millrace.wire.message.MessageBuffer;
import io.millrace.wire.message.OutputColumn;
import io.millrace.wire.message.OutputColumns;
import io.millrace.wire.message.RowValues;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Writes rows as an Arrow IPC stream of one record batch, a column at a time. Each message is
 * self-contained: the schema comes first (some 3 KiB for all columns), so batches should be large.
 * Times are timestamps of microseconds in UTC, addresses text, 32-bit numbers unsigned.
 */
final class FlowArrowEncoder implements FlowEncoder {
  private final OutputColumns columns;
  private final RowValues values;
  private final BufferAllocator memory = new RootAllocator();
  private final VectorSchemaRoot root;
  private final byte[] text = new byte[Ascii.MAX_LENGTH];

  FlowArrowEncoder(OutputColumns columns) {
    this.columns = columns;
    values = new RowValues(columns);
    root = VectorSchemaRoot.create(schema(columns), memory);
  }

  static Schema schema(OutputColumns columns) {
    List<Field> fields = new ArrayList<>();
    for (OutputColumn column : columns.list()) {
      ArrowType type =
          switch (column.kind()) {
            case TIME -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC");
            case SMALL -> new ArrowType.Int(32, true);
            case NUMBER -> new ArrowType.Int(32, false);
            case LONG -> new ArrowType.Int(64, true);
            case MAC, ADDRESS, TEXT -> new ArrowType.Utf8();
          };
      fields.add(new Field(column.name(), FieldType.nullable(type), null));
    }
    return new Schema(fields);
  }

  @Override
  public void begin(FlowBlock block, JoinedTexts texts) {
    values.bind(block, texts);
  }

  @Override
  public void encode(int from, int to, MessageBuffer out) {
    int rows = to - from;
    for (int c = 0; c < columns.size(); c++) {
      fill(c, from, rows);
    }
    root.setRowCount(rows);
    // Not closed, since that would close vectors that the next message needs.
    ArrowStreamWriter writer = new ArrowStreamWriter(root, null, out);
    try {
      writer.start();
      writer.writeBatch();
      writer.end();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
  }

  private void fill(int c, int from, int rows) {
    FieldVector vector = root.getVector(c);
    vector.setInitialCapacity(rows);
    vector.reset();
    switch (columns.list().get(c).kind()) {
      case TIME -> {
        TimeStampMicroTZVector times = (TimeStampMicroTZVector) vector;
        for (int i = 0; i < rows; i++) {
          if (!values.isNull(c, from + i)) {
            times.setSafe(i, values.number(c, from + i));
          }
        }
      }
      case SMALL -> {
        IntVector numbers = (IntVector) vector;
        for (int i = 0; i < rows; i++) {
          if (!values.isNull(c, from + i)) {
            numbers.setSafe(i, (int) values.number(c, from + i));
          }
        }
      }
      case NUMBER -> {
        UInt4Vector numbers = (UInt4Vector) vector;
        for (int i = 0; i < rows; i++) {
          if (!values.isNull(c, from + i)) {
            numbers.setSafe(i, (int) values.number(c, from + i));
          }
        }
      }
      case LONG -> {
        BigIntVector numbers = (BigIntVector) vector;
        for (int i = 0; i < rows; i++) {
          if (!values.isNull(c, from + i)) {
            numbers.setSafe(i, values.number(c, from + i));
          }
        }
      }
      case MAC, ADDRESS, TEXT -> texts(c, from, rows, (VarCharVector) vector);
    }
    vector.setValueCount(rows);
  }

  private void texts(int c, int from, int rows, VarCharVector vector) {
    OutputColumn.Kind kind = columns.list().get(c).kind();
    for (int i = 0; i < rows; i++) {
      int row = from + i;
      if (values.isNull(c, row)) {
        continue;
      }
      switch (kind) {
        case MAC -> vector.setSafe(i, text, 0, Ascii.mac(text, 0, values.number(c, row)));
        case ADDRESS ->
            vector.setSafe(
                i, text, 0, Ascii.address(text, 0, values.number(c, row), values.low(c, row)));
        default ->
            vector.setSafe(
                i, values.textBytes(c), values.textStart(c, row), values.textLength(c, row));
      }
    }
  }

  @Override
  public void close() {
    root.close();
    memory.close();
  }
}

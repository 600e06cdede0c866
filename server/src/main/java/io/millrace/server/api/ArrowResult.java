package io.millrace.server.api;

import io.millrace.store.QueryResult;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A query's rows as an Arrow IPC stream, in batches. Integers become {@code int64} or {@code
 * uint64}, sums of them {@code decimal128}, reals {@code float64}, and what has no such kind
 * (texts, times, decimals) its text.
 */
final class ArrowResult {
  private static final int BATCH_ROWS = 4_096;

  /** Sums are as wide as SQL makes them, and as Arrow's decimals of 128 bits can be. */
  private static final int HUGEINT_DIGITS = 38;

  private ArrowResult() {}

  /** Writes the rows from the current one on, if {@code hasRow}; {@code out} stays open. */
  static void write(QueryResult result, boolean hasRow, OutputStream out) throws IOException {
    List<Field> fields = new ArrayList<>();
    for (QueryResult.Column column : result.columns()) {
      fields.add(new Field(column.name(), FieldType.nullable(type(column)), null));
    }
    try (BufferAllocator memory = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(new Schema(fields), memory)) {
      // Holds nothing of its own, and closing it would end the stream as if all rows were there.
      ArrowStreamWriter writer = new ArrowStreamWriter(root, null, out);
      writer.start();
      int rows = 0;
      for (boolean more = hasRow; more; more = result.next()) {
        for (int i = 0; i < fields.size(); i++) {
          set(root.getVector(i), rows, result.value(i));
        }
        if (++rows == BATCH_ROWS) {
          send(root, writer, rows);
          rows = 0;
        }
      }
      if (rows > 0) {
        send(root, writer, rows);
      }
      writer.end();
    }
  }

  private static void send(VectorSchemaRoot root, ArrowStreamWriter writer, int rows)
      throws IOException {
    root.setRowCount(rows);
    writer.writeBatch();
    root.clear();
  }

  private static ArrowType type(QueryResult.Column column) {
    if (column.sqlType().equals("UBIGINT")) {
      return new ArrowType.Int(64, false);
    }
    if (column.sqlType().equals("HUGEINT")) {
      return new ArrowType.Decimal(HUGEINT_DIGITS, 0, 128);
    }
    return switch (column.kind()) {
      case BOOLEAN -> new ArrowType.Bool();
      case INTEGER -> new ArrowType.Int(64, true);
      case REAL -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case DECIMAL, TEXT -> new ArrowType.Utf8();
    };
  }

  private static void set(FieldVector vector, int row, Object value) {
    if (value == null) {
      setNull(vector, row);
    } else if (vector instanceof BitVector bits) {
      bits.setSafe(row, (Boolean) value ? 1 : 0);
    } else if (vector instanceof BigIntVector integers) {
      integers.setSafe(row, ((Number) value).longValue());
    } else if (vector instanceof UInt8Vector integers) {
      integers.setSafe(row, ((Number) value).longValue());
    } else if (vector instanceof Float8Vector reals) {
      reals.setSafe(row, ((Number) value).doubleValue());
    } else if (vector instanceof DecimalVector decimals) {
      decimals.setSafe(row, new BigDecimal(value.toString()));
    } else {
      ((VarCharVector) vector).setSafe(row, value.toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void setNull(FieldVector vector, int row) {
    while (row >= vector.getValueCapacity()) {
      vector.reAlloc();
    }
    vector.setNull(row);
  }
}

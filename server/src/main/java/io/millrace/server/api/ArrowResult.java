package io.millrace.server.api;

import io.millrace.store.QueryResult;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A query's rows as an Arrow IPC stream, in batches. Integers become {@code int64}, reals {@code
 * float64}, and what has no such kind (texts, times, wide decimals) its text.
 */
final class ArrowResult {
  private static final int BATCH_ROWS = 4_096;

  private ArrowResult() {}

  static void write(QueryResult result, OutputStream out) throws IOException {
    List<Field> fields = new ArrayList<>();
    for (QueryResult.Column column : result.columns()) {
      fields.add(new Field(column.name(), FieldType.nullable(type(column.kind())), null));
    }
    try (BufferAllocator memory = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(new Schema(fields), memory);
        ArrowStreamWriter writer = new ArrowStreamWriter(root, null, out)) {
      writer.start();
      int rows = 0;
      while (result.next()) {
        for (int i = 0; i < fields.size(); i++) {
          set(root.getVector(i), result.columns().get(i).kind(), rows, result.value(i));
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

  private static ArrowType type(QueryResult.Kind kind) {
    return switch (kind) {
      case BOOLEAN -> new ArrowType.Bool();
      case INTEGER -> new ArrowType.Int(64, true);
      case REAL -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case DECIMAL, TEXT -> new ArrowType.Utf8();
    };
  }

  private static void set(FieldVector vector, QueryResult.Kind kind, int row, Object value) {
    if (value == null) {
      setNull(vector, row);
      return;
    }
    switch (kind) {
      case BOOLEAN -> ((BitVector) vector).setSafe(row, (Boolean) value ? 1 : 0);
      case INTEGER -> ((BigIntVector) vector).setSafe(row, ((Number) value).longValue());
      case REAL -> ((Float8Vector) vector).setSafe(row, ((Number) value).doubleValue());
      case DECIMAL, TEXT ->
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

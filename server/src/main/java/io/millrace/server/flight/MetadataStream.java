package io.millrace.server.flight;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

final class MetadataStream {
  private MetadataStream() {}

  /** Sends rows; missing trailing columns are NULL. */
  static void send(
      Schema schema,
      List<List<Object>> rows,
      BufferAllocator memory,
      ServerStreamListener listener) {
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, memory)) {
      root.allocateNew();
      for (int row = 0; row < rows.size(); row++) {
        List<Object> values = rows.get(row);
        for (int i = 0; i < values.size(); i++) {
          if (values.get(i) != null) {
            set(root.getVector(i), row, values.get(i));
          }
        }
      }
      root.setRowCount(rows.size());
      listener.start(root);
      listener.putNext();
      listener.completed();
    }
  }

  private static void set(FieldVector vector, int row, Object value) {
    if (vector instanceof VarCharVector texts) {
      texts.setSafe(row, ((String) value).getBytes(StandardCharsets.UTF_8));
    } else if (vector instanceof IntVector integers) {
      integers.setSafe(row, (Integer) value);
    } else if (vector instanceof BitVector bits) {
      bits.setSafe(row, (Boolean) value ? 1 : 0);
    } else {
      ((VarBinaryVector) vector).setSafe(row, (byte[]) value);
    }
  }
}

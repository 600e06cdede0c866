package io.millrace.server.api;

import io.millrace.server.arrow.ArrowBatch;
import io.millrace.store.QueryResult;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;

final class ArrowResult {
  private ArrowResult() {}

  /**
   * Buffered before the first byte is sent, so that an error in a short result still has a status.
   */
  private static final int HELD_BYTES = 64 << 10;

  static void write(QueryResult result, boolean hasRow, OutputStream out) throws IOException {
    BufferedOutputStream held = new BufferedOutputStream(out, HELD_BYTES);
    try (BufferAllocator memory = new RootAllocator();
        ArrowBatch batch = new ArrowBatch(result.columns(), memory)) {
      // Not closed on a failure: closing would end the stream as if it were complete.
      ArrowStreamWriter writer = new ArrowStreamWriter(batch.root(), null, held);
      writer.start();
      for (boolean more = hasRow; more; more = result.next()) {
        batch.add(result);
        if (batch.isFull()) {
          send(batch, writer);
        }
      }
      if (!batch.isEmpty()) {
        send(batch, writer);
      }
      writer.end();
    }
    held.flush();
  }

  private static void send(ArrowBatch batch, ArrowStreamWriter writer) throws IOException {
    batch.seal();
    writer.writeBatch();
    batch.clear();
  }
}

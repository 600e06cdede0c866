package io.millrace.server.arrow;

import io.millrace.store.QueryResult;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/** A batch of a few thousand rows as vectors, reused after each send. Used by one thread. */
public final class ArrowBatch implements AutoCloseable {
  private static final int MAX_ROWS = 4_096;

  /** Some clients reject messages above 4 MiB. */
  private static final long FULL_BYTES = 1 << 20;

  private final VectorSchemaRoot root;
  private final Cell[] cells;
  private int rows;
  private long bytes;

  /** Creates an empty batch for rows of these columns. */
  public ArrowBatch(List<QueryResult.Column> columns, BufferAllocator memory) {
    root = VectorSchemaRoot.create(ArrowTypes.schema(columns), memory);
    cells = new Cell[columns.size()];
    for (int i = 0; i < cells.length; i++) {
      cells[i] = Cell.of(root.getVector(i));
    }
  }

  /** Vectors of the batch; complete after {@link #seal()}. */
  public VectorSchemaRoot root() {
    return root;
  }

  /** Adds the current row of a result. */
  public void add(QueryResult row) {
    int at = rows;
    long added = 0;
    Cell[] own = cells;
    for (int i = 0; i < own.length; i++) {
      added += own[i].set(at, row.exact(i));
    }
    bytes += added;
    rows = at + 1;
  }

  /** Whether to send the batch: it has 4,096 rows or about 1 MiB. */
  public boolean isFull() {
    return rows == MAX_ROWS || bytes >= FULL_BYTES;
  }

  /** Whether the batch has no rows. */
  public boolean isEmpty() {
    return rows == 0;
  }

  /** Bytes of the batch's values. */
  public long bytes() {
    return bytes;
  }

  /** Sets the row count of the vectors. */
  public void seal() {
    root.setRowCount(rows);
  }

  /** Clears the rows and releases the memory. */
  public void clear() {
    root.clear();
    rows = 0;
    bytes = 0;
  }

  @Override
  public void close() {
    root.close();
  }
}

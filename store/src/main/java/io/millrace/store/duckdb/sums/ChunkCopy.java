package io.millrace.store.duckdb.sums;

import java.nio.ByteBuffer;
import org.duckdb.ChunkFunction;

/** Rows in their own buffers. */
final class ChunkCopy implements ChunkFunction.Chunk {
  private final int rows;
  private final ByteBuffer[] values;
  private final long[][] valid;

  /**
   * Uses the arrays without copying them.
   *
   * @param values by column, in the layout of its type; null for a column that is NULL
   * @param valid bits of the values that are not NULL, by column; null if none is NULL
   */
  ChunkCopy(int rows, ByteBuffer[] values, long[][] valid) {
    this.rows = rows;
    this.values = values;
    this.valid = valid;
  }

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public ByteBuffer values(int column) {
    return values[column];
  }

  @Override
  public long[] validity(int column) {
    return valid[column];
  }
}

package org.duckdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.sql.SQLException;

/**
 * Appends whole data chunks to a table: the C interface's {@code duckdb_append_data_chunk}.
 *
 * <p>The driver's own appender takes one value a call, which for a row of thirty columns costs
 * about twenty times as much. Here the caller writes into each column's memory and appends {@link
 * #CAPACITY} rows at a time. The appender buffers rows until {@link #flush()}; they belong to the
 * connection's transaction. Used by one thread at a time.
 */
public final class ChunkAppender implements AutoCloseable {
  /** Rows of a full chunk: DuckDB's vector size. */
  public static final int CAPACITY = 2048;

  private final ByteBuffer appender;
  private boolean isClosed;
  private final int[] widths;

  /**
   * Creates an appender.
   *
   * @param connection connection of the transaction
   * @param widths bytes of a value, for each column of the table
   */
  public ChunkAppender(
      DuckDBConnection connection, String catalog, String schema, String table, int[] widths)
      throws SQLException {
    this.widths = widths.clone();
    ByteBuffer[] out = new ByteBuffer[1];
    int state;
    connection.connRefLock.lock();
    try {
      connection.checkOpen();
      state =
          DuckDBBindings.duckdb_appender_create_ext(
              connection.connRef, utf8(catalog), utf8(schema), utf8(table), out);
    } finally {
      connection.connRefLock.unlock();
    }
    appender = out[0];
    if (appender == null) {
      throw new SQLException("no appender for " + schema + "." + table);
    }
    if (state != 0) {
      SQLException failure = failure();
      close();
      throw failure;
    }
    if (DuckDBBindings.duckdb_appender_column_count(appender) != widths.length) {
      close();
      throw new SQLException("table " + table + " has not " + widths.length + " columns");
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(UTF_8);
  }

  /** An empty chunk with the table's columns. */
  public Chunk newChunk() {
    return new Chunk();
  }

  /** Copies the rows of a chunk, which may be of another appender of the same table. */
  public void append(Chunk chunk, int rows) throws SQLException {
    DuckDBBindings.duckdb_data_chunk_set_size(chunk.chunk, rows);
    if (DuckDBBindings.duckdb_append_data_chunk(appender, chunk.chunk) != 0) {
      throw failure();
    }
  }

  /** Writes the buffered rows to the connection's transaction. */
  public void flush() throws SQLException {
    if (DuckDBBindings.duckdb_appender_flush(appender) != 0) {
      throw failure();
    }
  }

  private SQLException failure() {
    byte[] message = DuckDBBindings.duckdb_appender_error(appender);
    return new SQLException(message == null ? "append failed" : new String(message, UTF_8));
  }

  /** Releases the appender; unflushed rows may be written to the open transaction. */
  @Override
  public void close() {
    if (!isClosed) { // a second destroy crashes the process
      isClosed = true;
      DuckDBBindings.duckdb_appender_destroy(appender);
    }
  }

  /** Memory for {@link #CAPACITY} rows in DuckDB's layout; initially every value is valid. */
  public final class Chunk implements AutoCloseable {
    private final ByteBuffer chunk;
    private final ByteBuffer[] vectors = new ByteBuffer[widths.length];
    private final ByteBuffer[] data = new ByteBuffer[widths.length];
    private final ByteBuffer[] validity = new ByteBuffer[widths.length];

    private Chunk() {
      ByteBuffer[] types = new ByteBuffer[widths.length];
      for (int i = 0; i < types.length; i++) {
        types[i] = DuckDBBindings.duckdb_appender_column_type(appender, i);
      }
      chunk = DuckDBBindings.duckdb_create_data_chunk(types);
      for (ByteBuffer type : types) {
        DuckDBBindings.duckdb_destroy_logical_type(type);
      }
      bind();
    }

    private void bind() {
      for (int i = 0; i < widths.length; i++) {
        vectors[i] = DuckDBBindings.duckdb_data_chunk_get_vector(chunk, i);
        data[i] =
            DuckDBBindings.duckdb_vector_get_data(vectors[i], (long) CAPACITY * widths[i])
                .order(ByteOrder.nativeOrder());
        validity[i] = null;
      }
    }

    /** Clears the rows; every value is valid again. */
    public void reset() {
      DuckDBBindings.duckdb_data_chunk_reset(chunk);
      bind();
    }

    /** Memory of a column's values; stale after {@link #reset}. */
    public ByteBuffer data(int column) {
      return data[column];
    }

    /**
     * Validity bits of a column, one for each row, lowest first, 1 for a value; initially all 1.
     */
    public ByteBuffer validity(int column) {
      if (validity[column] == null) {
        DuckDBBindings.duckdb_vector_ensure_validity_writable(vectors[column]);
        validity[column] =
            DuckDBBindings.duckdb_vector_get_validity(vectors[column], CAPACITY)
                .order(ByteOrder.nativeOrder());
      }
      return validity[column];
    }

    @Override
    public void close() {
      DuckDBBindings.duckdb_destroy_data_chunk(chunk);
    }
  }
}

package org.duckdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;

/**
 * Table function over rows in this process's memory: {@code name(handle)} returns the rows that a
 * source has under that handle.
 *
 * <p>The driver's own table functions pass one value per call. This one copies whole columns,
 * {@link #CAPACITY} rows at a time, and only columns that a statement reads.
 */
public final class ChunkFunction {
  /** Maximum rows of a chunk: the size of DuckDB's vectors. */
  public static final int CAPACITY = 2_048;

  private static final int WORDS = CAPACITY / Long.SIZE;
  private static final long[] ALL_NULL = new long[WORDS];
  private static final int CHUNKS_PER_THREAD = 60;

  private ChunkFunction() {}

  /** Types of columns. */
  public enum Type {
    INTEGER(DuckDBBindings.CAPIType.DUCKDB_TYPE_INTEGER, 4),
    BIGINT(DuckDBBindings.CAPIType.DUCKDB_TYPE_BIGINT, 8),
    /** Microseconds since the epoch, without a zone. */
    TIMESTAMP(DuckDBBindings.CAPIType.DUCKDB_TYPE_TIMESTAMP, 8),
    /** Lower half first; the highest bit of the upper half is inverted. */
    UUID(DuckDBBindings.CAPIType.DUCKDB_TYPE_UUID, 16);

    private final int id;
    private final int width;

    Type(DuckDBBindings.CAPIType type, int width) {
      id = type.typeId;
      this.width = width;
    }

    /** Bytes of a value. */
    public int width() {
      return width;
    }
  }

  /** A column: name and type. */
  public record Column(String name, Type type) {}

  /** Rows in the layout of DuckDB's vectors. */
  public interface Chunk {
    /** Number of rows, at most {@link #CAPACITY}; does not change. */
    int rows();

    /** The values of a column, native byte order, from index 0; null if all are NULL. */
    ByteBuffer values(int column);

    /** Validity bits, lowest first, 1 for a value; null if no value is NULL. */
    long[] validity(int column);
  }

  private static final class Scan {
    private final List<? extends Chunk> chunks;
    private final List<Column> all;
    private final int[] columns;
    private final AtomicInteger next = new AtomicInteger();

    Scan(List<? extends Chunk> chunks, List<Column> all, int[] columns) {
      this.chunks = chunks;
      this.all = all;
      this.columns = columns;
    }

    void fill(ByteBuffer chunk) {
      int n = next.getAndIncrement();
      int rows = 0;
      if (n < chunks.size()) {
        Chunk source = chunks.get(n);
        rows = source.rows();
        for (int i = 0; i < columns.length; i++) {
          int column = columns[i];
          if (column >= 0) { // not the row number, which count(*) reads
            copy(source, column, rows, DuckDBBindings.duckdb_data_chunk_get_vector(chunk, i));
          }
        }
      }
      DuckDBBindings.duckdb_data_chunk_set_size(chunk, rows);
    }

    private void copy(Chunk source, int column, int rows, ByteBuffer vector) {
      ByteBuffer values = source.values(column);
      long[] validity = values == null ? ALL_NULL : source.validity(column);
      if (values != null) {
        int bytes = rows * all.get(column).type().width();
        DuckDBBindings.duckdb_vector_get_data(vector, bytes).put(0, values, 0, bytes);
      }
      if (validity != null) {
        DuckDBBindings.duckdb_vector_ensure_validity_writable(vector);
        DuckDBBindings.duckdb_vector_get_validity(vector, CAPACITY)
            .order(ByteOrder.nativeOrder())
            .asLongBuffer()
            .put(0, validity, 0, WORDS);
      }
    }
  }

  /** Bound data; a record, since the driver keeps an object of one class. */
  private record Bound(List<? extends Chunk> chunks) {}

  private record Source(
      List<Column> columns, LongFunction<? extends List<? extends Chunk>> chunksOf)
      implements DuckDBTableFunction<Bound, Scan, Object> {
    @Override
    public Bound bind(DuckDBTableFunctionBindInfo info) throws SQLException {
      long handle = info.getParameter(0).getLong();
      List<? extends Chunk> chunks = chunksOf.apply(handle);
      if (chunks == null) {
        throw new SQLException("there are no rows with the handle " + handle);
      }
      info.setCardinality(chunks.stream().mapToLong(Chunk::rows).sum(), true);
      return new Bound(chunks);
    }

    @Override
    public Scan init(DuckDBTableFunctionInitInfo info) throws SQLException {
      Bound bound = info.getBindData();
      int[] read = new int[(int) info.getColumnCount()];
      for (int i = 0; i < read.length; i++) {
        long column = info.getColumnIndex(i);
        read[i] = column >= 0 && column < columns.size() ? (int) column : -1;
      }
      info.setMaxThreads(Math.max(1, bound.chunks.size() / CHUNKS_PER_THREAD));
      return new Scan(bound.chunks, columns, read);
    }

    @Override
    public long apply(DuckDBTableFunctionCallInfo info, DuckDBDataChunkWriter output) {
      throw new IllegalStateException("chunks are filled as a whole");
    }
  }

  private static final class Wrapper extends DuckDBTableFunctionWrapper {
    private final List<Column> columns;

    Wrapper(Source source) {
      super(source);
      columns = source.columns();
    }

    /** The driver's own method cannot declare a UUID column. */
    @Override
    public void executeBind(ByteBuffer info) {
      for (Column column : columns) {
        ByteBuffer type = DuckDBBindings.duckdb_create_logical_type(column.type().id);
        DuckDBBindings.duckdb_bind_add_result_column(info, column.name().getBytes(UTF_8), type);
        DuckDBBindings.duckdb_destroy_logical_type(type);
      }
      super.executeBind(info);
    }

    @Override
    public void executeFunction(ByteBuffer info, ByteBuffer chunk) {
      try {
        ((Scan) DuckDBBindings.duckdb_function_get_init_data(info)).fill(chunk);
      } catch (RuntimeException e) {
        DuckDBBindings.duckdb_function_set_error(info, String.valueOf(e).getBytes(UTF_8));
      }
    }
  }

  /**
   * Registers a function in the connection's database, for all its connections.
   *
   * @param chunksOf returns the rows of a handle as an immutable list, null if there are none;
   *     called by several threads
   */
  public static void register(
      DuckDBConnection connection,
      String name,
      List<Column> columns,
      LongFunction<? extends List<? extends Chunk>> chunksOf)
      throws SQLException {
    ByteBuffer function = DuckDBBindings.duckdb_create_table_function();
    try (DuckDBLogicalType handle = DuckDBLogicalType.of(DuckDBColumnType.BIGINT)) {
      DuckDBBindings.duckdb_table_function_set_name(function, name.getBytes(UTF_8));
      DuckDBBindings.duckdb_table_function_add_parameter(function, handle.logicalTypeRef());
      DuckDBBindings.duckdb_table_function_supports_projection_pushdown(function, true);
      DuckDBBindings.duckdb_table_function_set_extra_info(
          function, new Wrapper(new Source(List.copyOf(columns), chunksOf)));
      DuckDBBindings.duckdb_table_function_set_bind(function);
      DuckDBBindings.duckdb_table_function_set_init(function);
      DuckDBBindings.duckdb_table_function_set_local_init(function);
      DuckDBBindings.duckdb_table_function_set_function(function);
      connection.connRefLock.lock();
      try {
        connection.checkOpen();
        if (DuckDBBindings.duckdb_register_table_function(connection.connRef, function) != 0) {
          throw new SQLException("cannot register the table function " + name);
        }
      } finally {
        connection.connRefLock.unlock();
      }
    } finally {
      DuckDBBindings.duckdb_destroy_table_function(function);
    }
  }
}

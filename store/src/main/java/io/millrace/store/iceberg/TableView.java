package io.millrace.store.iceberg;

import io.millrace.store.SqlLiteral;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.duckdb.ChunkFunction;

/**
 * What a query sees of a table, as of one moment: the files of a snapshot, files that no snapshot
 * has yet, and rows in memory. Closed after the query.
 */
final class TableView implements AutoCloseable {
  private final long handle;
  private final List<String> committed;
  private final List<String> sealed;
  private final List<Stretch.Slice> slices;
  private final List<ChunkFunction.Chunk> chunks = new ArrayList<>();
  private final LongConsumer closing;

  /** Some rows of a chunk. */
  private record Part(TailChunk chunk, int rows) implements ChunkFunction.Chunk {
    @Override
    public ByteBuffer values(int column) {
      return chunk.values(column);
    }

    @Override
    public long[] validity(int column) {
      return chunk.validity(column);
    }
  }

  /**
   * A view.
   *
   * @param handle number for the table function
   * @param committed paths of the snapshot's files
   * @param sealed paths of files that are in no snapshot
   * @param closing called with the handle
   */
  TableView(
      long handle,
      List<String> committed,
      List<String> sealed,
      List<Stretch.Slice> slices,
      LongConsumer closing) {
    this.handle = handle;
    this.committed = committed;
    this.sealed = sealed;
    this.slices = slices;
    this.closing = closing;
    for (Stretch.Slice slice : slices) {
      int left = slice.rows();
      for (TailChunk chunk : slice.chunks()) {
        int rows = Math.min(left, TailChunk.CAPACITY);
        if (rows > 0) {
          chunks.add(new Part(chunk, rows));
        }
        left -= rows;
      }
    }
  }

  /** Rows in memory. */
  List<? extends ChunkFunction.Chunk> chunks() {
    return chunks;
  }

  long handle() {
    return handle;
  }

  /** Statements that make a connection's views of the table show this. */
  List<String> settings(String table, String empty) {
    return List.of(
        set(table + "_committed_files", list(Stream.concat(Stream.of(empty), committed.stream()))),
        set(table + "_sealed_files", list(Stream.concat(Stream.of(empty), sealed.stream()))),
        set(table + "_tail", Long.toString(handle)));
  }

  private static String set(String name, String value) {
    return "SET VARIABLE " + name + " = " + value;
  }

  private static String list(Stream<String> paths) {
    return paths.map(SqlLiteral::of).collect(Collectors.joining(", ", "[", "]"));
  }

  @Override
  public void close() {
    closing.accept(handle);
    slices.forEach(Stretch.Slice::close);
  }
}

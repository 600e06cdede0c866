package io.millrace.store.iceberg;

import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowsView;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.duckdb.ChunkFunction;

/**
 * What a query sees of a table, as of one moment: files, and rows in memory. Closed after the
 * query.
 */
final class TableView implements RowsView {
  private static final int PARTS = FlowPart.values().length;

  private final long number;
  private final Map<FlowPart, List<String>> files;
  private final List<Stretch.Slice> slices;
  private final Map<FlowPart, List<ChunkFunction.Chunk>> chunks = new EnumMap<>(FlowPart.class);
  private final Consumer<TableView> closing;

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
   * @param number unique among those of the table, from 1
   * @param files paths
   * @param slices rows in memory, which this closes
   */
  TableView(
      long number,
      Map<FlowPart, List<String>> files,
      List<Stretch.Slice> slices,
      Consumer<TableView> closing) {
    this.number = number;
    this.files = files;
    this.slices = slices;
    this.closing = closing;
    for (FlowPart part : FlowPart.values()) {
      chunks.put(part, new ArrayList<>());
    }
    for (Stretch.Slice slice : slices) {
      int left = slice.rows();
      for (TailChunk chunk : slice.chunks()) {
        int rows = Math.min(left, TailChunk.CAPACITY);
        if (rows > 0) {
          chunks.get(chunk.part()).add(new Part(chunk, rows));
        }
        left -= rows;
      }
    }
  }

  /** Argument of the table function for the rows of a part in memory. */
  long handle(FlowPart part) {
    return number * PARTS + part.ordinal();
  }

  /** Rows in memory. */
  List<ChunkFunction.Chunk> chunks(FlowPart part) {
    return chunks.get(part);
  }

  static String filesVariable(String table, FlowPart part) {
    return table + "_" + part.name().toLowerCase(Locale.ROOT) + "_files";
  }

  static String tailVariable(String table, FlowPart part) {
    return table + "_" + part.name().toLowerCase(Locale.ROOT) + "_tail";
  }

  /**
   * Statements that make a connection's views of the table show this.
   *
   * @param empty path of a file without rows
   */
  List<String> settings(String table, String empty) {
    List<String> settings = new ArrayList<>();
    for (FlowPart part : FlowPart.values()) {
      Stream<String> paths =
          Stream.concat(Stream.of(empty), files.getOrDefault(part, List.of()).stream());
      settings.add(
          set(
              filesVariable(table, part),
              paths.map(SqlLiteral::of).collect(Collectors.joining(", ", "[", "]"))));
      settings.add(set(tailVariable(table, part), Long.toString(handle(part))));
    }
    return settings;
  }

  private static String set(String name, String value) {
    return "SET VARIABLE " + name + " = " + value;
  }

  @Override
  public void close() {
    closing.accept(this);
    slices.forEach(Stretch.Slice::close);
  }
}

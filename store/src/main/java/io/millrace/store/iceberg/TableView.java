package io.millrace.store.iceberg;

import io.millrace.store.QueryException;
import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.storage.TableStorage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;

/** The rows of a table that a connection sees: files, and buffered rows. */
final class TableView implements RowsView {
  private final IcebergFlowTable table;
  private final DuckDBConnection connection;
  private final Map<FlowPart, List<ReadFile>> files;
  private final List<RowBuffer.Slice> tail;
  private final TailView shown;
  private final long removedBefore;
  private final Runnable closing;
  private final Map<FlowPart, RowExtent> extents = new EnumMap<>(FlowPart.class);
  private final List<TableStorage.Use> uses = new ArrayList<>();
  private BooleanSupplier isEnded = () -> false;

  /**
   * A file that queries can read.
   *
   * @param path absolute
   * @param isCommitted whether a snapshot contains it
   */
  record ReadFile(String path, RowExtent extent, boolean isCommitted) {}

  /** An empty list for each part. */
  static Map<FlowPart, List<ReadFile>> byPart() {
    Map<FlowPart, List<ReadFile>> lists = new EnumMap<>(FlowPart.class);
    for (FlowPart part : FlowPart.values()) {
      lists.put(part, new ArrayList<>());
    }
    return lists;
  }

  /**
   * Makes the connection see the buffered rows.
   *
   * @param tail buffered rows, closed with this
   * @param closing called when this is closed
   */
  TableView(
      IcebergFlowTable table,
      DuckDBConnection connection,
      Map<FlowPart, List<ReadFile>> files,
      List<RowBuffer.Slice> tail,
      long removedBefore,
      Runnable closing)
      throws SQLException {
    this.table = table;
    this.connection = connection;
    this.files = files;
    this.tail = tail;
    this.removedBefore = removedBefore;
    this.closing = closing;
    shown = table.register(tail);
    for (FlowPart part : FlowPart.values()) {
      RowExtent all = shown.extent(part);
      for (ReadFile file : files.get(part)) {
        all = all.and(file.extent());
      }
      extents.put(part, all);
    }
    try {
      var unused = read(table.name(), extent -> false);
    } catch (SQLException | RuntimeException e) {
      close();
      throw e;
    }
  }

  static String filesVariable(String table, FlowPart part) {
    return table + "_" + part.name().toLowerCase(Locale.ROOT) + "_files";
  }

  static String committedVariable(String table, FlowPart part) {
    return table + "_" + part.name().toLowerCase(Locale.ROOT) + "_committed";
  }

  static String tailVariable(String table, FlowPart part) {
    return table + "_" + part.name().toLowerCase(Locale.ROOT) + "_tail";
  }

  private static String set(String name, String value) {
    return "SET VARIABLE " + name + " = " + value;
  }

  private List<String> fileVariables(FlowPart part, List<ReadFile> some) {
    List<ReadFile> committed = some.stream().filter(ReadFile::isCommitted).toList();
    String own = committedVariable(table.name(), part);
    String all = committed.size() == some.size() ? "getvariable('" + own + "')" : paths(some);
    return List.of(set(own, paths(committed)), set(filesVariable(table.name(), part), all));
  }

  /** A list of paths, never empty, since DuckDB rejects an empty one. */
  private String paths(List<ReadFile> some) {
    return some.isEmpty()
        ? "[" + SqlLiteral.of(table.emptyFile()) + "]"
        : some.stream()
            .map(file -> SqlLiteral.of(file.path()))
            .collect(Collectors.joining(", ", "[", "]"));
  }

  private void execute(List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(String.join("; ", statements));
    }
  }

  @Override
  public Map<FlowPart, RowExtent> extents(String name) {
    return extents;
  }

  @Override
  public List<RowExtent> files(String name) {
    return files.values().stream().flatMap(List::stream).map(ReadFile::extent).toList();
  }

  @Override
  public long removedBefore(String name) {
    return removedBefore;
  }

  @Override
  public Map<FlowPart, RowExtent> read(String name, Predicate<RowExtent> wanted)
      throws SQLException {
    Map<FlowPart, RowExtent> read = new EnumMap<>(FlowPart.class);
    List<String> settings = new ArrayList<>();
    List<String> paths = new ArrayList<>();
    for (FlowPart part : FlowPart.values()) {
      List<ReadFile> some =
          files.get(part).stream().filter(file -> wanted.test(file.extent())).toList();
      settings.add(set(tailVariable(table.name(), part), Long.toString(shown.handle(part))));
      settings.addAll(fileVariables(part, some));
      some.forEach(file -> paths.add(file.path()));
      read.put(
          part, some.stream().map(ReadFile::extent).reduce(shown.extent(part), RowExtent::and));
    }
    use(paths);
    execute(settings);
    return read;
  }

  private void use(List<String> paths) throws SQLException {
    try {
      uses.add(table.storage().use(paths, isEnded));
    } catch (InterruptedIOException e) {
      throw new SQLException("interrupted", e);
    } catch (IOException e) {
      throw new QueryException(
          QueryException.Reason.BUSY, e.getMessage(), QueryException.NO_POSITION);
    }
  }

  @Override
  public void endWhen(BooleanSupplier condition) {
    isEnded = condition;
  }

  @Override
  public void readAll() throws SQLException {
    var unused = read(table.name(), extent -> true);
  }

  @Override
  public void close() {
    uses.forEach(TableStorage.Use::close);
    shown.close();
    tail.forEach(RowBuffer.Slice::close);
    closing.run();
  }
}

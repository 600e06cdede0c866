package io.millrace.store.duckdb.parquet;

import static java.util.stream.Collectors.joining;

import io.millrace.store.Cancellation;
import io.millrace.store.FlowSchema;
import io.millrace.store.ImportedRows;
import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.NameDictionary;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.wire.block.FlowBounds;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.JoinedColumn;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/**
 * Reads a file of {@link ParquetExport} into a table of flows. Skips rows that the table has: those
 * with the same arrival and the same position in their original log.
 */
public final class ParquetImport {
  private static final int MAX_NEW_NAMES = 1_000_000;

  private static final int MAX_NEW_BYTES = 64 << 20;

  private static final int PIECE = 1 << 15;

  private static final String TEXTS = "import_texts";
  private static final String NAMES = "import_names";
  private static final String ROWS = "import_rows";
  private static final List<String> PLACE =
      List.of("time", "log_partition", "log_offset", "log_index");
  private static final Pattern TIME = Pattern.compile("TIMESTAMP.*");
  private static final Pattern INTEGER = Pattern.compile(".*INT|.*INTEGER");

  private final DuckDBConnection connection;
  private final Path file;
  private final Cancellation cancellation;
  private final String source;
  private final Map<String, String> columns;
  private int firstPartition;

  /**
   * Opens a file.
   *
   * @param cancellation cancels the import before anything is added
   * @throws IllegalArgumentException if the file is not Parquet or lacks columns of an export
   */
  public ParquetImport(DuckDBConnection connection, Path file, Cancellation cancellation)
      throws SQLException {
    this.connection = connection;
    this.cancellation = cancellation;
    this.file = file;
    source = "read_parquet(" + SqlLiteral.of(file.toString()) + ", hive_partitioning = false)";
    columns = columns();
    for (String column : PLACE) {
      String type = columns.get(column);
      if (type == null) {
        throw new IllegalArgumentException(
            "not a file of millrace export, column %s is missing: import other Parquet with --mapping"
                .formatted(column));
      }
      if (!(column.equals("time") ? TIME : INTEGER).matcher(type).matches()) {
        throw new IllegalArgumentException(
            "not a file of millrace export, column %s is %s: import other Parquet with --mapping"
                .formatted(column, type));
      }
    }
  }

  /** The failure; attributed to the file if that alone cannot be read either. */
  public SQLException failure(SQLException e) {
    try {
      SqlRows.strings(connection, "SELECT max(COLUMNS(*)) FROM " + source);
      return e;
    } catch (SQLException unreadable) {
      throw new IllegalArgumentException("the file is damaged: " + reason(e), e);
    }
  }

  private String reason(SQLException e) {
    String first = String.valueOf(e.getMessage()).strip().lines().findFirst().orElse("");
    return first.replace(" '" + file + "'", "");
  }

  private Map<String, String> columns() throws SQLException {
    Map<String, String> found = new LinkedHashMap<>();
    try {
      SqlRows.forEach(
          connection,
          "DESCRIBE SELECT * FROM " + source,
          row -> found.put(row.getString(1), row.getString(2)));
    } catch (SQLException e) {
      throw new IllegalArgumentException("the file cannot be read as Parquet: " + reason(e), e);
    }
    return found;
  }

  /** Columns that data sets added. */
  public FlowSchema schema() {
    FlowLayout fixed = FlowLayout.of(FlowPart.RECORDS, new FlowSchema(List.of()));
    List<FlowSchema.AddedColumn> joined = new ArrayList<>();
    columns.forEach(
        (name, type) -> {
          if (fixed.place(name) < 0) {
            joined.add(
                new FlowSchema.AddedColumn(
                    name,
                    type.equals("VARCHAR") ? JoinedColumn.Kind.TEXT : JoinedColumn.Kind.NUMBER));
          }
        });
    return new FlowSchema(joined);
  }

  /** Arrival of the oldest row, microseconds; {@link Long#MAX_VALUE} if there are none. */
  public long oldest() throws SQLException {
    return number(
        "SELECT coalesce(epoch_us(min(time)), %d) FROM %s".formatted(Long.MAX_VALUE, source));
  }

  /** Arrival of the newest row, microseconds; {@link Long#MIN_VALUE} if there are none. */
  public long newest() throws SQLException {
    return number(
        "SELECT coalesce(epoch_us(max(time)), %s) FROM %s"
            .formatted(SqlTime.micros(Long.MIN_VALUE), source));
  }

  /**
   * Converts the rows that the table lacks, into a temporary table. The connection must see the
   * rows of the table that arrived in the time range of the file.
   *
   * @param layout layout of the part that has all columns
   * @return numbers of added and skipped rows
   * @throws IllegalArgumentException if the file has too many unknown texts
   */
  public ImportedRows prepare(String table, FlowLayout layout, NameDictionary names)
      throws SQLException {
    readNames(layout, names, MAX_NEW_NAMES, MAX_NEW_BYTES);
    execute(
        "CREATE OR REPLACE TEMP TABLE %s AS SELECT %s FROM %s f%s WHERE NOT EXISTS (%s)"
            .formatted(ROWS, converted(layout), source, joins(layout), there(table)));
    requireCounts("bytes", FlowBounds.MAX_BYTES);
    requireCounts("packets", FlowBounds.MAX_PACKETS);
    long all = number("SELECT count(*) FROM " + source);
    long added = number("SELECT count(*) FROM temp." + ROWS);
    return new ImportedRows(added, all - added);
  }

  private void requireCounts(String column, long most) throws SQLException {
    String beyond =
        "SELECT %1$s::VARCHAR FROM temp.%2$s WHERE %1$s > %3$d LIMIT 1"
            .formatted(column, ROWS, most);
    for (String count : SqlRows.strings(connection, beyond)) {
      throw new IllegalArgumentException(
          "the file has a record of " + count + " " + column + ", maximum " + most);
    }
  }

  /**
   * Assigns positions to the prepared rows.
   *
   * @param committed log positions that the table has, including imports
   * @return log positions with these rows
   */
  public Frontier place(Frontier committed) throws SQLException {
    Map<Integer, Long> least = new TreeMap<>();
    Map<Integer, Long> next = new TreeMap<>();
    SqlRows.forEach(
        connection,
        "SELECT log_partition, min(log_offset), max(log_offset) FROM temp." + ROWS + " GROUP BY 1",
        bounds -> {
          int partition = bounds.getInt(1);
          if (partition < 0 || partition >= Imports.SLOT) {
            throw new IllegalArgumentException(
                "not a file of millrace export: log_partition is " + partition);
          }
          least.put(partition, bounds.getLong(2));
          next.put(partition, bounds.getLong(3) + 1);
        });
    firstPartition = Imports.slot(committed, least);
    Map<Integer, Long> reached = new TreeMap<>();
    next.forEach((partition, offset) -> reached.put(firstPartition + partition, offset));
    return committed.union(new Frontier(reached));
  }

  /** SELECT of the prepared rows of a part; call {@link #place} before. */
  public String select(FlowPart part, FlowLayout layout) {
    List<String> values = new ArrayList<>();
    for (FlowLayout.Column column : layout.columns()) {
      String name = Catalog.quoted(column.name());
      values.add(
          column.name().equals("log_partition")
              ? "%s + %d AS %1$s".formatted(name, firstPartition)
              : name);
    }
    List<String> records = new ArrayList<>();
    for (FlowColumn column : FlowColumn.ALL) {
      if (!FlowPart.PACKETS.has(column)) {
        records.add(Catalog.quoted(column.columnName()) + " IS NOT NULL");
      }
    }
    return "SELECT %s FROM temp.%s WHERE %s(%s)"
        .formatted(
            String.join(", ", values),
            ROWS,
            part == FlowPart.RECORDS ? "" : "NOT ",
            String.join(" OR ", records));
  }

  void readNames(FlowLayout layout, NameDictionary names, int maxNew, int maxBytes)
      throws SQLException {
    execute("CREATE OR REPLACE TEMP TABLE " + NAMES + "(name VARCHAR, id BIGINT)");
    List<String> texts = texts(layout);
    if (texts.isEmpty()) {
      return;
    }
    execute(
        "CREATE OR REPLACE TEMP TABLE %s AS SELECT DISTINCT unnest([%s]) AS name FROM %s"
            .formatted(TEXTS, texts.stream().map(Catalog::quoted).collect(joining(", ")), source));
    String added = " FROM temp.%s t ANTI JOIN millrace.main.names n USING (name)".formatted(TEXTS);
    long count = number("SELECT count(name)" + added);
    long bytes = number("SELECT coalesce(sum(strlen(name)), 0)" + added);
    if (count > maxNew || bytes > maxBytes) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "the file has %,d new names of %,d bytes, maximum %,d of %,d: export and import shorter time ranges",
              count,
              bytes,
              maxNew,
              maxBytes));
    }
    long all = number("SELECT count(*) FROM temp." + TEXTS);
    try (DuckDBAppender ids = connection.createAppender("temp", "main", NAMES)) {
      for (long from = 0; from < all; from += PIECE) {
        String piece =
            "SELECT name FROM temp.%s WHERE rowid >= %d AND rowid < %d AND name IS NOT NULL"
                .formatted(TEXTS, from, from + PIECE);
        for (String name : SqlRows.strings(connection, piece)) {
          ids.beginRow().append(name).append(names.idOf(name)).endRow();
        }
      }
    }
    names.flush();
  }

  private long number(String sql) throws SQLException {
    return during(statement -> SqlRows.number(statement, sql));
  }

  private void execute(String sql) throws SQLException {
    boolean unused = during(statement -> statement.execute(sql));
  }

  @FunctionalInterface
  private interface Work<T> {
    T run(Statement statement) throws SQLException;
  }

  private <T> T during(Work<T> work) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      cancellation.onCancel(() -> ParquetExport.interrupt(connection));
      if (cancellation.isCancelled()) {
        throw new SQLException("interrupted");
      }
      return work.run(statement);
    } finally {
      cancellation.onCancel(() -> {});
    }
  }

  private List<String> texts(FlowLayout layout) {
    return layout.schema().joined().stream()
        .filter(column -> column.kind() == JoinedColumn.Kind.TEXT)
        .map(FlowSchema.AddedColumn::name)
        .filter(columns::containsKey)
        .toList();
  }

  private String converted(FlowLayout layout) {
    List<String> texts = texts(layout);
    List<String> converted = new ArrayList<>();
    for (FlowLayout.Column column : layout.columns()) {
      String name = Catalog.quoted(column.name());
      String value = "f." + name;
      if (!columns.containsKey(column.name())) {
        value = "NULL";
      } else if (texts.contains(column.name())) {
        value = alias(texts.indexOf(column.name())) + ".id";
      } else {
        FlowColumn wire = wire(column.name());
        if (wire != null && wire.type() == FlowColumn.Type.ADDRESS) {
          value = Catalog.main("ip") + "(" + value + ")";
        } else if (wire != null && wire.type() == FlowColumn.Type.MAC) {
          value = "('0x' || replace(" + value + ", ':', ''))";
        }
      }
      converted.add(value + "::" + column.sqlType() + " AS " + name);
    }
    return String.join(", ", converted);
  }

  private static FlowColumn wire(String name) {
    for (FlowColumn column : FlowColumn.ALL) {
      if (column.columnName().equals(name)) {
        return column;
      }
    }
    return null;
  }

  private static String alias(int text) {
    return "n" + text;
  }

  private String joins(FlowLayout layout) {
    StringBuilder joins = new StringBuilder();
    List<String> texts = texts(layout);
    for (int i = 0; i < texts.size(); i++) {
      joins.append(
          " LEFT JOIN temp.%1$s %2$s ON %2$s.name = f.%3$s"
              .formatted(NAMES, alias(i), Catalog.quoted(texts.get(i))));
    }
    return joins.toString();
  }

  private String there(String table) throws SQLException {
    return "SELECT 1 FROM %s t WHERE t.time >= %s AND t.time <= %s AND t.time = f.time AND t.log_offset = f.log_offset AND t.log_index = f.log_index AND %s = f.log_partition"
        .formatted(
            Catalog.rows(table),
            SqlTime.timestamp(oldest()),
            SqlTime.timestamp(newest()),
            Imports.origin("t.log_partition"));
  }
}

package io.millrace.store.duckdb.schema;

import io.millrace.store.FlowSchema;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.util.ArrayList;
import java.util.List;

/**
 * Columns of a stored table of flows, in table order: those of the wire format, the log position,
 * those of data sets; then those that later versions and settings added.
 */
public record FlowLayout(FlowSchema schema, List<Column> columns) {
  private static final List<Column> LOG =
      List.of(
          new Column("log_partition", "INTEGER"),
          new Column("log_offset", "BIGINT"),
          new Column("log_index", "UINTEGER"));

  /** A column as queries see it. */
  public record Column(String name, String sqlType) {
    public String definition() {
      return Catalog.quoted(name) + " " + sqlType;
    }

    /** Whether the values are addresses. */
    public boolean isAddress() {
      return sqlType.equals(ADDRESS);
    }
  }

  private static final String ADDRESS = "UHUGEINT";

  /**
   * Name of the column with an address as it is in files, a UUID, beside the column with its
   * number. DuckDB skips row groups by the minima, maxima and Bloom filters of a file only if a
   * condition compares the file's own column.
   */
  public static String stored(String address) {
    return address + "__uuid";
  }

  /** The layout of a new table. */
  public static FlowLayout of(FlowPart part, FlowSchema schema) {
    List<Column> columns = new ArrayList<>();
    part.columns().forEach(column -> columns.add(column(column)));
    columns.addAll(LOG);
    schema.joined().forEach(joined -> columns.add(column(joined)));
    return new FlowLayout(schema, List.copyOf(columns));
  }

  private static Column column(FlowColumn column) {
    String name = column.columnName();
    return switch (column.type()) {
      case TIME, MOMENT -> new Column(name, "TIMESTAMP");
      case ADDRESS -> new Column(name, ADDRESS);
      case U8 -> new Column(name, "UTINYINT");
      case U16 -> new Column(name, "USMALLINT");
      case U32 -> new Column(name, "UINTEGER");
      case U64, MAC -> new Column(name, "UBIGINT");
    };
  }

  private static Column column(FlowSchema.AddedColumn joined) {
    return joined.kind() == JoinedColumn.Kind.NUMBER
        ? new Column(joined.name(), "UINTEGER")
        : new Column(joined.name(), "BIGINT");
  }

  /** Whether the values of a column are ids in the table of names. */
  public boolean isText(String name) {
    return schema.joined().stream()
        .anyMatch(joined -> joined.name().equals(name) && joined.kind() == JoinedColumn.Kind.TEXT);
  }

  /** Index of the column in the table, from 0; -1 if it has none. */
  public int place(String name) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }
}

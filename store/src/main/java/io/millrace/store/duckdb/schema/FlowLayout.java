package io.millrace.store.duckdb.schema;

import io.millrace.store.FlowSchema;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.util.ArrayList;
import java.util.List;

/**
 * The columns of a stored table of flows, in the order of the table: those of the wire, the place
 * in the log, those that data sets add; and after them what later versions and settings added.
 */
public record FlowLayout(FlowSchema schema, List<Column> columns) {
  private static final List<Column> LOG =
      List.of(
          new Column("log_partition", "INTEGER", 4),
          new Column("log_offset", "BIGINT", 8),
          new Column("log_index", "UINTEGER", 4));

  /** A stored column: SQL type and bytes of a value. */
  public record Column(String name, String sqlType, int width) {
    public String definition() {
      return Catalog.quoted(name) + " " + sqlType;
    }
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
      case TIME, MOMENT -> new Column(name, "TIMESTAMP", 8);
      case ADDRESS -> new Column(name, "UHUGEINT", 16);
      case U8 -> new Column(name, "UTINYINT", 1);
      case U16 -> new Column(name, "USMALLINT", 2);
      case U32 -> new Column(name, "UINTEGER", 4);
      case U64, MAC -> new Column(name, "UBIGINT", 8);
    };
  }

  private static Column column(FlowSchema.AddedColumn joined) {
    return joined.kind() == JoinedColumn.Kind.NUMBER
        ? new Column(joined.name(), "UINTEGER", 4)
        : new Column(joined.name(), "BIGINT", 8);
  }

  /** The kind of joined column that is stored with this type; null if none is. */
  static JoinedColumn.Kind joinedKind(String sqlType) {
    return switch (sqlType) {
      case "UINTEGER" -> JoinedColumn.Kind.NUMBER;
      case "BIGINT" -> JoinedColumn.Kind.TEXT;
      default -> null;
    };
  }

  public int[] widths() {
    return columns.stream().mapToInt(Column::width).toArray();
  }

  /** Where the column stands in the table, from 0; -1 if nowhere. */
  public int place(String name) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** The places of all columns of the wire, by ordinal; -1 for those that are not stored here. */
  public int[] wirePlaces() {
    return FlowColumn.ALL.stream().mapToInt(column -> place(column.columnName())).toArray();
  }

  /** The places of the joined columns, in the order of the schema. */
  public int[] joinedPlaces() {
    return schema.joined().stream().mapToInt(joined -> place(joined.name())).toArray();
  }
}

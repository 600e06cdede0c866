package io.millrace.store.iceberg;

import io.millrace.store.FlowSchema;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.duckdb.ChunkFunction;

/**
 * The columns of a table of flows as they are stored: those of the wire, the position in the log,
 * those of data sets. Iceberg has no unsigned numbers: those of up to 16 bits become {@code int},
 * all others {@code long}; addresses become {@code uuid}, 16 bytes.
 *
 * @param columns in the order of a new table
 */
record FlowColumns(FlowSchema schema, List<Column> columns) {
  static final String TIME = FlowColumn.TIME.columnName();
  static final String LOG_PARTITION = "log_partition";
  static final String LOG_OFFSET = "log_offset";
  static final String LOG_INDEX = "log_index";

  /** Comment by which columns of texts are known. */
  static final String TEXT_DOC = "id of a text in the table names";

  /** How values are stored. */
  @SuppressWarnings("ImmutableEnumChecker") // types of Iceberg do not change
  enum Form {
    TIME(ChunkFunction.Type.TIMESTAMP, Types.TimestampType.withoutZone()),
    ADDRESS(ChunkFunction.Type.UUID, Types.UUIDType.get()),
    INTEGER(ChunkFunction.Type.INTEGER, Types.IntegerType.get()),
    LONG(ChunkFunction.Type.BIGINT, Types.LongType.get());

    final ChunkFunction.Type scanned;
    final Type type;

    Form(ChunkFunction.Type scanned, Type type) {
      this.scanned = scanned;
      this.type = type;
    }

    String sql() {
      return scanned.name();
    }

    int width() {
      return scanned.width();
    }
  }

  /**
   * A stored column.
   *
   * @param inPackets whether blocks of sampled packets have it
   */
  record Column(String name, Form form, boolean inPackets) {
    String quoted() {
      return Catalog.quoted(name);
    }
  }

  static FlowColumns of(FlowSchema schema) {
    List<Column> columns = new ArrayList<>();
    for (FlowColumn column : FlowColumn.ALL) {
      columns.add(new Column(column.columnName(), form(column), FlowPart.PACKETS.has(column)));
    }
    columns.add(new Column(LOG_PARTITION, Form.INTEGER, true));
    columns.add(new Column(LOG_OFFSET, Form.LONG, true));
    columns.add(new Column(LOG_INDEX, Form.INTEGER, true));
    schema.joined().forEach(joined -> columns.add(new Column(joined.name(), Form.LONG, true)));
    return new FlowColumns(schema, List.copyOf(columns));
  }

  /** The columns that a table has already, and those of a schema. */
  static FlowSchema union(String table, Schema stored, FlowSchema wanted) {
    FlowColumns fixed = of(new FlowSchema(List.of()));
    List<FlowSchema.AddedColumn> all = new ArrayList<>();
    for (Types.NestedField field : stored.columns()) {
      if (fixed.place(field.name()) < 0) {
        all.add(
            new FlowSchema.AddedColumn(
                field.name(),
                TEXT_DOC.equals(field.doc()) ? JoinedColumn.Kind.TEXT : JoinedColumn.Kind.NUMBER));
      }
    }
    for (FlowSchema.AddedColumn column : wanted.joined()) {
      if (all.stream().noneMatch(there -> there.name().equals(column.name()))) {
        all.add(column);
      } else if (!all.contains(column)) {
        throw new WrongSchemaException(
            "table %s: column %s is stored as another kind than %s; name the new one differently"
                .formatted(table, column.name(), column.kind()));
      }
    }
    return new FlowSchema(all);
  }

  private static Form form(FlowColumn column) {
    return switch (column.type()) {
      case TIME, MOMENT -> Form.TIME;
      case ADDRESS -> Form.ADDRESS;
      case U8, U16 -> Form.INTEGER;
      case U32, U64, MAC -> Form.LONG;
    };
  }

  /** Where the column is, from 0; -1 if nowhere. */
  int place(String name) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** The columns that the rows of a part have. */
  List<Column> of(FlowPart part) {
    return part == FlowPart.RECORDS ? columns : columns.stream().filter(Column::inPackets).toList();
  }

  /** Columns of a new Iceberg table, all optional but the time and the position in the log. */
  Schema iceberg() {
    List<Types.NestedField> fields = new ArrayList<>();
    for (Column column : columns) {
      boolean isRequired =
          List.of(TIME, LOG_PARTITION, LOG_OFFSET, LOG_INDEX).contains(column.name());
      fields.add(
          Types.NestedField.builder()
              .withId(fields.size() + 1)
              .withName(column.name())
              .ofType(column.form().type)
              .isOptional(!isRequired)
              .withDoc(doc(column.name()))
              .build());
    }
    return new Schema(fields);
  }

  /** Comment of a column; null for none. */
  String doc(String name) {
    return schema.joined().stream()
            .anyMatch(
                joined -> joined.name().equals(name) && joined.kind() == JoinedColumn.Kind.TEXT)
        ? TEXT_DOC
        : null;
  }

  /** The columns as a table function gives them. */
  List<ChunkFunction.Column> forScans() {
    return columns.stream()
        .map(column -> new ChunkFunction.Column(column.name(), column.form().scanned))
        .toList();
  }

  /** Entries of the map that gives {@code read_parquet} the columns of all files. */
  String parquetSchema(Schema stored) {
    return list(
        column ->
            "%d: {'name': '%s', 'type': '%s', 'default_value': NULL}"
                .formatted(
                    stored.findField(column.name()).fieldId(), column.name(), column.form().sql()));
  }

  String list(Function<Column, String> each) {
    return columns.stream().map(each).collect(Collectors.joining(", "));
  }
}

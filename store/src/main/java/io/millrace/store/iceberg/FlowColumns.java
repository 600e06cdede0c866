package io.millrace.store.iceberg;

import io.millrace.store.FlowSchema;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.duckdb.ChunkFunction;

/**
 * Stored columns of a table of flows: columns of the wire, the position in the log, and columns of
 * data sets. Iceberg has no unsigned types: numbers of up to 16 bits are stored as {@code int},
 * larger ones as {@code long}, and addresses as {@code uuid} (16 bytes).
 *
 * @param columns in the order of a new table
 */
record FlowColumns(FlowSchema schema, List<Column> columns) {
  static final String TIME = FlowColumn.TIME.columnName();
  static final String LOG_PARTITION = "log_partition";
  static final String LOG_OFFSET = "log_offset";
  static final String LOG_INDEX = "log_index";

  /** Column comment that marks ids of texts. */
  static final String TEXT_DOC = "id of a text in the table names";

  /** Type of stored values. */
  @SuppressWarnings("ImmutableEnumChecker") // Iceberg's types are immutable
  enum StorageType {
    TIME(ChunkFunction.Type.TIMESTAMP, Types.TimestampType.withoutZone()),
    ADDRESS(ChunkFunction.Type.UUID, Types.UUIDType.get()),
    INTEGER(ChunkFunction.Type.INTEGER, Types.IntegerType.get()),
    LONG(ChunkFunction.Type.BIGINT, Types.LongType.get());

    final ChunkFunction.Type duckdb;
    final Type iceberg;

    StorageType(ChunkFunction.Type duckdb, Type iceberg) {
      this.duckdb = duckdb;
      this.iceberg = iceberg;
    }

    String sql() {
      return duckdb.name();
    }

    int width() {
      return duckdb.width();
    }
  }

  /**
   * A stored column.
   *
   * @param inPackets whether blocks of sampled packets have it
   */
  record Column(String name, StorageType type, boolean inPackets) {
    String quoted() {
      return Catalog.quoted(name);
    }
  }

  static FlowColumns of(FlowSchema schema) {
    List<Column> columns = new ArrayList<>();
    for (FlowColumn column : FlowColumn.ALL) {
      columns.add(
          new Column(column.columnName(), storageType(column), FlowPart.PACKETS.has(column)));
    }
    columns.add(new Column(LOG_PARTITION, StorageType.INTEGER, true));
    columns.add(new Column(LOG_OFFSET, StorageType.LONG, true));
    columns.add(new Column(LOG_INDEX, StorageType.INTEGER, true));
    schema
        .joined()
        .forEach(joined -> columns.add(new Column(joined.name(), StorageType.LONG, true)));
    return new FlowColumns(schema, List.copyOf(columns));
  }

  /**
   * Columns that a table has, followed by those that a schema adds.
   *
   * @throws WrongSchemaException if a column is stored as another kind than declared
   */
  static FlowSchema union(String table, Schema stored, FlowSchema wanted) {
    FlowColumns fixed = of(new FlowSchema(List.of()));
    List<FlowSchema.AddedColumn> all = new ArrayList<>();
    for (Types.NestedField field : stored.columns()) {
      if (fixed.indexOf(field.name()) < 0) {
        all.add(
            new FlowSchema.AddedColumn(
                field.name(),
                TEXT_DOC.equals(field.doc()) ? JoinedColumn.Kind.TEXT : JoinedColumn.Kind.NUMBER));
      }
    }
    for (FlowSchema.AddedColumn column : wanted.joined()) {
      Optional<FlowSchema.AddedColumn> known =
          all.stream().filter(other -> other.name().equals(column.name())).findFirst();
      if (known.isEmpty()) {
        all.add(column);
      } else if (known.get().kind() != column.kind()) {
        throw new WrongSchemaException(
            "table %s: column %s is stored as %s but declared as %s; use another name for the new column"
                .formatted(table, column.name(), known.get().kind(), column.kind()));
      }
    }
    return new FlowSchema(all);
  }

  private static StorageType storageType(FlowColumn column) {
    return switch (column.type()) {
      case TIME, MOMENT -> StorageType.TIME;
      case ADDRESS -> StorageType.ADDRESS;
      case U8, U16 -> StorageType.INTEGER;
      case U32, U64, MAC -> StorageType.LONG;
    };
  }

  /** Index of a column; -1 if there is none. */
  int indexOf(String name) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** Columns of the rows of a part. */
  List<Column> of(FlowPart part) {
    return part == FlowPart.RECORDS ? columns : columns.stream().filter(Column::inPackets).toList();
  }

  /** Schema of a new Iceberg table; only time and position in the log are required. */
  Schema iceberg() {
    List<Types.NestedField> fields = new ArrayList<>();
    for (Column column : columns) {
      boolean isRequired =
          List.of(TIME, LOG_PARTITION, LOG_OFFSET, LOG_INDEX).contains(column.name());
      fields.add(
          Types.NestedField.builder()
              .withId(fields.size() + 1)
              .withName(column.name())
              .ofType(column.type().iceberg)
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

  /** Columns of the table function that reads buffered rows. */
  List<ChunkFunction.Column> forScans() {
    return columns.stream()
        .map(column -> new ChunkFunction.Column(column.name(), column.type().duckdb))
        .toList();
  }

  /** Entries of the map {@code schema} of {@code read_parquet}, by field id. */
  String parquetSchema(Schema stored) {
    return list(
        column ->
            "%d: {'name': '%s', 'type': '%s', 'default_value': NULL}"
                .formatted(
                    stored.findField(column.name()).fieldId(), column.name(), column.type().sql()));
  }

  String list(Function<Column, String> each) {
    return columns.stream().map(each).collect(Collectors.joining(", "));
  }
}

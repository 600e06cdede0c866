package io.millrace.server.flight;

import io.millrace.server.arrow.ArrowTypes;
import io.millrace.store.QueryResult;
import io.millrace.store.SqlLiteral;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.flight.sql.FlightSqlColumnMetadata;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Lists tables and views of the users' schema from DuckDB's {@code information_schema}, so views
 * that a plugin or replay has just added are included.
 */
final class TableList {
  static final String CATALOG = "millrace";
  static final String SCHEMA = "main";
  static final String TABLE = "TABLE";
  static final String VIEW = "VIEW";

  private static final String OURS =
      " WHERE table_catalog = '" + CATALOG + "' AND table_schema = '" + SCHEMA + "'";

  private final QueryStreams streams;

  TableList(QueryStreams streams) {
    this.streams = streams;
  }

  /**
   * Filter of a request. Empty components match everything; names are LIKE patterns with the escape
   * character {@code \}.
   */
  record Filter(
      Optional<String> catalog,
      Optional<String> schemas,
      Optional<String> tables,
      List<String> types) {

    private String sql() {
      return catalog.filter(name -> !name.equals(CATALOG)).map(name -> " AND FALSE").orElse("")
          + schemas.map(pattern -> like("table_schema", pattern)).orElse("")
          + tables.map(pattern -> like("table_name", pattern)).orElse("");
    }

    private static String like(String column, String pattern) {
      return " AND " + column + " LIKE " + SqlLiteral.of(pattern) + " ESCAPE '\\'";
    }
  }

  List<List<Object>> schemas(Filter filter) {
    return strings("SELECT DISTINCT table_schema FROM information_schema.tables", filter, "ALL")
        .stream()
        .map(row -> Arrays.<Object>asList(CATALOG, row.get(0)))
        .toList();
  }

  /**
   * Catalog, schema, name and type of each table, sorted by name; optionally followed by its Arrow
   * schema.
   */
  List<List<Object>> tables(Filter filter, boolean withColumns) {
    Map<String, List<Field>> columns = withColumns ? columns(filter) : Map.of();
    List<List<Object>> rows = new ArrayList<>();
    for (List<String> table :
        strings("SELECT table_name, table_type FROM information_schema.tables", filter, "ALL")) {
      String name = table.get(0);
      String type = table.get(1).equals(VIEW) ? VIEW : TABLE;
      if (!filter.types().isEmpty() && !filter.types().contains(type)) {
        continue;
      }
      List<Object> row = new ArrayList<>(List.of(CATALOG, SCHEMA, name, type));
      if (withColumns) {
        row.add(new Schema(columns.getOrDefault(name, List.of())).serializeAsMessage());
      }
      rows.add(row);
    }
    return rows;
  }

  private Map<String, List<Field>> columns(Filter filter) {
    Map<String, List<Field>> columns = new LinkedHashMap<>();
    for (List<String> column :
        strings(
            "SELECT table_name, column_name, data_type FROM information_schema.columns",
            filter,
            "table_name, ordinal_position")) {
      String table = column.get(0);
      String type = column.get(2);
      FlightSqlColumnMetadata more =
          new FlightSqlColumnMetadata.Builder()
              .catalogName(CATALOG)
              .schemaName(SCHEMA)
              .tableName(table)
              .typeName(type)
              .isAutoIncrement(false)
              .isCaseSensitive(true)
              .isReadOnly(true)
              .isSearchable(true)
              .build();
      columns
          .computeIfAbsent(table, name -> new ArrayList<>())
          .add(ArrowTypes.field(column.get(1), type, more.getMetadataMap()));
    }
    return columns;
  }

  private List<List<String>> strings(String select, Filter filter, String order) {
    List<List<String>> rows = new ArrayList<>();
    try (QueryResult result = streams.query(select + OURS + filter.sql() + " ORDER BY " + order)) {
      int width = result.columns().size();
      while (result.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 0; i < width; i++) {
          row.add(String.valueOf(result.value(i)));
        }
        rows.add(row);
      }
    }
    return rows;
  }
}

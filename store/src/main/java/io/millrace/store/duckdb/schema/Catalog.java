package io.millrace.store.duckdb.schema;

import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.query.Relation;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.duckdb.DuckDBConnection;

/** Names in the DuckDB file. */
public final class Catalog {
  /** Database name of the attached file. */
  public static final String DATABASE = "millrace";

  /** Schema of stored tables. */
  public static final String RAW_SCHEMA = "raw";

  /**
   * Column of stored results: id of the last checkpoint before the row. No schema may have a column
   * of this name.
   */
  public static final String CHECKPOINT = "__checkpoint";

  /** Suffix of the stored names of tables of results. */
  public static final String RESULTS = "__results";

  private Catalog() {}

  /** Quotes a name, which may be a keyword. */
  public static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** Qualified name of the view of all stored rows of a table of flows. */
  public static String rows(String table) {
    return raw(rowsName(table));
  }

  /** Unqualified name of the view of all stored rows. */
  public static String rowsName(String table) {
    return table + "__rows";
  }

  /** Name of the committed part of a stored table or of the view of all rows. */
  public static String committed(String stored) {
    return stored + "__committed";
  }

  /** Qualified name of a stored table. */
  public static String raw(String table) {
    return DATABASE + "." + RAW_SCHEMA + "." + quoted(table);
  }

  /** A stored table. */
  public static Relation stored(String table) {
    return Relation.table(DATABASE, RAW_SCHEMA, table);
  }

  /** The table of texts by id. */
  public static Relation names() {
    return Relation.table(DATABASE, "main", "names");
  }

  /** Name of the stored table of a table of results, in {@link #RAW_SCHEMA}. */
  public static String resultsName(String table) {
    return table + RESULTS;
  }

  /** Qualified name of a view or macro for users. */
  public static String main(String name) {
    return DATABASE + ".main." + quoted(name);
  }

  /** Columns of a stored table or view and their types, in order; empty if it does not exist. */
  public static Map<String, String> columns(DuckDBConnection connection, String table)
      throws SQLException {
    Map<String, String> columns = new LinkedHashMap<>();
    String where =
        "database_name = '%s' AND schema_name = '%s' AND table_name = '%s'"
            .formatted(DATABASE, RAW_SCHEMA, table);
    // duckdb_columns() has both, but scans all tables and views.
    if (SqlRows.number(connection, "SELECT count(*) FROM duckdb_tables() WHERE " + where)
            + SqlRows.number(
                connection,
                "SELECT count(*) FROM duckdb_views() WHERE "
                    + where.replace("table_name", "view_name"))
        > 0) {
      SqlRows.forEach(
          connection,
          "SELECT name, type FROM pragma_table_info('" + raw(table) + "') ORDER BY cid",
          row -> columns.put(row.getString(1), row.getString(2)));
    }
    return columns;
  }
}

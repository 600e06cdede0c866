package io.millrace.store.duckdb.sql;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.duckdb.DuckDBConnection;

/** DuckDB's lists of its functions, read once. Thread-safe. */
public final class SqlFunctions {
  private static final Set<String> MOMENTS =
      Set.of("current_date", "current_timestamp", "localtimestamp");

  private volatile Set<String> aggregates;
  private volatile Set<String> volatiles;

  /** Reads the lists if they were not read before. */
  public void load(DuckDBConnection connection) throws SQLException {
    if (volatiles == null) {
      aggregates = names(connection, "function_type = 'aggregate'");
      volatiles = names(connection, "stability = 'VOLATILE'");
    }
  }

  private static Set<String> names(DuckDBConnection connection, String which) throws SQLException {
    Set<String> names = new HashSet<>();
    SqlRows.strings(
            connection, "SELECT DISTINCT function_name FROM duckdb_functions() WHERE " + which)
        .forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
    return names;
  }

  public boolean isAggregate(JsonNode node) {
    return aggregates.contains(Ast.function(node));
  }

  /** Whether a call returns another value each time. */
  public boolean isVolatile(JsonNode node) {
    return volatiles.contains(Ast.function(node));
  }

  public boolean hasAggregate(JsonNode node) {
    return Ast.has(node, this::isAggregate);
  }

  private static boolean isMoment(JsonNode column) {
    JsonNode names = column.path("column_names");
    return names.size() == 1 && MOMENTS.contains(names.path(0).asText().toLowerCase(Locale.ROOT));
  }

  /** Whether an expression has one value for a whole query. */
  public boolean isConstant(JsonNode node) {
    if (node.path("type").asText().equals("COLUMN_REF")) {
      return isMoment(node);
    }
    if (isVolatile(node) || isAggregate(node)) {
      return false;
    }
    for (JsonNode child : node) {
      if (!isConstant(child)) {
        return false;
      }
    }
    return true;
  }
}

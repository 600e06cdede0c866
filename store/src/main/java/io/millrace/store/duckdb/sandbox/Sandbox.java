package io.millrace.store.duckdb.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.sql.Ast;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.duckdb.DuckDBConnection;

/**
 * Decides which queries may run: one SELECT, as DuckDB's own parser reads it, of syntax, tables,
 * functions and types that are known to be harmless.
 *
 * <p>It is the first of three barriers. It rejects what {@link AllowedSql} does not list, and
 * unknown tables, whose names could be files. In addition, transactions are read-only, and the
 * database has external access disabled and its settings locked.
 */
public final class Sandbox {
  private static final Pattern EXPLAIN =
      Pattern.compile("\\s*explain\\s+(analyze\\s+)?", Pattern.CASE_INSENSITIVE);
  private static final Pattern CTE_NAME = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_]*");
  private static final Pattern SYSTEM_NAME =
      Pattern.compile("(duckdb_|pragma_|pg_|sqlite_).*", Pattern.CASE_INSENSITIVE);

  private static final String STATEMENT = "_QUERY_NODE";

  private final Map<String, FlowView> views;
  private final Set<String> resultNames;
  private final Set<String> rollupViews;

  /** The collections may grow later. */
  public Sandbox(Map<String, FlowView> views, Set<String> resultNames, Set<String> rollupViews) {
    this.views = views;
    this.resultNames = resultNames;
    this.rollupViews = rollupViews;
  }

  /**
   * A query that may run.
   *
   * @param sql query as written, or with conditions that limit its values
   * @param prefix {@code EXPLAIN} with its options, or empty
   * @param body the SELECT
   * @param node the parsed SELECT
   * @param cteNames lower-case names that hide tables
   */
  public record CheckedQuery(
      String sql, String prefix, String body, JsonNode node, Set<String> cteNames) {}

  public CheckedQuery check(DuckDBConnection connection, String sql) throws SQLException {
    TreeBounds.checkText(sql);
    String prefix = prefix(sql);
    String body = sql.substring(prefix.length());
    JsonNode parsed = Ast.serialized(connection, body);
    if (parsed.path("error").asBoolean()) {
      if (parsed.path("error_type").asText().equals("parser")) {
        connection.prepareStatement(body).close(); // throws DuckDB's error
      }
      throw rejected("only one SELECT, EXPLAIN, DESCRIBE, SHOW TABLES or SUMMARIZE is allowed");
    }
    if (parsed.path("statements").size() != 1) {
      throw rejected("one statement at a time is allowed");
    }
    JsonNode node = parsed.path("statements").path(0).path("node");
    Set<String> cteNames = new HashSet<>();
    collectCteNames(node, cteNames);
    walk(node, cteNames);
    TreeBounds.check(node);
    JsonNode bounded = new ValueBounds(connection).bounded(node);
    if (!bounded.equals(node)) {
      body = Ast.toSql(connection, bounded);
      return new CheckedQuery(prefix + body, prefix, body, Ast.parse(connection, body), cteNames);
    }
    return new CheckedQuery(sql, prefix, body, node, cteNames);
  }

  static String prefix(String sql) {
    Matcher explain = EXPLAIN.matcher(sql);
    return explain.lookingAt() ? explain.group() : "";
  }

  static QueryException rejected(String why) {
    return new QueryException(
        Reason.NOT_ALLOWED, "not allowed in a query: " + why, QueryException.NO_POSITION);
  }

  private static void collectCteNames(JsonNode node, Set<String> names) {
    for (JsonNode entry : node.path("cte_map").path("map")) {
      String name = entry.path("key").asText();
      if (!CTE_NAME.matcher(name).matches() || SYSTEM_NAME.matcher(name).matches()) {
        throw rejected("the name " + Catalog.quoted(name) + " in WITH");
      }
      names.add(name.toLowerCase(Locale.ROOT));
    }
    for (JsonNode child : node) {
      collectCteNames(child, names);
    }
  }

  private void walk(JsonNode node, Set<String> cteNames) {
    checkSyntax(node);
    String type = node.path("type").asText();
    switch (type) {
      case "BASE_TABLE" -> checkTable(node, cteNames);
      case "TABLE_FUNCTION" -> {
        JsonNode call = node.path("function");
        checkTableFunction(call.path("function_name").asText());
        call.forEach(part -> walk(part, cteNames));
        return;
      }
      case "SHOW_REF" -> checkShow(node);
      case "TYPE" -> checkType(node.path("type_name").asText());
      default -> {
        if (type.equals("FUNCTION") || type.startsWith("WINDOW_")) {
          checkFunction(node.path("function_name").asText());
        }
        if (node.path("export_state").asBoolean()) {
          throw rejected("EXPORT_STATE");
        }
      }
    }
    for (JsonNode child : node) {
      walk(child, cteNames);
    }
  }

  private static void checkSyntax(JsonNode node) {
    JsonNode type = node.path("type");
    if (type.isTextual() && !AllowedSql.isSyntax(type.asText())) {
      String name = type.asText();
      throw rejected(
          name.endsWith(STATEMENT)
              ? name.substring(0, name.length() - STATEMENT.length()) + " in WITH"
              : "the syntax " + name);
    }
  }

  private void checkTable(JsonNode node, Set<String> cteNames) {
    if (!isKnown(node, cteNames)) {
      // DuckDB's "does not exist, did you mean" is better, and the name is harmless.
      String name = node.path("table_name").asText();
      if (CTE_NAME.matcher(name).matches()
          && !SYSTEM_NAME.matcher(name).matches()
          && node.path("qualified_name").path("path").size() == 1) {
        return;
      }
      throw rejected("the table " + Catalog.quoted(name));
    }
  }

  private boolean isKnown(JsonNode node, Set<String> cteNames) {
    JsonNode path = node.path("qualified_name").path("path");
    int from = path.size() > 1 && is(path.path(0), Catalog.DATABASE) ? 1 : 0;
    String name = path.path(path.size() - 1).asText().toLowerCase(Locale.ROOT);
    boolean view =
        views.containsKey(name)
            || resultNames.contains(name)
            || rollupViews.contains(name)
            || name.equals("names");
    return switch (path.size() - from) {
      case 1 -> view || (from == 0 && cteNames.contains(name));
      case 2 ->
          (is(path.path(from), "main") && view)
              || (is(path.path(from), Catalog.RAW_SCHEMA) && views.containsKey(name))
              || (from == 0 && is(path.path(0), "information_schema"));
      default -> false;
    };
  }

  private static boolean is(JsonNode text, String name) {
    return text.asText().equalsIgnoreCase(name);
  }

  private static void checkTableFunction(String name) {
    if (!AllowedSql.isTableFunction(name)) {
      throw unlisted("the table function " + name);
    }
  }

  private static void checkFunction(String name) {
    if (!AllowedSql.isFunction(name)) {
      throw unlisted("the function " + name);
    }
  }

  static QueryException unlisted(String what) {
    return rejected(what + "; " + AllowedSql.PAGE + " lists the functions that are");
  }

  private static void checkType(String name) {
    if (!AllowedSql.isType(name)) {
      throw rejected("the type " + name);
    }
  }

  private static void checkShow(JsonNode node) {
    String what = node.path("table_name").asText();
    if (node.path("query").isNull() && !what.equals("\"tables\"")) {
      throw rejected("SHOW " + what);
    }
  }
}

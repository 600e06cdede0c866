package io.millrace.store.duckdb.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.store.SqlLiteral;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.duckdb.DuckDBConnection;

/** SELECT statements as trees of DuckDB's parser. */
public final class Ast {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Map<String, JsonNode> SELECTS = new ConcurrentHashMap<>();

  private Ast() {}

  /** Node of the first statement; missing if the text is not a SELECT. */
  public static JsonNode parse(DuckDBConnection connection, String sql) throws SQLException {
    return serialized(connection, sql).path("statements").path(0).path("node");
  }

  /** DuckDB's whole response: {@code error} and its message, or {@code statements}. */
  public static JsonNode serialized(DuckDBConnection connection, String sql) throws SQLException {
    String text =
        SqlRows.strings(connection, "SELECT json_serialize_sql(" + SqlLiteral.of(sql) + ")").get(0);
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new SQLException("the query is nested too deeply", e);
    }
  }

  /** Lower-case name of a function call; empty for anything else. */
  public static String function(JsonNode node) {
    return node.path("type").asText().equals("FUNCTION")
        ? node.path("function_name").asText().toLowerCase(Locale.ROOT)
        : "";
  }

  /** Whether a node or any of its descendants matches. */
  public static boolean has(JsonNode node, Predicate<JsonNode> test) {
    if (test.test(node)) {
      return true;
    }
    for (JsonNode child : node) {
      if (has(child, test)) {
        return true;
      }
    }
    return false;
  }

  /** SQL of a SELECT node. */
  public static String toSql(DuckDBConnection connection, JsonNode node) throws SQLException {
    ObjectNode root = MAPPER.createObjectNode().put("error", false);
    ObjectNode statement = root.putArray("statements").addObject();
    statement.set("node", node);
    statement.putArray("named_param_map");
    String json = SqlLiteral.of(root.toString());
    return SqlRows.strings(connection, "SELECT json_deserialize_sql(" + json + "::JSON)").get(0);
  }

  /** Node of an internal expression. There are few of them, so each is parsed once. */
  public static ObjectNode expression(DuckDBConnection connection, String sql) throws SQLException {
    return (ObjectNode) select(connection, sql).path("select_list").path(0);
  }

  private static ObjectNode select(DuckDBConnection connection, String list) throws SQLException {
    JsonNode known = SELECTS.get(list);
    if (known == null) {
      known = parse(connection, "SELECT " + list);
      SELECTS.put(list, known);
    }
    return known.deepCopy();
  }

  /** SQL of an expression. */
  public static String expression(DuckDBConnection connection, JsonNode expression)
      throws SQLException {
    ObjectNode node = select(connection, "1");
    node.putArray("select_list").add(((ObjectNode) expression.deepCopy()).put("alias", ""));
    return toSql(connection, node).strip().substring("SELECT ".length());
  }
}

package io.millrace.store.duckdb.rewrite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.store.SqlLiteral;
import io.millrace.store.duckdb.sandbox.Sandbox;
import io.millrace.store.duckdb.sql.Ast;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.duckdb.DuckDBConnection;

/**
 * Converts timestamp literals with a UTC offset or a time zone to UTC. DuckDB ignores the offset
 * when it reads a text as a TIMESTAMP, so that {@code time >= '2026-01-01T00:00:00+02:00'} would
 * mean midnight UTC.
 */
public final class OffsetTimes {
  private static final Pattern WITH_OFFSET =
      Pattern.compile(
          "\\s*\\d+[-/ ]\\d+[-/ ]\\d+[T\\s]\\s*\\d+:\\d+(?::\\d+(?:\\.\\d*)?)?\\s*(?![zZ]\\s*$)[-+A-Za-z].*",
          Pattern.DOTALL);

  private static final int MAX_LITERALS = 64;

  /** Type of a parameter that DuckDB cannot infer. */
  private static final String UNKNOWN = "INVALID";

  private final DuckDBConnection connection;
  private final DuckDBConnection trying;
  private final JsonNode query;
  private final IdentityHashMap<JsonNode, JsonNode> comparedInRows = new IdentityHashMap<>();
  private final Set<JsonNode> columns = Collections.newSetFromMap(new IdentityHashMap<>());

  private OffsetTimes(DuckDBConnection connection, DuckDBConnection trying, JsonNode query) {
    this.connection = connection;
    this.trying = trying;
    this.query = query;
  }

  /** Whether a query has such literals. */
  public static boolean areIn(Sandbox.CheckedQuery query) {
    return Ast.has(query.node(), OffsetTimes::isCandidate);
  }

  /**
   * Converts such literals; returns the same query if none of them is read as a time.
   *
   * @param trying another connection with the same tables, since an error of a prepared statement
   *     may abort its transaction
   */
  public static Sandbox.CheckedQuery inUtc(
      DuckDBConnection connection, DuckDBConnection trying, Sandbox.CheckedQuery query)
      throws SQLException {
    JsonNode converted = new OffsetTimes(connection, trying, query.node().deepCopy()).converted();
    if (converted.equals(query.node())) {
      return query;
    }
    String body = Ast.toSql(connection, converted);
    return new Sandbox.CheckedQuery(
        query.prefix() + body, query.prefix(), body, Ast.parse(connection, body), query.cteNames());
  }

  private static boolean isCandidate(JsonNode node) {
    JsonNode literal = node.path("literal");
    return node.path("class").asText().equals("CONSTANT")
        && literal.path("kind").asText().equals("STRING")
        && WITH_OFFSET.matcher(literal.path("text").asText()).matches();
  }

  private JsonNode converted() throws SQLException {
    List<ObjectNode> literals = new ArrayList<>();
    collect(query, literals);
    compareRows(query);
    List<String> types = types(literals);
    keepNames(query);
    boolean isCertain = true;
    for (int i = 0; i < literals.size(); i++) {
      if (types.get(i).matches("TIMESTAMP(_S|_MS|_NS)?|DATE|TIME")
          || (types.get(i).equals(UNKNOWN) && becomesTimestamp(literals.get(i)))) {
        convert(literals.get(i));
      } else {
        isCertain &= types.get(i).equals("TIMESTAMP WITH TIME ZONE");
      }
    }
    return isCertain ? query : castByInstant(query);
  }

  private void collect(JsonNode node, List<ObjectNode> literals) {
    if (isCandidate(node) && literals.size() < MAX_LITERALS) {
      literals.add((ObjectNode) node);
    }
    node.path("select_list").forEach(columns::add);
    node.path("values").forEach(row -> row.forEach(columns::add));
    for (JsonNode child : node) {
      collect(child, literals);
    }
  }

  private void compareRows(JsonNode node) {
    JsonNode row = node.path("children").path(0);
    if (node.path("type").asText().endsWith("_IN") && Ast.function(row).equals("row")) {
      for (JsonNode other : node.path("children")) {
        for (int i = 0; i < other.path("arguments").size(); i++) {
          JsonNode element = other.path("arguments").path(i).path("expression");
          JsonNode peer = row.path("arguments").path(i).path("expression");
          if (isCandidate(element) && peer instanceof ObjectNode) {
            comparedInRows.put(element, peer);
          }
        }
      }
    }
    for (JsonNode child : node) {
      compareRows(child);
    }
  }

  private List<String> types(List<ObjectNode> literals) throws SQLException {
    List<String> types = prepared(literals);
    if (!types.isEmpty()) {
      return types;
    }
    // A literal where no parameter is allowed must not hide the types of the others.
    types = new ArrayList<>();
    for (ObjectNode literal : literals) {
      List<String> type = prepared(List.of(literal));
      types.add(type.isEmpty() ? UNKNOWN : type.get(0));
    }
    return types;
  }

  private List<String> prepared(List<ObjectNode> literals) throws SQLException {
    List<ObjectNode> written = literals.stream().map(ObjectNode::deepCopy).toList();
    for (int i = 0; i < literals.size(); i++) {
      ObjectNode literal = literals.get(i);
      literal.removeAll();
      literal.put("alias", written.get(i).path("alias").asText());
      ObjectNode parameter = literal;
      JsonNode compared = comparedInRows.get(literal);
      if (compared != null) {
        // DuckDB infers no type for a parameter in a row value, but does for one in coalesce.
        literal.put("class", "OPERATOR").put("type", "OPERATOR_COALESCE");
        ArrayNode children = literal.putArray("children");
        children.add(compared.deepCopy());
        parameter = children.addObject().put("alias", "");
      }
      parameter
          .put("class", "PARAMETER")
          .put("type", "VALUE_PARAMETER")
          .put("identifier", Integer.toString(i + 1));
    }
    String sql = Ast.toSql(connection, query);
    for (int i = 0; i < literals.size(); i++) {
      literals.get(i).removeAll();
      literals.get(i).setAll(written.get(i));
    }
    List<String> types = new ArrayList<>();
    try (PreparedStatement statement = trying.prepareStatement(sql)) {
      ParameterMetaData parameters = statement.getParameterMetaData();
      for (int i = 1; i <= literals.size(); i++) {
        types.add(parameters.getParameterTypeName(i));
      }
      return types;
    } catch (SQLException e) {
      return List.of(); // DuckDB reports the error for the original query
    }
  }

  /**
   * Whether DuckDB reads the literal as a TIMESTAMP although it infers no type for a parameter in
   * its place: a TIMESTAMP there changes no type of the result, and a UUID is an error. If a join
   * compares the literal with a column of a subquery, that error occurs only when the query runs.
   */
  private boolean becomesTimestamp(ObjectNode literal) throws SQLException {
    List<String> written = resultTypes(query);
    return !written.isEmpty()
        && written.equals(resultTypesWith(literal, "TIMESTAMP '2001-01-01'"))
        && (columns.contains(literal) || !written.equals(resultTypesWith(literal, "uuid()")));
  }

  private List<String> resultTypesWith(ObjectNode literal, String expression) throws SQLException {
    ObjectNode written = literal.deepCopy();
    literal.removeAll();
    literal.setAll(Ast.expression(connection, expression));
    literal.put("alias", written.path("alias").asText());
    List<String> types = resultTypes(query);
    literal.removeAll();
    literal.setAll(written);
    return types;
  }

  private List<String> resultTypes(JsonNode node) throws SQLException {
    String sql = Ast.toSql(connection, node);
    List<String> types = new ArrayList<>();
    try (PreparedStatement statement = trying.prepareStatement(sql)) {
      ResultSetMetaData columns = statement.getMetaData();
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        types.add(columns.getColumnTypeName(i));
      }
      return types;
    } catch (SQLException e) {
      return List.of();
    }
  }

  private void keepNames(JsonNode node) throws SQLException {
    for (JsonNode column : node.path("select_list")) {
      if (column.path("alias").asText().isEmpty() && Ast.has(column, OffsetTimes::isCandidate)) {
        ((ObjectNode) column).put("alias", Ast.expression(connection, column));
      }
    }
    for (JsonNode child : node) {
      keepNames(child);
    }
  }

  private void convert(ObjectNode literal) throws SQLException {
    ObjectNode value = (ObjectNode) literal.path("literal");
    String utc =
        SqlRows.strings(
                connection,
                "SELECT CAST(TRY_CAST(%s AS TIMESTAMPTZ) AS TIMESTAMP)::VARCHAR"
                    .formatted(SqlLiteral.of(value.path("text").asText())))
            .get(0);
    if (utc != null) {
      value.put("text", utc);
    }
  }

  private JsonNode castByInstant(JsonNode node) throws SQLException {
    if (node instanceof ArrayNode list) {
      for (int i = 0; i < list.size(); i++) {
        list.set(i, castByInstant(list.get(i)));
      }
    } else if (node instanceof ObjectNode object) {
      List<String> fields = new ArrayList<>();
      object.fieldNames().forEachRemaining(fields::add);
      for (String field : fields) {
        object.set(field, castByInstant(object.get(field)));
      }
      if (object.path("type").asText().equals("OPERATOR_CAST")
          && !object.path("child").path("class").asText().equals("CONSTANT")) {
        ObjectNode instant = object.path("type_expr").deepCopy();
        if (isReplaced(instant)) {
          ObjectNode inner = object.deepCopy().put("alias", "");
          inner.set("type_expr", instant);
          object.set("child", inner);
        }
      }
    }
    return node;
  }

  private static boolean isReplaced(ObjectNode type) {
    String name = type.path("type_name").asText().toUpperCase(Locale.ROOT);
    if (name.equals("TIMESTAMP") || name.equals("DATETIME")) {
      type.put("type_name", "TIMESTAMPTZ");
      ((ObjectNode) type.path("qualified_name")).putArray("path").add("TIMESTAMPTZ");
      return true;
    }
    boolean isReplaced = false;
    for (JsonNode inner : type.path("children")) {
      isReplaced |= inner instanceof ObjectNode object && isReplaced(object);
    }
    return isReplaced;
  }
}

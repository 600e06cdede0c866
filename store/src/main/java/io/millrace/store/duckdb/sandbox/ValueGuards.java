package io.millrace.store.duckdb.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.store.duckdb.sql.Ast;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.duckdb.DuckDBConnection;

/**
 * Adds conditions that end a query if a value gets longer than literals may be: around counts that
 * functions take, and around the results of aggregates. Serves one query, on one thread.
 */
final class ValueGuards {
  private static final int ALL_ROWS = 256;

  private static final String HELD = "millrace_held";

  private final DuckDBConnection connection;

  private final Set<JsonNode> guards = Collections.newSetFromMap(new IdentityHashMap<>());

  private boolean isGuarded;

  ValueGuards(DuckDBConnection connection) {
    this.connection = connection;
  }

  JsonNode guarded(JsonNode query) throws SQLException {
    JsonNode guarded = guarded(query.deepCopy(), isOneRow(query));
    return isGuarded ? guarded : query;
  }

  boolean isGuard(JsonNode node) {
    return guards.contains(node);
  }

  private static boolean isOneRow(JsonNode query) {
    return query.path("type").asText().equals("SELECT_NODE")
        && query.path("group_expressions").isEmpty()
        && query.path("group_sets").isEmpty()
        && query.path("from_table").path("type").asText().equals("BASE_TABLE");
  }

  private JsonNode guarded(JsonNode node, boolean isOneRow) throws SQLException {
    if (node instanceof ArrayNode list) {
      for (int i = 0; i < list.size(); i++) {
        list.set(i, guarded(list.get(i), isOneRow));
      }
    }
    if (!(node instanceof ObjectNode object)) {
      return node;
    }
    boolean below = isOneRow && !object.has("subquery") && !object.has("cte_map");
    boolean isSelect = object.path("type").asText().equals("SELECT_NODE");
    List<String> fields = new ArrayList<>();
    object.fieldNames().forEachRemaining(fields::add);
    for (String field : fields) {
      if (isSelect && field.equals("select_list")) {
        guardedList((ArrayNode) object.get(field), isOneRow);
      } else {
        object.set(field, guarded(object.get(field), below && !field.equals("from_table")));
      }
    }
    return guardedCall(object, isOneRow);
  }

  private void guardedList(ArrayNode list, boolean isOneRow) throws SQLException {
    for (int i = 0; i < list.size(); i++) {
      JsonNode written = list.get(i).deepCopy();
      JsonNode guarded = guarded(list.get(i), isOneRow);
      if (!guarded.equals(written) && guarded.path("alias").asText().isEmpty()) {
        ((ObjectNode) guarded).put("alias", Ast.expression(connection, written));
      }
      list.set(i, guarded);
    }
  }

  private JsonNode guardedCall(ObjectNode call, boolean isOneRow) throws SQLException {
    String name = Ast.function(call);
    if (FunctionSizes.isCollecting(name)) {
      boolean text = FunctionSizes.COLLECTING_TEXT.contains(name);
      int most =
          (text ? FunctionSizes.MAX_CHARACTERS : FunctionSizes.MAX_ITEMS)
              * (isOneRow ? ALL_ROWS : 1);
      String length = name.startsWith("histogram") ? "cardinality" : "len";
      String alias = call.path("alias").asText();
      call.put("alias", "");
      return held(
              "CASE WHEN %1$s(%2$s) > %3$d THEN error('%4$s: more than %3$d %5$s in one value; %6$s') ELSE %2$s END"
                  .formatted(
                      length,
                      HELD,
                      most,
                      name,
                      text ? "characters" : "items",
                      "aggregate less, or query the rows"),
              call)
          .put("alias", alias);
    }
    int at = FunctionSizes.countAt(name, call.path("arguments").size());
    if (at >= 0 && at < call.path("arguments").size()) {
      ObjectNode argument = (ObjectNode) call.path("arguments").get(at);
      JsonNode count = argument.path("expression");
      if (FunctionSizes.constant(count) == null && !Ast.has(count, guards::contains)) {
        ObjectNode guard =
            held(
                "CASE WHEN %1$s > %2$d THEN error('%3$s: more than %2$d') ELSE %1$s END"
                    .formatted(HELD, FunctionSizes.MAX_ITEMS, name),
                count);
        guards.add(guard);
        argument.set("expression", guard);
      }
    }
    return call;
  }

  private ObjectNode held(String template, JsonNode value) throws SQLException {
    isGuarded = true;
    return (ObjectNode) replaced(Ast.expression(connection, template), value);
  }

  private static JsonNode replaced(JsonNode node, JsonNode value) {
    if (node.path("column_names").path(0).asText().equals(HELD)) {
      return value.deepCopy();
    }
    if (node instanceof ArrayNode list) {
      for (int i = 0; i < list.size(); i++) {
        list.set(i, replaced(list.get(i), value));
      }
    } else if (node instanceof ObjectNode object) {
      List<String> fields = new ArrayList<>();
      object.fieldNames().forEachRemaining(fields::add);
      fields.forEach(field -> object.set(field, replaced(object.get(field), value)));
    }
    return node;
  }
}

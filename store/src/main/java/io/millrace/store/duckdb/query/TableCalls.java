package io.millrace.store.duckdb.query;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.store.Cancellation;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.duckdb.sandbox.Sandbox;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.Ast;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.duckdb.DuckDBConnection;

/**
 * Table functions of Millrace in FROM. A call runs before the query, and its result replaces it in
 * the SQL for DuckDB. Arguments are constants, named except the first.
 *
 * @param functions functions by name
 */
public record TableCalls(Map<String, Function> functions) {
  private static final int MAX_CALLS = 4;

  /** A table function. */
  public interface Function {
    /**
     * Rows of a call as a SELECT of constants.
     *
     * @param arguments arguments by name; the first has an empty name
     * @throws IllegalArgumentException if an argument is invalid
     */
    String select(Map<String, String> arguments, Cancellation cancellation);
  }

  Sandbox.CheckedQuery expand(
      DuckDBConnection connection, Sandbox.CheckedQuery query, Cancellation cancellation)
      throws SQLException {
    List<JsonNode> calls = new ArrayList<>();
    collect(query.node(), calls);
    if (calls.isEmpty()) {
      return query;
    }
    if (calls.size() > MAX_CALLS) {
      throw wrong("more than " + MAX_CALLS + " calls of " + functions.keySet());
    }
    calls.sort(Comparator.comparingInt(call -> -call.path("query_location").asInt()));
    byte[] body = query.body().getBytes(StandardCharsets.UTF_8);
    for (JsonNode call : calls) { // last first, so that the positions of the others stay
      int start = call.path("query_location").asInt();
      int end = start + call.path("query_location_length").asInt();
      byte[] rows = rows(call, cancellation).getBytes(StandardCharsets.UTF_8);
      byte[] spliced = Arrays.copyOf(body, start + rows.length + body.length - end);
      System.arraycopy(rows, 0, spliced, start, rows.length);
      System.arraycopy(body, end, spliced, start + rows.length, body.length - end);
      body = spliced;
    }
    String text = new String(body, StandardCharsets.UTF_8);
    return new Sandbox.CheckedQuery(
        query.prefix() + text, query.prefix(), text, Ast.parse(connection, text), query.cteNames());
  }

  private void collect(JsonNode node, List<JsonNode> calls) {
    if (node.path("type").asText().equals("TABLE_FUNCTION") && functions.containsKey(name(node))) {
      calls.add(node);
    }
    for (JsonNode child : node) {
      collect(child, calls);
    }
  }

  private static String name(JsonNode call) {
    return call.path("function").path("function_name").asText().toLowerCase(Locale.ROOT);
  }

  private String rows(JsonNode call, Cancellation cancellation) {
    String name = name(call);
    Map<String, String> arguments = new LinkedHashMap<>();
    for (JsonNode argument : call.path("function").path("arguments")) {
      JsonNode constant = argument.path("expression");
      String parameter = argument.path("name").asText().toLowerCase(Locale.ROOT);
      if (!constant.path("type").asText().equals("VALUE_CONSTANT")
          || arguments.put(parameter, constant.path("literal").path("text").asText()) != null) {
        throw wrong(name + ": every argument must be a constant, and given once");
      }
    }
    String select;
    try {
      select = functions.get(name).select(arguments, cancellation);
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
    String alias = call.path("alias").asText();
    List<String> columns = new ArrayList<>();
    call.path("column_name_alias").forEach(column -> columns.add(Catalog.quoted(column.asText())));
    return "(%s) AS %s%s"
        .formatted(
            select,
            Catalog.quoted(alias.isEmpty() ? name : alias),
            columns.isEmpty() ? "" : "(" + String.join(", ", columns) + ")");
  }

  private static QueryException wrong(String message) {
    return new QueryException(Reason.WRONG, message, QueryException.NO_POSITION);
  }
}

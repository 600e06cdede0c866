package io.millrace.store.duckdb.rewrite;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.store.duckdb.sandbox.Sandbox;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.RowsView;
import java.util.Locale;
import java.util.Map;

/**
 * Counts all rows of a view from the numbers of rows of its files.
 *
 * <p>DuckDB knows how many rows a table has, but reads the rows of a union of tables. Supports
 * {@code SELECT count(*) FROM view} without further clauses.
 */
final class RowCounts {
  private final Map<String, FlowView> views;

  RowCounts(Map<String, FlowView> views) {
    this.views = views;
  }

  /** The rewritten query; null if it is not supported. */
  String rewrite(RowsView rows, Sandbox.CheckedQuery query) {
    JsonNode node = query.node();
    JsonNode item = node.path("select_list").path(0);
    JsonNode table = node.path("from_table");
    String name = table.path("table_name").asText().toLowerCase(Locale.ROOT);
    FlowView view = query.cteNames().isEmpty() ? views.get(name) : null;
    boolean counts =
        view != null
            && !view.committed() // its rows depend on their log positions
            && node.path("type").asText().equals("SELECT_NODE")
            && node.path("select_list").size() == 1
            && isNothing(node.path("modifiers"))
            && isNothing(node.path("where_clause"))
            && isNothing(node.path("group_expressions"))
            && isNothing(node.path("group_sets"))
            && isNothing(node.path("having"))
            && isNothing(node.path("sample"))
            && isNothing(node.path("qualify"))
            && node.path("aggregate_handling").asText().equals("STANDARD_HANDLING")
            && isPlain(table)
            && isCount(item);
    return counts ? count(rows, view, item.path("alias").asText()) : null;
  }

  private static boolean isNothing(JsonNode node) {
    return node.isNull() || (node.isArray() && node.isEmpty());
  }

  private static boolean isPlain(JsonNode table) {
    return table.path("type").asText().equals("BASE_TABLE")
        && table.path("qualified_name").path("path").size() == 1
        && isNothing(table.path("sample"))
        && isNothing(table.path("at_clause"))
        && isNothing(table.path("column_name_alias"));
  }

  private static boolean isCount(JsonNode item) {
    return item.path("type").asText().equals("FUNCTION")
        && item.path("function_name").asText().equals("count_star")
        && item.path("qualified_name").path("path").size() == 1
        && isNothing(item.path("arguments"))
        && isNothing(item.path("filter"))
        && isNothing(item.path("order_bys").path("orders"))
        && !item.path("distinct").asBoolean()
        && !item.path("export_state").asBoolean();
  }

  private static String count(RowsView rows, FlowView view, String alias) {
    return "SELECT "
        + rows.extents(view.table()).values().stream().mapToLong(RowExtent::rows).sum()
        + "::BIGINT AS "
        + Catalog.quoted(alias.isEmpty() ? "count_star()" : alias);
  }
}

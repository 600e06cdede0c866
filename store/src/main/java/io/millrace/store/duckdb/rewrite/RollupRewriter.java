package io.millrace.store.duckdb.rewrite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.plan.RollupMemory;
import io.millrace.store.duckdb.plan.RollupPieces;
import io.millrace.store.duckdb.sandbox.Sandbox;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.sql.Ast;
import io.millrace.store.duckdb.sql.SqlFunctions;
import io.millrace.store.query.Dialect;
import io.millrace.store.query.RollupPlan;
import io.millrace.store.query.RollupQuery;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;

/**
 * Rewrites queries over flows to read rollups, with the same columns and values as from rows.
 *
 * <p>{@code SELECT src_as, sum(bytes) FROM flows WHERE time >= … GROUP BY src_as} becomes the same
 * SELECT over a UNION of sums by the hour, of shorter buckets at both ends of the time range, and
 * of rows at its edges and those not rolled up yet. Supports plain queries over one view with sums
 * and counts, grouped by columns of one set and by time as {@code time_bucket} or {@code
 * date_trunc}. Counts records on arrival, and avoids buckets that dropped groups.
 */
final class RollupRewriter {
  private final Map<String, FlowView> views;
  private final RollupMemory memory;
  private final SqlFunctions functions;

  RollupRewriter(Map<String, FlowView> views, RollupMemory memory, SqlFunctions functions) {
    this.views = views;
    this.memory = memory;
    this.functions = functions;
  }

  /**
   * A query over rollups.
   *
   * @param files selects the files that may have rows which the SQL reads
   */
  record RolledQuery(String sql, String source, String table, Predicate<RowExtent> files) {}

  Optional<RolledQuery> rewrite(
      ReadTransaction transaction, Sandbox.CheckedQuery query, long rowLimit) throws SQLException {
    if (!query.node().path("from_table").path("type").asText().equals("BASE_TABLE")) {
      return Optional.empty();
    }
    DuckDBConnection connection = transaction.connection();
    functions.load(connection);
    ObjectNode node = query.node().deepCopy();
    groupByAll(node);
    FlowView view = LateNames.plainView(node, query.cteNames(), views);
    if (view == null) {
      return Optional.empty();
    }
    RollupSelect select = new RollupSelect(connection, functions, view, node);
    if (!select.convert()) {
      return Optional.empty();
    }
    RollupFacts facts = RollupFacts.read(transaction, view.table(), memory);
    Optional<RollupPlan> plan =
        facts.plan(
            new RollupQuery(
                select.stored(),
                select.window().from(),
                select.window().to(),
                Accounting.ARRIVAL,
                true,
                select.bucketMicros()));
    if (plan.isEmpty()
        || facts.hasNull(select.neverNull(), select.window().from(), select.window().to())) {
      return Optional.empty();
    }
    RollupPieces pieces =
        RollupPieces.exact(facts, plan.get(), List.copyOf(select.stored()), view.committed());
    FlowView over = over(view, pieces.select().in(Dialect.DUCKDB), select, query);
    String sql = sql(connection, query, node, over, rowLimit);
    String source = plan.get().describe(RollupPlan.UNKNOWN, facts.earliest(), facts.newest() + 1);
    return Optional.of(new RolledQuery(sql, source, view.table(), pieces.files()));
  }

  private void groupByAll(ObjectNode node) {
    if (!node.path("aggregate_handling").asText().equals("FORCE_AGGREGATES")) {
      return;
    }
    node.put("aggregate_handling", "STANDARD_HANDLING");
    ArrayNode expressions = node.putArray("group_expressions");
    ArrayNode places = node.putArray("group_sets").addArray();
    for (JsonNode item : node.path("select_list")) {
      if (!functions.hasAggregate(item)) {
        places.add(expressions.size());
        expressions.add(((ObjectNode) item.deepCopy()).put("alias", ""));
      }
    }
    if (expressions.isEmpty()) {
      node.putArray("group_sets");
    }
  }

  private static FlowView over(
      FlowView view, String pieces, RollupSelect select, Sandbox.CheckedQuery query) {
    String condition = AddressFilter.of(query.node(), view).ofSums();
    String rows =
        condition.isEmpty() ? pieces : "SELECT * FROM (" + pieces + ") AS f WHERE " + condition;
    return view.over("(" + rows + ")", select.columns());
  }

  private static String sql(
      DuckDBConnection connection,
      Sandbox.CheckedQuery query,
      ObjectNode node,
      FlowView pieces,
      long rowLimit)
      throws SQLException {
    List<String> names = LateNames.names(connection, query);
    String words = pieces.columns().stream().map(ViewColumn::name).collect(Collectors.joining(" "));
    String late = LateNames.rewrite(connection, node, pieces, words, () -> names, rowLimit, "");
    if (late != null) {
      return late;
    }
    List<JsonNode> items = new ArrayList<>();
    node.path("select_list").forEach(items::add);
    for (int i = 0; i < items.size(); i++) {
      ((ObjectNode) items.get(i)).put("alias", names.get(i));
    }
    String alias = node.path("from_table").path("alias").asText();
    String from =
        "SELECT 1 FROM (%s) AS %s"
            .formatted(
                AddressFilter.of(node, pieces).narrowed().select(column -> true, ""),
                Catalog.quoted(alias.isEmpty() ? pieces.name() : alias));
    node.set("from_table", Ast.parse(connection, from).path("from_table"));
    return Ast.toSql(connection, node);
  }
}

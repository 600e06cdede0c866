package io.millrace.store.duckdb;

import io.millrace.store.duckdb.ledger.CounterTables;
import io.millrace.store.duckdb.offsets.FencingTokens;
import io.millrace.store.duckdb.rejected.RejectedRows;
import io.millrace.store.duckdb.results.ResultLayout;
import io.millrace.store.duckdb.rollup.RollupCatalog;
import io.millrace.store.duckdb.rollup.RollupRules;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** Statements that drop a table and all its state from the database. */
final class DroppedTable {
  private static final List<String> STATE =
      Stream.of(
              List.of(FencingTokens.TABLE, CounterTables.TABLE, RejectedRows.TABLE),
              RollupCatalog.STATE,
              List.of(RollupRules.TABLE))
          .flatMap(List::stream)
          .toList();

  private DroppedTable() {}

  static List<String> ofFlows(String table, Collection<String> views, RollupCatalog rollups) {
    List<String> statements = new ArrayList<>();
    views.forEach(view -> statements.add("DROP VIEW IF EXISTS " + Catalog.main(view)));
    List<String> rows = new ArrayList<>(List.of(Catalog.rowsName(table)));
    for (FlowPart part : FlowPart.values()) {
      rows.add(part.tableName(table));
    }
    for (String view : rows) {
      statements.add("DROP VIEW IF EXISTS " + Catalog.raw(view));
      statements.add("DROP VIEW IF EXISTS " + Catalog.raw(Catalog.committed(view)));
    }
    rollups.storedViews().forEach(view -> statements.add("DROP VIEW IF EXISTS " + view));
    rollups.stored().forEach(stored -> statements.add("DROP TABLE " + stored));
    statements.addAll(state(table));
    return statements;
  }

  static List<String> ofResults(String table) {
    List<String> statements = new ArrayList<>();
    statements.add("DROP VIEW IF EXISTS " + Catalog.main(table));
    statements.add("DROP TABLE " + Catalog.raw(ResultLayout.storedName(table)));
    statements.addAll(state(table));
    return statements;
  }

  private static List<String> state(String table) {
    return STATE.stream()
        .map(state -> "DELETE FROM %s WHERE table_name = '%s'".formatted(state, table))
        .toList();
  }
}

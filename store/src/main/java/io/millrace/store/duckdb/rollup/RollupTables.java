package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBConnection;

/** Creates, widens and drops the stored tables of a set. */
final class RollupTables {
  private final DuckDBConnection connection;
  private final String table;

  RollupTables(DuckDBConnection connection, String table) {
    this.connection = connection;
    this.table = table;
  }

  static List<String> stored(String table, String set) {
    List<String> stored = new ArrayList<>();
    stored.add(RollupCatalog.open(table, set));
    stored.add(RollupCatalog.openHours(table, set));
    for (Grain grain : Grain.values()) {
      stored.add(RollupCatalog.recent(table, set, grain));
    }
    return stored;
  }

  void make(RollupSet set, FlowLayout layout, String type, long from) throws SQLException {
    StringBuilder columns = new StringBuilder("bucket TIMESTAMP");
    for (String column : set.columns()) {
      columns.append(", ").append(layout.columns().get(layout.place(column)).definition());
    }
    columns.append(", spread BOOLEAN");
    RollupCatalog.SUMS.forEach(
        sum -> columns.append(", ").append(Catalog.quoted(sum)).append(" ").append(type));
    for (String stored : stored(table, set.name())) {
      SqlRows.execute(connection, "CREATE TABLE " + stored + "(" + columns + ")");
    }
    SqlRows.execute(
        connection,
        "INSERT INTO %s VALUES ('%s', '%s', '%s', %s)"
            .formatted(
                RollupCatalog.SETS,
                table,
                set.name(),
                String.join(",", set.columns()),
                SqlTime.micros(RollupCatalog.ALWAYS)));
    for (Grain grain : Grain.values()) {
      keep(set.name(), grain, from);
    }
  }

  private void keep(String set, Grain grain, long from) throws SQLException {
    long first = from == RollupCatalog.ALWAYS ? from : grain.bucket(from + grain.micros() - 1);
    SqlRows.execute(
        connection,
        "INSERT INTO %s VALUES ('%s', '%s', '%s', %s, %s)"
            .formatted(
                RollupCatalog.GRAINS,
                table,
                set,
                grain,
                SqlTime.micros(first),
                SqlTime.micros(RollupCatalog.ALWAYS)));
  }

  /** Drops a set and its tables, in the caller's transaction. */
  void drop(String set) throws SQLException {
    for (String view : RollupViews.names(table, set)) {
      SqlRows.execute(connection, "DROP VIEW IF EXISTS " + Catalog.main(view));
    }
    for (String stored : stored(table, set)) {
      SqlRows.execute(connection, "DROP TABLE " + stored);
    }
    for (String state :
        List.of(
            RollupCatalog.SETS,
            RollupCatalog.GRAINS,
            RollupCatalog.FRONTIERS,
            RollupCatalog.REST)) {
      SqlRows.execute(
          connection,
          "DELETE FROM %s WHERE table_name = '%s' AND set_name = '%s'"
              .formatted(state, table, set));
    }
  }

  void widen(String set) throws SQLException {
    for (String stored : stored(table, set)) {
      for (String sum : RollupCatalog.SUMS) {
        SqlRows.execute(
            connection,
            "ALTER TABLE %s ALTER %s TYPE HUGEINT".formatted(stored, Catalog.quoted(sum)));
      }
    }
  }

  static long temporary(Statement statement, String name, String select) throws SQLException {
    return statement.executeLargeUpdate("CREATE OR REPLACE TEMP TABLE " + name + " AS " + select);
  }
}

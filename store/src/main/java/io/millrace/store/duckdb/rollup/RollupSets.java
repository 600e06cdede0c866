package io.millrace.store.duckdb.rollup;

import io.millrace.store.FlowSchema;
import io.millrace.store.Store;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.store.rollup.RollupSet;
import io.millrace.store.rollup.StoredRollup;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Stored sets of a table. Creates new sets, drops sets that are no longer configured, and skips
 * default sets with columns that the table lacks.
 */
public final class RollupSets {
  private final RollupTransactions transactions;
  private final String table;
  private final Map<FlowPart, FlowLayout> layouts;
  private final RollupTables tables;
  private final RollupHistory history;

  RollupSets(
      RollupTransactions transactions,
      String table,
      Map<FlowPart, FlowLayout> layouts,
      RollupHistory history) {
    this.transactions = transactions;
    this.history = history;
    this.table = table;
    this.layouts = layouts;
    tables = new RollupTables(transactions.connection(), table);
  }

  /**
   * @param oldest time from which new sets are kept, microseconds; {@link RollupCatalog#ALWAYS} for
   *     all times
   */
  RollupSql open(RollupConfig config, long oldest) throws SQLException {
    RollupSql sql = hasSums("HUGEINT") ? RollupSql.WIDE : RollupSql.NARROW;
    if (config.enabled()) {
      open(config, sql, oldest);
    }
    if (sql.equals(RollupSql.WIDE) && hasSums("BIGINT")) {
      widen(); // a crash interrupted widening
    }
    transactions.run(
        statement -> {
          for (StoredRollup kept : transactions.catalog().sets()) {
            history.open(kept.set(), statement);
          }
        });
    return sql;
  }

  private void open(RollupConfig config, RollupSql sql, long oldest) throws SQLException {
    List<RollupSet> wanted =
        config.wanted().stream().filter(this::isThere).map(this::withNames).toList();
    List<RollupSet> stored = transactions.catalog().sets().stream().map(StoredRollup::set).toList();
    for (RollupSet set : stored) {
      if (!wanted.contains(set)) {
        transactions.run(
            statement -> {
              history.drop(set, statement);
              tables.drop(set.name());
            });
        history.deleteFiles(set);
      }
    }
    List<RollupSet> missing = wanted.stream().filter(set -> !stored.contains(set)).toList();
    if (!missing.isEmpty()) {
      missing.forEach(history::setAside);
      transactions.run(
          statement -> {
            for (RollupSet set : missing) {
              tables.make(set, layouts.get(FlowPart.RECORDS), sql.type(), oldest);
            }
          });
    }
  }

  RollupSql widen() throws SQLException {
    for (StoredRollup kept : transactions.catalog().sets()) {
      transactions.run(
          statement -> {
            history.dropViews(kept.set(), statement);
            tables.widen(kept.set().name());
            history.createViews(kept.set(), statement);
          });
    }
    return RollupSql.WIDE;
  }

  private RollupSet withNames(RollupSet set) {
    List<String> columns = new ArrayList<>();
    for (String column : set.columns()) {
      columns.add(column);
      String name = column + "_name";
      if (layouts.get(FlowPart.RECORDS).place(name) >= 0 && !set.columns().contains(name)) {
        columns.add(name);
      }
    }
    return new RollupSet(set.name(), columns);
  }

  private boolean isThere(RollupSet set) {
    return missing(set, layouts.get(FlowPart.RECORDS)).isEmpty();
  }

  private static Optional<String> missing(RollupSet set, FlowLayout layout) {
    return set.columns().stream().filter(column -> layout.place(column) < 0).findFirst();
  }

  /** Rejects declared sets with columns that the table of flows lacks. */
  public static void check(String table, FlowSchema schema, RollupConfig config) {
    FlowLayout layout = FlowLayout.of(FlowPart.RECORDS, schema);
    if (!config.enabled() || !table.equals(Store.FLOWS)) {
      return;
    }
    for (RollupSet set : config.declared()) {
      missing(set, layout)
          .ifPresent(
              column -> {
                throw new IllegalArgumentException(
                    "rollups.sets.%s: the table %s has no column %s"
                        .formatted(set.name(), table, column));
              });
    }
  }

  private boolean hasSums(String type) throws SQLException {
    return SqlRows.number(
            transactions.connection(),
            "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'millrace' AND schema_name = 'raw' AND starts_with(table_name, '%s__') AND contains(sql, 'scaled_bytes %s')"
                .formatted(table, type))
        > 0;
  }

  List<String> views() throws SQLException {
    return transactions.catalog().views();
  }
}

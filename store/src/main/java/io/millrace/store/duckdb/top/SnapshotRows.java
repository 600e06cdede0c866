package io.millrace.store.duckdb.top;

import io.millrace.store.Cancellation;
import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.QueryResult;
import io.millrace.store.RowEngine;
import io.millrace.store.filter.Filter;
import io.millrace.store.iceberg.TableVersion;
import io.millrace.store.query.Dialect;
import io.millrace.store.query.Expr;
import io.millrace.store.query.FilterSql;
import io.millrace.store.query.Relation;
import java.time.Duration;

/**
 * Rows of a snapshot, which another engine reads.
 *
 * @param table table of flows
 */
public record SnapshotRows(RowEngine engine, String table, TableVersion version) {
  /** Alias of rows in conditions. */
  private static final String ROW = "f";

  QueryResult run(Relation query, Duration limit, Cancellation cancellation) {
    return engine.run(query.in(Dialect.TRINO), limit, cancellation);
  }

  Relation rows() {
    return Relation.rendered(engine.table(table, version.snapshot())).as(ROW);
  }

  /**
   * Condition of a filter on a row.
   *
   * @throws QueryException if the filter needs data that is not in the tables
   */
  Expr where(Filter filter) {
    return new FilterSql(
            Relation.rendered(engine.names()),
            name -> {
              throw notThere(name);
            })
        .where(filter);
  }

  QueryException notThere(String column) {
    return new QueryException(
        Reason.NOT_ALLOWED,
        "%s: device metadata is not in the Iceberg tables that %s reads; set store.engine: duckdb"
            .formatted(column, engine.name()),
        QueryException.NO_POSITION);
  }

  String describe() {
    return "rows (" + engine.name() + ")";
  }
}

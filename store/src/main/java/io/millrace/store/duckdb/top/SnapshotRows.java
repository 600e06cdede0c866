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
 * The rows of a snapshot, which another engine reads.
 *
 * @param table of flows
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
   * The condition of a filter on a row.
   *
   * @throws QueryException if the filter needs what is not in the tables
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
        "%s: devices report it, and it is in no Iceberg table that %s reads; ask DuckDB (store.engine)"
            .formatted(column, engine.name()),
        QueryException.NO_POSITION);
  }

  String describe() {
    return "rows (" + engine.name() + ")";
  }
}

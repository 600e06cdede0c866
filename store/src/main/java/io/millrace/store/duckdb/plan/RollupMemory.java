package io.millrace.store.duckdb.plan;

import io.millrace.store.duckdb.offsets.RowArrivals;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.duckdb.snapshot.RowChanges;
import io.millrace.store.duckdb.snapshot.StoredRows;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.duckdb.DuckDBConnection;

/**
 * What statements over the rollups of tables have answered, for as long as nothing changes there.
 *
 * <p>A plan asks for the same dozen numbers each time, and a statement costs DuckDB more than the
 * sums of an hour do. Every transaction that changes rollups raises their {@linkplain
 * RollupCatalog#VERSIONS version}, and a query sees the version of its own transaction: so what was
 * read under the same number is what it would read itself. Thread-safe.
 */
public final class RollupMemory {
  private final RowChanges changes;
  private final Map<String, Answers> known = new ConcurrentHashMap<>();
  private final Map<String, CountedRows> rows = new ConcurrentHashMap<>();

  private record CountedRows(long state, StoredRows rows) {}

  /**
   * @param changes of the rows, of all tables
   */
  public RollupMemory(RowChanges changes) {
    this.changes = changes;
  }

  static final class Answers {
    private final long version;
    private final Map<String, Object> answers = new ConcurrentHashMap<>();

    private Answers(long version) {
      this.version = version;
    }

    interface Reading<T> {
      T read() throws SQLException;
    }

    @SuppressWarnings("unchecked") // each question has answers of one type
    <T> T get(String question, Reading<T> reading) throws SQLException {
      Object answer = answers.get(question);
      if (answer == null) {
        answer = reading.read();
        answers.put(question, answer);
      }
      return (T) answer;
    }

    long number(DuckDBConnection connection, String sql) throws SQLException {
      return get(sql, () -> SqlRows.number(connection, sql));
    }
  }

  interface Rows {
    StoredRows read(Map<FlowPart, Long> oldest) throws SQLException;
  }

  /**
   * The rows of a table that a transaction sees, read if they have changed.
   *
   * @param transaction has read something already
   */
  public StoredRows rows(ReadTransaction transaction, String table, Rows reading)
      throws SQLException {
    CountedRows latest = rows.get(table);
    boolean isSettled = isPresent(transaction.rows());
    if (isSettled && latest != null && latest.state == transaction.rows()) {
      return latest.rows;
    }
    StoredRows read = reading.read(latest == null ? Map.of() : latest.rows.oldestOfParts());
    if (isSettled || latest == null || !isPresent(latest.state)) {
      rows.put(table, new CountedRows(isSettled ? transaction.rows() : RowChanges.UNSETTLED, read));
    }
    return read;
  }

  private boolean isPresent(long state) {
    return state != RowChanges.UNSETTLED && state == changes.state();
  }

  RowArrivals arrivals(String table) {
    return changes.arrivals(table);
  }

  Answers of(String table, long version) {
    Answers latest = known.get(table);
    if (latest != null && latest.version == version) {
      return latest;
    }
    Answers fresh = new Answers(version);
    // A transaction that began earlier must not replace what later ones know.
    known.merge(table, fresh, (before, after) -> after.version > before.version ? after : before);
    return fresh;
  }
}

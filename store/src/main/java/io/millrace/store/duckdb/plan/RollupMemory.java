package io.millrace.store.duckdb.plan;

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
  private final Map<String, Entries> known = new ConcurrentHashMap<>();

  static final class Entries {
    private final long version;
    private final Map<String, Object> answers = new ConcurrentHashMap<>();

    private Entries(long version) {
      this.version = version;
    }

    interface Reading<T> {
      T read() throws SQLException;
    }

    @SuppressWarnings("unchecked") // equal queries have results of one type
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

  Entries of(String table, long version) {
    Entries latest = known.get(table);
    if (latest != null && latest.version == version) {
      return latest;
    }
    Entries fresh = new Entries(version);
    // A transaction that began earlier must not replace what later ones know.
    known.merge(table, fresh, (before, after) -> after.version > before.version ? after : before);
    return fresh;
  }
}

package io.millrace.store.duckdb.plan;

import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.duckdb.DuckDBConnection;

/**
 * Cache of the results of statements over the rollups of tables, valid until these change.
 *
 * <p>Each plan needs the same dozen numbers, and a statement takes DuckDB longer than the sums of
 * an hour. Every transaction that changes rollups raises their {@linkplain RollupCatalog#VERSIONS
 * version}, and a query sees the version of its own transaction. So what was read in the same
 * version is what it would read itself. Thread-safe.
 */
public final class RollupMemory {
  private final Map<String, Entries> known = new ConcurrentHashMap<>();

  static final class Entries {
    private final long version;
    private final Map<String, Object> values = new ConcurrentHashMap<>();

    private Entries(long version) {
      this.version = version;
    }

    interface Reading<T> {
      T read() throws SQLException;
    }

    @SuppressWarnings("unchecked") // equal queries have results of one type
    <T> T get(String key, Reading<T> reading) throws SQLException {
      Object value = values.get(key);
      if (value == null) {
        value = reading.read();
        values.put(key, value);
      }
      return (T) value;
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
    // A transaction that began earlier must not replace the cache of later ones.
    known.merge(table, fresh, (before, after) -> after.version > before.version ? after : before);
    return fresh;
  }
}

package io.millrace.store.duckdb.schema;

import io.millrace.store.duckdb.sql.CommitMemory;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.KeyHash;
import io.millrace.wire.block.NewNames;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/**
 * Texts of ids: table {@code names(id, name)}, each id once.
 *
 * <p>Rows have one id per text, even if two data sets (or two versions of one) give it two ids. The
 * first is the text's <em>canonical</em> id; it replaces later ones on input. So ids and texts are
 * one to one in rows, and grouping by id <em>is</em> grouping by text: a query looks up only the
 * names that it returns.
 *
 * <p>Texts are distinguished by a 64-bit hash, so that a text needs only some 50 bytes of memory.
 * The probability that any two of ten million texts collide is 3 in 10⁶. Thread-safe; {@link
 * #toCanonical} takes no lock.
 */
public final class NameDictionary {
  private static final long OWN_IDS = 1L << 62;

  private final DuckDBConnection connection;
  private final CommitMemory memory;
  private final NewNames pending = new NewNames();

  private boolean isUnsure;

  private LongMap canonicalByHash = new LongMap(1024);
  private LongMap known = new LongMap(1024);
  private volatile LongMap aliases = new LongMap(64);

  /** Reads the table; the connection belongs to this object from now on. */
  public NameDictionary(DuckDBConnection connection, CommitMemory memory) throws SQLException {
    this.connection = connection;
    this.memory = memory;
    SqlRows.forEach(
        connection,
        "SELECT id, name FROM millrace.main.names ORDER BY rowid",
        rows -> {
          byte[] text = rows.getString(2).getBytes(StandardCharsets.UTF_8);
          register(rows.getLong(1), text, 0, text.length);
        });
  }

  /** Adds names; the next {@link #flush()} stores the new ones. */
  public synchronized void add(NewNames names) {
    for (int i = 0; i < names.size(); i++) {
      if (register(names.id(i), names.bytes(), names.start(i), names.length(i))) {
        pending.add(names.id(i), names.bytes(), names.start(i), names.length(i));
      }
    }
  }

  private boolean register(long id, byte[] bytes, int start, int length) {
    if (known.get(id, LongMap.NONE) != LongMap.NONE) {
      return false;
    }
    long hash = KeyHash.of(bytes, start, start + length);
    long canonical = canonicalByHash.get(hash, LongMap.NONE);
    if (canonical == LongMap.NONE) {
      canonicalByHash = canonicalByHash.with(hash, id);
      known = known.with(id, id);
    } else {
      known = known.with(id, canonical);
      aliases = aliases.with(id, canonical);
    }
    return true;
  }

  /** Id of a text. A new text gets an id, which the next {@link #flush()} stores. */
  public synchronized long idOf(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    long hash = KeyHash.of(bytes, 0, bytes.length);
    long canonical = canonicalByHash.get(hash, LongMap.NONE);
    if (canonical != LongMap.NONE) {
      return canonical;
    }
    long id = OWN_IDS | hash >>> 2;
    if (register(id, bytes, 0, bytes.length)) {
      pending.add(id, bytes, 0, bytes.length);
    }
    return id;
  }

  /** Replaces ids with canonical ones, in place; ids without a name stay. */
  public void toCanonical(long[] ids, int n) {
    aliases.replace(ids, n);
  }

  /** Stores pending names durably. Call it before the rows that use them are stored. */
  public synchronized void flush() throws SQLException {
    if (pending.size() == 0) {
      return;
    }
    if (isUnsure) {
      appendMissing();
    } else {
      isUnsure = true;
      append("millrace", "names");
    }
    isUnsure = false;
    pending.clear();
  }

  private void append(String database, String table) throws SQLException {
    try (DuckDBAppender appender = connection.createAppender(database, "main", table)) {
      for (int i = 0; i < pending.size(); i++) {
        appender.beginRow().append(pending.id(i)).append(pending.text(i)).endRow();
      }
      memory.during(appender::flush); // close() does not report a failure
    }
  }

  /** After a failure, appends the names that are missing. Deletes none, so that rowids ascend. */
  private void appendMissing() throws SQLException {
    SqlRows.execute(
        connection, "CREATE OR REPLACE TEMP TABLE pending_names(id BIGINT, name VARCHAR)");
    append("temp", "pending_names");
    memory.execute(
        connection,
        "INSERT INTO millrace.main.names SELECT p.id, p.name FROM temp.pending_names p ANTI JOIN millrace.main.names USING (id) ORDER BY p.rowid");
    SqlRows.execute(connection, "DROP TABLE temp.pending_names");
  }

  public synchronized void close() throws SQLException {
    connection.close();
  }
}

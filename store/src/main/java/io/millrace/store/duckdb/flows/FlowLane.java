package io.millrace.store.duckdb.flows;

import io.millrace.store.duckdb.ledger.CounterTables;
import io.millrace.store.duckdb.offsets.CommitMark;
import io.millrace.store.duckdb.refused.RefusedRows;
import io.millrace.store.duckdb.refused.StagedRows;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.NameDictionary;
import io.millrace.store.duckdb.snapshot.RowChanges;
import io.millrace.store.duckdb.sql.MemoryShortage;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.JoinedColumn;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.duckdb.ChunkAppender;
import org.duckdb.DuckDBConnection;

/**
 * The way of rows into one stored table: chunks that writers fill, and the appender that the
 * committing thread feeds with them.
 *
 * <p>Rows are sorted by address family into two chunks, because DuckDB packs a column in groups of
 * 2048 values by their range: a group of IPv4 addresses takes four bytes a row, one that holds a
 * single IPv6 address takes sixteen. Part-filled chunks come last in a commit, so that all others
 * keep to these groups.
 *
 * <p>A commit of at least {@link #ROW_GROUP} rows is compressed once and written straight into the
 * file; a smaller one goes through the write-ahead log, at five times the bytes, and is written
 * again when that is folded into the file. Hence when a commit is due:
 *
 * <ul>
 *   <li>after {@link #FULL_COMMIT} rows, which fill the file's blocks best;
 *   <li>when a row has waited for as long as it may;
 *   <li>and as soon as there is a row group of rows that arrived just now, since somebody may be
 *       looking at them; rows of the past are in no hurry.
 * </ul>
 *
 * <p>Methods say who may call them: whoever holds the {@link FlowCommitter}'s lock, or its thread.
 */
public final class FlowLane implements AutoCloseable {
  /** Rows of a row group of the file: what 200,000 samples a second bring in 60 ms. */
  public static final int ROW_GROUP = 6 * ChunkAppender.CAPACITY;

  static final int FULL_COMMIT = 8 * ROW_GROUP;

  private static final long SOON_NANOS = 50_000_000;

  private static final long FRESH_MICROS = 1_000_000;

  private static final int MAX_WAITING = 16;

  enum Due {
    NOTHING,
    /** Commit the whole chunks that the appender has. */
    WHOLE_CHUNKS,
    /** Commit everything. */
    ALL
  }

  private final DuckDBConnection connection;
  private final String table;
  private final String storedTable;
  private final FlowLayout layout;
  private final NameDictionary names;
  private final LongConsumer newest;
  private final RowChanges changes;
  private final ArrayDeque<FlowChunk> free = new ArrayDeque<>();
  private final ArrayDeque<FlowChunk> full = new ArrayDeque<>();
  private FlowChunk v4;
  private FlowChunk other;

  /** Chunks of the open transaction, which must be appended again where some row is refused. */
  private final ArrayList<FlowChunk> appended = new ArrayList<>();

  private final StagedRows staged;

  private boolean isSuspect;

  private boolean isTakenBack;

  private final CommitMark mark;
  private int tries;

  private final ChunkAppender shape;

  private ChunkAppender appender;

  private boolean isOpen;
  private long newestTaken = Long.MIN_VALUE;

  private int appendedRows;

  private long appendedSince = Long.MAX_VALUE;
  private long newestAppended = Long.MIN_VALUE;

  FlowLane(
      DuckDBConnection connection,
      String table,
      String storedTable,
      FlowLayout layout,
      NameDictionary names,
      LongConsumer newest,
      RowChanges changes)
      throws SQLException {
    this.connection = connection;
    this.table = table;
    this.storedTable = storedTable;
    staged = new StagedRows(connection, table, storedTable);
    mark = new CommitMark(connection);
    this.layout = layout;
    this.names = names;
    this.newest = newest;
    this.changes = changes;
    shape = newAppender();
    v4 = newChunk();
    other = newChunk();
  }

  static boolean isFresh(long micros) {
    return micros > System.currentTimeMillis() * 1_000 - FRESH_MICROS;
  }

  private ChunkAppender newAppender() throws SQLException {
    return new ChunkAppender(
        connection, Catalog.DATABASE, Catalog.RAW_SCHEMA, storedTable, layout.widths());
  }

  private FlowChunk newChunk() {
    FlowChunk chunk = free.poll();
    return chunk != null ? chunk : new FlowChunk(shape, layout, names);
  }

  /** Whether a writer has to wait before it fills. With the lock. */
  boolean isCongested() {
    return full.size() >= MAX_WAITING;
  }

  /**
   * Copies rows of one address family, as many as the open chunk has room for, and gives their
   * number. With the lock.
   */
  int fill(boolean isV4, FlowBlock block, JoinedColumn[] joined, int[] pick, int from, int to) {
    FlowChunk chunk = isV4 ? v4 : other;
    int n = Math.min(to - from, chunk.room());
    chunk.copy(block, pick, from, n, joined);
    newestTaken = Math.max(newestTaken, chunk.newestMicros());
    if (chunk.room() == 0) {
      full.add(chunk);
      if (isV4) {
        v4 = newChunk();
      } else {
        other = newChunk();
      }
    }
    return n;
  }

  /** Chunks that wait to be appended. With the lock. */
  int fullChunks() {
    return full.size();
  }

  /** The next chunk to be appended; null if there is none. With the lock. */
  FlowChunk nextFull() {
    return full.poll();
  }

  /** Takes back the chunks that were committed. With the lock. */
  void giveBack() {
    if (!isOpen && !isTakenBack) {
      appended.forEach(FlowChunk::clear);
      free.addAll(appended);
      appended.clear();
    }
  }

  /** The part-filled chunks, IPv4 first, which new ones stand in for. With the lock. */
  FlowChunk[] takeOpen() {
    FlowChunk[] open = {v4, other};
    v4 = newChunk();
    other = newChunk();
    return open;
  }

  /** Rows not committed yet. With the lock, and while no chunk is on its way. */
  long pendingRows() {
    return appendedRows + (long) full.size() * ChunkAppender.CAPACITY + v4.rows() + other.rows();
  }

  /** When the oldest of them came, as {@link System#nanoTime}. With the lock. */
  long pendingSince() {
    long since = Math.min(appendedSince, Math.min(v4.sinceNanos(), other.sinceNanos()));
    return full.isEmpty() ? since : Math.min(since, full.peek().sinceNanos());
  }

  /** Whether a commit is due before another chunk is appended. With the lock. */
  boolean isFull() {
    return appendedRows >= FULL_COMMIT;
  }

  /** What is to be done when all full chunks were appended. With the lock. */
  Due due(long now, long longestWaitNanos) {
    if (isFull()) {
      return Due.WHOLE_CHUNKS;
    }
    return untilDue(now, longestWaitNanos) <= 0 ? Due.ALL : Due.NOTHING;
  }

  /** Nanoseconds until a commit is due if no rows come; without rows very many. With the lock. */
  long untilDue(long now, long longestWaitNanos) {
    long rows = pendingRows();
    if (rows == 0) {
      return Long.MAX_VALUE;
    }
    boolean isEnough = rows >= ROW_GROUP && isFresh(newestTaken);
    long wait = isEnough ? Math.min(SOON_NANOS, longestWaitNanos) : longestWaitNanos;
    return pendingSince() + wait - now;
  }

  /** Hands a chunk to the database. By the thread. */
  void append(FlowChunk chunk) throws SQLException {
    appended.add(chunk);
    if (chunk.rows() == 0) {
      return;
    }
    appendedSince = Math.min(appendedSince, chunk.sinceNanos());
    appendedRows += chunk.rows();
    newestAppended = Math.max(newestAppended, chunk.newestMicros());
    if (!isSuspect && !isTakenBack) {
      try {
        begin();
        chunk.append(appender);
        if (appendedRows % ROW_GROUP == 0) { // compressed and written while the next one fills
          appender.flush();
        }
      } catch (SQLException e) {
        if (MemoryShortage.isReasonOf(e)) {
          takeBack();
        } else {
          suspect(e);
        }
      }
    }
  }

  private void takeBack() throws SQLException {
    rollBack();
    isTakenBack = true;
  }

  private void suspect(SQLException failure) throws SQLException {
    if (!RefusedRows.isOfValues(failure)) {
      throw failure;
    }
    rollBack();
    isSuspect = true;
  }

  private void insertTaken() throws SQLException {
    begin();
    staged.create();
    try (ChunkAppender rows =
        new ChunkAppender(
            connection, StagedRows.CATALOG, StagedRows.SCHEMA, StagedRows.NAME, layout.widths())) {
      appendTaken(rows);
      rows.flush();
    }
    SqlRows.execute(connection, "COMMIT");
    isOpen = false;
    isSuspect = staged.insert() > 0;
    isOpen = true;
  }

  private void appendTaken(ChunkAppender rows) throws SQLException {
    for (FlowChunk chunk : appended) {
      if (chunk.rows() > 0) {
        chunk.append(rows);
      }
    }
  }

  private void rollBack() throws SQLException {
    closeAppender();
    SqlRows.rollBack(connection, changes.memory());
    isOpen = false;
  }

  private void closeAppender() throws SQLException {
    if (appender != null) {
      appender.close();
      appender = null;
    }
  }

  private void begin() throws SQLException {
    if (!isOpen) {
      if (appender == null) {
        appender = newAppender();
      }
      SqlRows.execute(connection, "BEGIN");
      isOpen = true;
    }
  }

  /**
   * Commits what was appended, and these counters with it. By the thread.
   *
   * @return false if the database has no memory for it now: to be called again, with the same
   */
  boolean commit(List<CounterTables.Sums> counters) throws SQLException {
    try {
      if (!mark.hasHappened()) {
        if (isTakenBack) {
          // The statements in front of the commit need that memory too.
          changes.memory().during(() -> commitTaken(counters));
        } else {
          commitTaken(counters);
        }
      }
    } catch (SQLException e) {
      if (!MemoryShortage.isReasonOf(e) || ++tries >= MemoryShortage.MAX_TRIES) {
        throw e;
      }
      takeBack();
      return false;
    }
    tries = 0;
    isOpen = false;
    isTakenBack = false;
    newest.accept(newestAppended);
    countRowGroups();
    appendedRows = 0;
    appendedSince = Long.MAX_VALUE;
    if (isSuspect) {
      try (Statement statement = connection.createStatement()) {
        changes.memory().during(() -> RefusedRows.trim(statement, table));
      }
    }
    return true;
  }

  private void countRowGroups() {
    double rowGroups = (double) appendedRows / ROW_GROUP;
    changes
        .rowGroups()
        .wrote(
            storedTable,
            appendedRows,
            rowGroups < 1 ? rowGroups : Math.ceil(rowGroups),
            layout.columns().size());
  }

  private void commitTaken(List<CounterTables.Sums> counters) throws SQLException {
    names.flush();
    begin();
    if (!isSuspect) {
      try {
        if (isTakenBack) {
          appendTaken(appender);
        }
        appender.flush();
      } catch (SQLException e) {
        suspect(e);
      }
    }
    if (isSuspect) {
      insertTaken();
    }
    store(counters);
    mark.commit(() -> changes.during(() -> SqlRows.execute(connection, "COMMIT")));
  }

  private void store(List<CounterTables.Sums> counters) throws SQLException {
    try {
      CounterTables.store(connection, table, counters);
    } catch (SQLException e) {
      suspect(e);
      insertTaken();
      CounterTables.store(
          connection, table, counters.stream().map(CounterTables.Sums::unnamed).toList());
    }
  }

  /** Forgets what was not committed. When the thread has ended. */
  @Override
  public void close() throws SQLException {
    free.addAll(full);
    free.addAll(appended);
    free.add(v4);
    free.add(other);
    free.forEach(FlowChunk::close);
    connection.close(); // rolls back
    closeAppender();
    shape.close();
  }
}

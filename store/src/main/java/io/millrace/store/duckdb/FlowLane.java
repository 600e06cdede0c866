package io.millrace.store.duckdb;

import io.millrace.store.FlowSchema;
import io.millrace.store.WrongSchemaException;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongConsumer;
import org.duckdb.ChunkAppender;
import org.duckdb.DuckDBConnection;

/**
 * Appends blocks to one stored table by chunks, on a connection of its own.
 *
 * <p>Rows are sorted by address family into two chunks, because DuckDB packs a column in groups of
 * 2048 values by their range: a group of IPv4 addresses takes four bytes a row, one that holds a
 * single IPv6 address takes sixteen. And rows are committed by whole row groups where they come
 * fast enough: those are compressed once and written straight into the file, past the write-ahead
 * log.
 */
final class FlowLane implements AutoCloseable {
  /** Rows of a row group of the file: commits of so many cost least. */
  static final int ROW_GROUP = 24 * ChunkAppender.CAPACITY;

  private final String table;
  private final DuckDBConnection connection;
  private final NameDictionary names;
  private final List<FlowSchema.Joined> columns;
  private final JoinedColumn[] joined;
  private final ChunkAppender appender;
  private final FlowChunk v4;
  private final FlowChunk other;
  private int[] pickV4 = new int[0];
  private int[] pickOther = new int[0];
  private long handedOver;
  private long handedOverSince = Long.MAX_VALUE;
  private boolean otherFirst;
  private final LongConsumer newest;
  private long newestPending = Long.MIN_VALUE;

  FlowLane(
      DuckDBConnection connection,
      String table,
      FlowLayout layout,
      NameDictionary names,
      LongConsumer newest)
      throws SQLException {
    this.newest = newest;
    this.connection = connection;
    this.table = table;
    this.names = names;
    columns = layout.schema().joined();
    joined = new JoinedColumn[columns.size()];
    connection.setAutoCommit(false);
    appender =
        new ChunkAppender(connection, Catalog.DATABASE, Catalog.RAW_SCHEMA, table, layout.widths());
    v4 = new FlowChunk(appender, layout, names);
    other = new FlowChunk(appender, layout, names);
  }

  /** The connection, for what shall be in the same transaction as the rows. */
  DuckDBConnection connection() {
    return connection;
  }

  /** Takes the rows of a block, of which there is at least one. */
  void append(FlowBlock block) throws SQLException {
    int rows = block.rows();
    long[] times = block.longs(FlowColumn.TIME);
    for (int i = 0; i < rows; i++) {
      newestPending = Math.max(newestPending, times[i]);
    }
    matchColumns(block);
    int countV4 = split(block, rows);
    copy(v4, block, pickV4, countV4);
    copy(other, block, pickOther, rows - countV4);
  }

  /** Fills the picks with the rows of each family; gives the number of IPv4 rows. */
  private int split(FlowBlock block, int rows) {
    if (pickV4.length < rows) {
      pickV4 = new int[block.capacity()];
      pickOther = new int[block.capacity()];
    }
    long[] high = block.addressHigh(FlowColumn.SRC_ADDR);
    long[] low = block.addressLow(FlowColumn.SRC_ADDR);
    int[] first = pickV4;
    int[] second = pickOther;
    int n = 0;
    for (int i = 0; i < rows; i++) {
      first[n] = i;
      second[i - n] = i;
      n += Addresses.isV4(high[i], low[i]) ? 1 : 0;
    }
    return n;
  }

  private void copy(FlowChunk chunk, FlowBlock block, int[] pick, int count) throws SQLException {
    int from = 0;
    while (from < count) {
      int n = Math.min(count - from, chunk.room());
      chunk.copy(block, pick, from, n, joined);
      from += n;
      if (chunk.room() == 0) {
        handOver(chunk);
        if (handedOver == ROW_GROUP) {
          commit();
        }
      }
    }
  }

  private void handOver(FlowChunk chunk) throws SQLException {
    handedOver += chunk.rows();
    handedOverSince = Math.min(handedOverSince, chunk.sinceNanos());
    chunk.append();
  }

  private void matchColumns(FlowBlock block) {
    List<JoinedColumn> there = block.joined();
    for (int i = 0; i < joined.length; i++) {
      joined[i] = null;
    }
    for (int k = 0; k < there.size(); k++) {
      JoinedColumn column = there.get(k);
      int at = place(column, k);
      if (at < 0) {
        throw new WrongSchemaException(
            "table " + table + " has no column " + column.name() + " of kind " + column.kind());
      }
      joined[at] = column;
    }
  }

  private int place(JoinedColumn column, int guess) {
    for (int i = 0; i < columns.size(); i++) {
      int at = (guess + i) % columns.size();
      if (columns.get(at).name().equals(column.name()) && columns.get(at).kind() == column.kind()) {
        return at;
      }
    }
    return -1;
  }

  /** Commits the rows and all else that was done on the connection. */
  void flush() throws SQLException {
    // Every other time the other way round: two runs of one family meet and pack as one.
    handOver(otherFirst ? other : v4);
    handOver(otherFirst ? v4 : other);
    otherFirst = !otherFirst;
    commit();
  }

  private void commit() throws SQLException {
    names.flush();
    appender.flush();
    connection.commit();
    newest.accept(newestPending);
    handedOver = 0;
    handedOverSince = Long.MAX_VALUE;
  }

  long pendingRows() {
    return handedOver + v4.rows() + other.rows();
  }

  long pendingSinceNanos() {
    return Math.min(handedOverSince, Math.min(v4.sinceNanos(), other.sinceNanos()));
  }

  @Override
  public void close() throws SQLException {
    v4.close();
    other.close();
    appender.close();
    connection.rollback();
    connection.close();
  }
}

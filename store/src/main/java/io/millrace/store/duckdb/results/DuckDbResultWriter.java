package io.millrace.store.duckdb.results;

import io.millrace.store.StoreException;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.offsets.CommitMark;
import io.millrace.store.duckdb.rejected.StagedRows;
import io.millrace.store.duckdb.schema.AddressValues;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.MemoryShortage;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Buffers rows until a flush, which appends them to {@link StagedRows} with the driver's appender
 * and inserts them into the table, in one transaction. One by one, since there are few results
 * compared with flows. Rows of a table with a key replace earlier ones ({@link KeyedRows}).
 *
 * <p>A flush for which the database has no memory is retried.
 */
final class DuckDbResultWriter implements BlockSink<TableBlock, Long> {
  private static final Logger LOG = LoggerFactory.getLogger(DuckDbResultWriter.class);
  private static final int CHECKPOINT = -1;
  private static final int NOT_THERE = -2;

  private static final long NOT_BEGUN = -1;

  private final DuckDbResultTable owner;
  private final DuckDBConnection connection;
  private final String table;
  private final TableSchema schema;

  private final int[] places;

  private final KeyedRows keyed;

  private final Runnable sync;
  private final StagedRows staged;
  private final CommitMark mark;

  private final List<TableBlock> pending = new ArrayList<>();

  private boolean hasWarned;
  private long token = NOT_BEGUN;

  private long checkpoint;

  DuckDbResultWriter(
      DuckDbResultTable owner, DuckDBConnection connection, List<String> stored, Runnable sync) {
    this.owner = owner;
    this.connection = connection;
    this.sync = sync;
    table = owner.name();
    schema = owner.schema();
    places = stored.stream().mapToInt(this::place).toArray();
    keyed = owner.key().isEmpty() ? null : new KeyedRows(table, owner.key());
    staged = new StagedRows(connection, table, ResultLayout.storedName(table));
    mark = new CommitMark(connection);
  }

  private int place(String column) {
    if (column.equals(Catalog.CHECKPOINT)) {
      return CHECKPOINT;
    }
    int place = schema.indexOf(column);
    return place < 0 ? NOT_THERE : place;
  }

  @Override
  public void rewind(long next, Long covered) {
    owner.rewind(next, covered);
  }

  @Override
  public void begin(long mine, long from) {
    owner.check(mine, "a writer");
    token = mine;
    checkpoint = from;
  }

  @Override
  public void seal(long id, Long covered) {
    flush();
    checkpoint = id;
  }

  @Override
  public void sync() {
    sync.run();
  }

  @Override
  public void append(TableBlock block) {
    if (!block.schema().equals(schema)) {
      throw new WrongSchemaException(
          "table %s: block with columns %s, expected %s"
              .formatted(table, block.schema().columns(), schema.columns()));
    }
    int[] all = IntStream.range(0, block.rows()).toArray();
    pending.add(block.select(all, all.length));
  }

  @Override
  public void flush() {
    if (pending.isEmpty()) {
      return;
    }
    try {
      warn(MemoryShortage.outlast(owner.memory(), this::store));
    } catch (SQLException e) {
      throw failed("commit rows of", e);
    } finally {
      pending.clear();
    }
  }

  private long store() throws SQLException {
    SqlRows.rollBack(connection, owner.memory()); // left over from a failed try
    if (mark.tookEffect()) {
      owner.check(token, "rows"); // a rewind may have removed them
      return 0;
    }
    stage();
    return keyed == null ? commit(staged.insert()) : replace();
  }

  /** In its own transaction: the temporary table must survive a failed insertion. */
  private void stage() throws SQLException {
    SqlRows.execute(connection, "BEGIN TRANSACTION"); // JDBC would not begin one for an appender
    staged.create();
    try (DuckDBAppender appender =
        connection.createAppender(StagedRows.CATALOG, StagedRows.SCHEMA, StagedRows.NAME)) {
      for (TableBlock block : pending) {
        append(appender, block);
      }
      appender.flush(); // close() does not report a failure
    }
    SqlRows.execute(connection, "COMMIT");
  }

  private void append(DuckDBAppender appender, TableBlock block) throws SQLException {
    for (int row = 0; row < block.rows(); row++) {
      appender.beginRow();
      for (int place : places) {
        switch (place) {
          case CHECKPOINT -> appender.append(checkpoint);
          case NOT_THERE -> appender.appendNull();
          default -> append(appender, block, row, place);
        }
      }
      appender.endRow();
    }
  }

  private void append(DuckDBAppender appender, TableBlock block, int row, int column)
      throws SQLException {
    switch (schema.type(column)) {
      case TIME -> {
        long micros = block.longs(column)[row];
        if (micros == TableBlock.NULL) {
          appender.appendNull();
        } else {
          appender.appendEpochMicros(micros);
        }
      }
      case LONG -> {
        long value = block.longs(column)[row];
        if (value == TableBlock.NULL) {
          appender.appendNull();
        } else {
          appender.append(value);
        }
      }
      case DOUBLE -> {
        double value = block.doubles(column)[row];
        if (Double.isNaN(value)) {
          appender.appendNull();
        } else {
          appender.append(value);
        }
      }
      case ADDRESS ->
          AddressValues.append(
              appender, block.addressHigh(column)[row], block.addressLow(column)[row]);
      case TEXT -> {
        String text = block.texts(column).get(row);
        if (text == null) {
          appender.appendNull();
        } else {
          appender.append(text);
        }
      }
    }
  }

  private long replace() throws SQLException {
    owner.beginReplacing();
    try {
      return commit(staged.insert(keyed::replace));
    } finally {
      owner.endReplacing();
    }
  }

  private long commit(long rejected) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      owner.commit(token, mark, statement, rejected > 0);
    }
    return rejected;
  }

  private void warn(long rejected) {
    if (rejected > 0 && !hasWarned) {
      hasWarned = true;
      LOG.warn("table {} has rejected rows: SELECT * FROM rejected_rows shows them", table);
    }
  }

  private StoreException failed(String what, SQLException e) {
    return new StoreException("cannot " + what + " table " + table + ": " + e.getMessage(), e);
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw failed("close the writer of", e);
    }
  }
}

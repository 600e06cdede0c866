package io.millrace.store.duckdb.results;

import io.millrace.store.ResultTable;
import io.millrace.store.StoreException;
import io.millrace.store.TableWriter;
import io.millrace.store.WrongSchemaException;
import io.millrace.store.duckdb.refused.StagedRows;
import io.millrace.store.duckdb.schema.AddressValues;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends row by row through the driver's appender to {@link StagedRows}, which a flush puts into
 * the table, in one transaction: results are few where flows are many. Rows of a table with a key
 * take the places of earlier ones then ({@link KeyedRows}).
 */
final class DuckDbResultWriter implements TableWriter<TableBlock> {
  private static final Logger LOG = LoggerFactory.getLogger(DuckDbResultWriter.class);
  private static final int CHECKPOINT = -1;
  private static final int NOT_THERE = -2;

  private final DuckDbResultTable owner;
  private final long token;
  private final DuckDBConnection connection;
  private final String table;
  private final TableSchema schema;

  /** For each stored column the place in the schema, or one of the constants. */
  private final int[] places;

  /** Absent where rows are only added. */
  private final KeyedRows keyed;

  private final StagedRows staged;
  private DuckDBAppender appender;
  private boolean hasTold;

  /** Tag of the rows that come now. */
  private long checkpoint = ResultTable.NO_CHECKPOINT;

  DuckDbResultWriter(
      DuckDbResultTable owner, long token, DuckDBConnection connection, List<String> stored) {
    this.owner = owner;
    this.token = token;
    this.connection = connection;
    table = owner.name();
    schema = owner.schema();
    places = stored.stream().mapToInt(this::place).toArray();
    keyed = owner.key().isEmpty() ? null : new KeyedRows(table, owner.key());
    staged = new StagedRows(connection, table, ResultLayout.storedName(table));
  }

  private int place(String column) {
    if (column.equals(Catalog.CHECKPOINT)) {
      return CHECKPOINT;
    }
    int place = schema.indexOf(column);
    return place < 0 ? NOT_THERE : place;
  }

  @Override
  public void passed(long id) {
    checkpoint = id;
  }

  @Override
  public void append(TableBlock block) {
    if (!block.schema().equals(schema)) {
      throw new WrongSchemaException(
          "table %s: a block has the columns %s, where %s were announced"
              .formatted(table, block.schema().columns(), schema.columns()));
    }
    try {
      if (appender == null) {
        SqlRows.execute(
            connection, "BEGIN TRANSACTION"); // JDBC's own would not begin for an appender
        staged.create();
        appender =
            connection.createAppender(StagedRows.CATALOG, StagedRows.SCHEMA, StagedRows.NAME);
      }
      for (int row = 0; row < block.rows(); row++) {
        appender.beginRow();
        for (int place : places) {
          switch (place) {
            case CHECKPOINT -> appender.append(checkpoint);
            case NOT_THERE -> appender.appendNull();
            default -> append(block, row, place);
          }
        }
        appender.endRow();
      }
    } catch (SQLException e) {
      throw failed("append to", e);
    }
  }

  private void append(TableBlock block, int row, int column) throws SQLException {
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

  @Override
  public void flush() {
    try {
      if (appender != null) {
        appender.flush(); // closing alone says nothing of a failure
        appender.close();
        appender = null;
        SqlRows.execute(
            connection,
            "COMMIT"); // of the temporary table alone, which must outlive a failed insertion
        tell(keyed == null ? commit(staged.insert()) : replace());
      }
    } catch (SQLException e) {
      throw failed("commit rows of", e);
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

  private long commit(long refused) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      owner.commit(token, statement, refused > 0);
    }
    return refused;
  }

  private void tell(long refused) {
    if (refused > 0 && !hasTold) {
      hasTold = true;
      LOG.warn("table {} has refused rows: SELECT * FROM refused_rows shows them", table);
    }
  }

  private StoreException failed(String what, SQLException e) {
    return new StoreException("cannot " + what + " table " + table + ": " + e.getMessage(), e);
  }

  /** Closing the appender writes what it has left, so that is taken back. */
  @Override
  public void close() {
    try {
      if (appender != null) {
        appender.close();
        appender = null;
        SqlRows.execute(connection, "ROLLBACK");
      }
      connection.close();
    } catch (SQLException e) {
      throw failed("close the writer of", e);
    }
  }
}

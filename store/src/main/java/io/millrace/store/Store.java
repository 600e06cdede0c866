package io.millrace.store;

import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Tables of flows and the questions asked of them.
 *
 * <p>Thread-safe. Queries run beside writers on connections of their own: a query sees the rows
 * committed before it started, and neither waits for a writer nor makes one fail.
 */
public interface Store extends AutoCloseable {
  /** Name of the table that the main job fills. */
  String FLOWS = "flows";

  /**
   * Opens a table of flows, or makes it.
   *
   * <p>Joined columns that the table has not yet are added (NULL in older rows); columns that the
   * schema no longer names stay. The views {@code <name>_committed} and, for {@link #FLOWS}, {@code
   * netdata} follow the columns.
   *
   * <p>Not beside writers of the same table: adding a column would make them fail.
   *
   * @param name lower-case letters, digits and underscores, a letter first, at most 40
   * @throws WrongSchemaException if a column of that name exists with another type; no restart
   *     mends that
   */
  FlowTable table(String name, FlowSchema schema);

  /**
   * Returns when all that was committed before would survive a power failure. What nobody asks for
   * would some seconds later; a process that is killed loses nothing either way.
   */
  void sync();

  /**
   * Opens a table of results, or makes it. Columns that the table has not yet are added (NULL in
   * older rows); columns that the schema no longer names stay, NULL in new rows.
   *
   * <p>Not beside writers of the same table under another schema.
   *
   * @param name see {@link TableNames#whyNotResults}
   * @throws WrongSchemaException if a column of that name exists with another type; no restart
   *     mends that
   */
  default ResultTable results(String name, TableSchema schema) {
    return results(name, schema, List.of());
  }

  /**
   * As above, for a table in which a row takes the place of an earlier one of the same key. Such
   * rows are totals that are told again when they have changed.
   *
   * @param key columns that make the key; none for a table to which rows are only added. Of what is
   *     appended between two flushes, the last row of a key counts. Writers side by side must not
   *     have keys in common
   */
  ResultTable results(String name, TableSchema schema, List<String> key);

  /** As above, for a table as it is declared: its rows stay as long as that says. */
  default ResultTable results(ResultSpec table) {
    retain(table.name(), table.retention());
    return results(table.name(), table.schema(), table.key());
  }

  /**
   * Bounds a table of results, which may be opened later; {@code store.retention.results} goes
   * before it. Tables that nobody bounds keep {@link ResultRetention#DEFAULT}, those of replays all
   * that they have.
   */
  void retain(String table, ResultRetention retention);

  /**
   * Shows a question to tables of results as a table of its own, or shows another one under that
   * name. Not for questions of users: it is not checked.
   *
   * @param name see {@link TableNames#whyNotResults}
   * @param select one SELECT
   */
  void resultView(String name, String select);

  /** Replaces what the table {@code exporters} shows. */
  void exporters(List<ExporterRow> rows);

  /**
   * Drops tables of flows or of results with all that is kept of them: all of these or, after a
   * failure, none. Queries that have begun end as if they were there.
   *
   * <p>Not beside writers of these tables, and not for names that are to be used again.
   *
   * @param names others than {@link #FLOWS}; where there is no such table there is nothing to do
   * @throws StoreException if the disk has no room, say
   */
  default void drop(Collection<String> names) {
    throw new UnsupportedOperationException("this store drops nothing");
  }

  /** Names of the tables of flows, sorted. */
  List<String> tables();

  /** Names of the tables of results, sorted; those too that nobody fills any more. */
  List<String> resultTables();

  /**
   * Runs one read-only statement: {@code SELECT} (with {@code WITH}, {@code VALUES}, {@code FROM
   * …}), {@code EXPLAIN} of one, {@code DESCRIBE}, {@code SHOW} or {@code SUMMARIZE}. It can reach
   * the store's tables and nothing else: no file, no setting, no other database.
   *
   * @param cancellation ends it early, with {@link QueryException.Reason#CANCELLED}
   * @return the rows, read as they are asked for; the caller closes it, on any thread
   * @throws QueryException if the statement is wrong, is not allowed, or takes longer than its
   *     limit; also later, from {@link QueryResult#next()}
   */
  QueryResult query(QueryRequest request, Cancellation cancellation);

  /** The same, which nobody cancels. */
  default QueryResult query(QueryRequest request) {
    return query(request, new Cancellation());
  }

  /**
   * What a query would give; it is checked and not run. Parameters may be left open.
   *
   * @throws QueryException if it could not be run
   */
  QueryShape describe(QueryRequest request);

  /**
   * The largest groups of flows by volume, where volume is bytes or packets times the sampling
   * rate: an estimate.
   *
   * @param cancellation ends it early, with {@link QueryException.Reason#CANCELLED}
   * @throws IllegalArgumentException if there is no such dimension or table
   * @throws QueryException if the filter cannot be read, with the place in it, or the time is over
   */
  TopResult top(TopRequest request, Cancellation cancellation);

  /** The same, which nobody cancels. */
  default TopResult top(TopRequest request) {
    return top(request, new Cancellation());
  }

  /**
   * The largest groups of flows over time.
   *
   * @param cancellation ends it early, with {@link QueryException.Reason#CANCELLED}
   * @throws IllegalArgumentException if there is no such dimension or table, or the points would be
   *     too many
   * @throws QueryException if the filter cannot be read, with the place in it, or the time is over
   */
  default SeriesResult series(SeriesRequest request, Cancellation cancellation) {
    throw new UnsupportedOperationException("this store answers no series");
  }

  /** The same, which nobody cancels. */
  default SeriesResult series(SeriesRequest request) {
    return series(request, new Cancellation());
  }

  /**
   * Arrival of the rows of {@link #FLOWS} from which on none was removed for its age or the size of
   * the store; empty if none was removed at all.
   */
  default Optional<Instant> rowsFrom() {
    return Optional.empty();
  }

  /**
   * Writes rows of a table of flows into a Parquet file that any tool reads: all that arrived in a
   * stretch of time.
   *
   * @param from inclusive
   * @param to exclusive
   * @param cancellation ends it early, with {@link QueryException.Reason#CANCELLED}
   * @throws IllegalArgumentException if there is no such table
   * @throws StoreException if the disk has no room, say
   */
  default ExportedRows exportRows(
      String table, Instant from, Instant to, Cancellation cancellation) {
    throw new UnsupportedOperationException("this store exports nothing");
  }

  /** The same, which nobody cancels. */
  default ExportedRows exportRows(String table, Instant from, Instant to) {
    return exportRows(table, from, to, new Cancellation());
  }

  /**
   * Reads a file of {@link #exportRows} into a table of flows, which is made where there is none:
   * all of it or, after a failure, nothing. Rows that the table has already are left out.
   *
   * @param parquet the file's bytes; read to the end and not closed
   * @throws IllegalArgumentException if it is no such file, or the table cannot take its rows; says
   *     why and what to do
   */
  default ImportedRows importRows(String table, InputStream parquet) throws IOException {
    throw new UnsupportedOperationException("this store imports nothing");
  }

  /** Whether calls need not wait for the store to be opened again, nor fail since it is closed. */
  default boolean isOpen() {
    return true;
  }

  /** What keeps the store from taking rows or questions now, in one line; empty if nothing does. */
  default Optional<String> problem() {
    return Optional.empty();
  }

  /**
   * What does not follow the rows, though these are taken and questions answered: one line each,
   * with what to do; empty if all does.
   */
  default List<String> delays() {
    return List.of();
  }

  /** Bytes on disk, the write-ahead log included. */
  long diskBytes();

  /**
   * Ends running queries, commits nothing, and releases the files. Writers must be closed before: a
   * writer still at work keeps the file open.
   */
  @Override
  void close();
}

package io.millrace.store;

import io.millrace.wire.block.TableSchema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Tables of flows and results, and queries on them.
 *
 * <p>Thread-safe. Queries run concurrently with writers on their own connections: a query sees the
 * rows committed before it started, and neither waits for a writer nor makes one fail.
 */
public interface Store extends AutoCloseable {
  /** Name of the table of the main job. */
  String FLOWS = "flows";

  /**
   * Opens or creates a table of flows.
   *
   * <p>Missing joined columns are added (NULL in older rows); columns that the schema no longer
   * names are kept. The views {@code <name>_committed} and, for {@link #FLOWS}, {@code netdata}
   * follow the columns.
   *
   * <p>Must not run concurrently with writers of the same table, which an added column would make
   * fail.
   *
   * @param name lower-case letters, digits and underscores, a letter first, at most 40
   * @throws WrongSchemaException if a column of that name exists with another type; a restart does
   *     not help
   */
  FlowTable table(String name, FlowSchema schema);

  /**
   * Opens or creates a table of results. Missing columns are added (NULL in older rows); columns
   * that the schema no longer names are kept, NULL in new rows.
   *
   * <p>Must not run concurrently with writers of the same table under another schema.
   *
   * @param name see {@link TableNames#whyNotResults}
   * @throws WrongSchemaException if a column of that name exists with another type; a restart does
   *     not help
   */
  default ResultTable results(String name, TableSchema schema) {
    return results(name, schema, List.of());
  }

  /**
   * As above, for a table in which a row replaces an earlier one of the same key, such as a total.
   *
   * @param key key columns; empty for an append-only table. Of rows appended between two flushes,
   *     the last one of a key wins. Concurrent writers must not share keys
   */
  ResultTable results(String name, TableSchema schema, List<String> key);

  /** As above, with the retention of the declaration. */
  default ResultTable results(ResultSpec table) {
    retain(table.name(), table.retention());
    return results(table.name(), table.schema(), table.key());
  }

  /**
   * Sets the retention of a table of results, which may be opened later; {@code
   * store.retention.results} overrides it. The default is {@link ResultRetention#DEFAULT}; tables
   * of replays are not limited.
   */
  void retain(String table, ResultRetention retention);

  /**
   * Creates or replaces a view on tables of results. Not for user queries: the SELECT is not
   * checked.
   *
   * @param name see {@link TableNames#whyNotResults}
   * @param select one SELECT
   */
  void resultView(String name, String select);

  /** Replaces the rows of the table {@code exporters}. */
  void exporters(List<ExporterRow> rows);

  /**
   * Drops tables of flows or of results atomically, with all dependent data. Running queries still
   * see them.
   *
   * <p>Must not run concurrently with writers of these tables, nor for names that are used again.
   *
   * @param names other than {@link #FLOWS}; unknown names are ignored
   * @throws StoreException if the disk is full, for example
   */
  void drop(Collection<String> names);

  /** Names of the tables of flows, sorted. */
  List<String> tables();

  /** Names of the tables of results, sorted, including those without a writer. */
  List<String> resultTables();

  /**
   * Runs one read-only statement: {@code SELECT} (with {@code WITH}, {@code VALUES}, {@code FROM
   * …}), {@code EXPLAIN} of one, {@code DESCRIBE}, {@code SHOW} or {@code SUMMARIZE}. It can access
   * the store's tables only: no files, settings or other databases.
   *
   * @param cancellation cancels it, with {@link QueryException.Reason#CANCELLED}
   * @return the rows, read on demand; the caller closes it, on any thread
   * @throws QueryException if the statement is invalid, not allowed, or exceeds its time limit;
   *     also later, from {@link QueryResult#next()}
   */
  QueryResult query(QueryRequest request, Cancellation cancellation);

  /** Runs a query that cannot be cancelled. */
  default QueryResult query(QueryRequest request) {
    return query(request, new Cancellation());
  }

  /**
   * Validates a query without running it. Parameters may be open.
   *
   * @throws QueryException if the query is invalid
   */
  QueryShape describe(QueryRequest request);

  /**
   * The largest groups of flows by volume: bytes or packets times the sampling rate, an estimate.
   *
   * @param cancellation cancels it, with {@link QueryException.Reason#CANCELLED}
   * @throws IllegalArgumentException if a dimension or the table is unknown
   * @throws QueryException if the filter is invalid, with its position, or the time limit is
   *     exceeded
   */
  TopResult top(FlowQuery request, Cancellation cancellation);

  /** A query that cannot be cancelled. */
  default TopResult top(FlowQuery request) {
    return top(request, new Cancellation());
  }

  /**
   * The largest groups of flows over time.
   *
   * @param cancellation cancels it, with {@link QueryException.Reason#CANCELLED}
   * @throws IllegalArgumentException if a dimension or the table is unknown, or there are too many
   *     points
   * @throws QueryException if the filter is invalid, with its position, or the time limit is
   *     exceeded
   */
  SeriesResult series(FlowQuery request, Cancellation cancellation);

  /** A query that cannot be cancelled. */
  default SeriesResult series(FlowQuery request) {
    return series(request, new Cancellation());
  }

  /**
   * {@link #top} over the rows of the newest snapshot, which another engine reads.
   *
   * @throws QueryException also if the engine cannot run it, or there is no snapshot yet
   */
  TopResult top(FlowQuery request, RowEngine engine, Cancellation cancellation);

  /**
   * {@link #series} over the rows of the newest snapshot, which another engine reads.
   *
   * @throws QueryException also if the engine cannot run it, or there is no snapshot yet
   */
  SeriesResult series(FlowQuery request, RowEngine engine, Cancellation cancellation);

  /** The store itself, if another engine runs the queries here. */
  default Store embedded() {
    return this;
  }

  /** Arrival of the newest row in the newest snapshot of {@link #FLOWS}; empty before the first. */
  Optional<Instant> snapshotTo();

  /**
   * Earliest arrival time from which no rows of {@link #FLOWS} were removed by retention; empty if
   * none were removed at all.
   */
  Optional<Instant> rowsFrom();

  /**
   * Exports the rows of a table of flows that arrived in a time range, as a Parquet file.
   *
   * @param from inclusive
   * @param to exclusive
   * @param cancellation cancels it, with {@link QueryException.Reason#CANCELLED}
   * @throws IllegalArgumentException if the table is unknown
   * @throws StoreException if the disk is full, for example
   */
  ExportedRows exportRows(String table, Instant from, Instant to, Cancellation cancellation);

  /** An export that cannot be cancelled. */
  default ExportedRows exportRows(String table, Instant from, Instant to) {
    return exportRows(table, from, to, new Cancellation());
  }

  /**
   * Imports a file of {@link #exportRows} into a table of flows, created if missing, atomically.
   * Rows that the table already has are skipped.
   *
   * @param parquet the file's bytes; read to the end and not closed
   * @throws IllegalArgumentException if the file is invalid, or incompatible with the table; the
   *     message says what to do
   */
  ImportedRows importRows(String table, InputStream parquet) throws IOException;

  /**
   * Makes a consistent copy of all stored data, which is a store itself, in a folder of this
   * store's directory, and replaces the last copy. Rows of flows are hard links, which take space
   * once retention or compaction has removed the files here. Writers and queries continue.
   *
   * @return the folder; it is kept until the next call, {@link #dropBackup} or the next opening
   * @throws StoreException if the disk is full, for example
   */
  Path backUp();

  /** Deletes the copy, if there is one. */
  void dropBackup();

  /** Whether the store is open; otherwise calls wait until it is reopened, or fail. */
  boolean isOpen();

  /** Why the store accepts no rows or queries, in one line; empty if it does. */
  Optional<String> problem();

  /** Processing that lags while the store works: one line each, with what to do; empty if none. */
  List<String> delays();

  /** Bytes on disk, including the write-ahead log. */
  long diskBytes();

  /**
   * Cancels running queries, commits nothing, and releases the files. Writers must be closed
   * before: an open writer keeps the file open.
   */
  @Override
  void close();
}

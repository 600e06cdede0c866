package io.millrace.store.duckdb.plan;

import io.millrace.store.duckdb.history.HistoryFile;
import io.millrace.store.duckdb.history.TieredRows;
import io.millrace.store.duckdb.rollup.LateBuckets;
import io.millrace.store.duckdb.rollup.RollupCatalog;
import io.millrace.store.duckdb.rollup.RollupRules;
import io.millrace.store.duckdb.sample.SampleSql;
import io.millrace.store.duckdb.sample.SampleState;
import io.millrace.store.duckdb.sample.SampleTables;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.ReadTransaction;
import io.millrace.store.duckdb.snapshot.RowsView;
import io.millrace.store.duckdb.snapshot.StoredRows;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.query.Dialect;
import io.millrace.store.query.Relation;
import io.millrace.store.query.RollupPlan;
import io.millrace.store.query.RollupPlanner;
import io.millrace.store.query.RollupPlanner.Extent;
import io.millrace.store.query.RollupQuery;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import io.millrace.store.rollup.StoredRollup;
import io.millrace.wire.block.Frontier;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.duckdb.DuckDBConnection;

/**
 * Metadata of the stored tables for query planning, as the transaction of one query sees them.
 * Those of rollups are cached, and read again when rollups have changed.
 */
public final class RollupFacts implements RollupPlanner.Facts {
  /** Maximum flow duration and delay: how long before its arrival a record may count. */
  public static final long REACH = 2 * Grain.HOUR.micros();

  private static final long AHEAD_MICROS = TimeUnit.MINUTES.toMicros(1);

  private final ReadTransaction transaction;
  private final DuckDBConnection connection;
  private final StoredRows rows;
  private final RollupMemory.Entries known;
  private final RollupCatalog catalog;
  private long now = Long.MIN_VALUE;

  private RollupFacts(
      ReadTransaction transaction,
      StoredRows rows,
      RollupMemory.Entries known,
      RollupCatalog catalog) {
    this.transaction = transaction;
    connection = transaction.connection();
    this.rows = rows;
    this.known = known;
    this.catalog = catalog;
  }

  /** Facts of a table, in the transaction. */
  public static RollupFacts read(ReadTransaction transaction, String table, RollupMemory memory)
      throws SQLException {
    DuckDBConnection connection = transaction.connection();
    long version = RollupCatalog.version(connection, table);
    RollupMemory.Entries known = memory.of(table, version);
    RollupCatalog catalog = catalog(connection, table, known);
    return new RollupFacts(transaction, rows(transaction, table, version), known, catalog);
  }

  /** Facts as of the newest roll, without later rows. Empty if nothing is rolled up. */
  public static Optional<RollupFacts> rolled(
      ReadTransaction transaction, String table, RollupMemory memory) throws SQLException {
    DuckDBConnection connection = transaction.connection();
    long version = RollupCatalog.version(connection, table);
    RollupMemory.Entries known = memory.of(table, version);
    RollupCatalog catalog = catalog(connection, table, known);
    StoredRows.Roll roll = roll(catalog);
    if (roll.newest() == RollupCatalog.ALWAYS) {
      return Optional.empty();
    }
    // Retention does not change the version, but it changes this time.
    StoredRows rows =
        known.get(
            "rows " + transaction.rows().removedBefore(table),
            () -> rows(transaction, table, version).asOf(roll));
    return Optional.of(new RollupFacts(transaction, rows, known, catalog));
  }

  private static RollupCatalog catalog(
      DuckDBConnection connection, String table, RollupMemory.Entries known) throws SQLException {
    return known.get("catalog", () -> RollupCatalog.read(connection, table));
  }

  private static StoredRows rows(ReadTransaction transaction, String table, long version) {
    RowsView rows = transaction.rows();
    return new StoredRows(version, rows.extents(table), rows.removedBefore(table));
  }

  private static StoredRows.Roll roll(RollupCatalog catalog) {
    Frontier frontier = Frontier.EMPTY;
    long newest = RollupCatalog.ALWAYS;
    for (StoredRollup kept : catalog.sets()) {
      frontier = frontier.union(kept.rolled());
      newest = Math.max(newest, kept.newest());
    }
    return new StoredRows.Roll(frontier, newest);
  }

  /** Rows of the table. */
  public StoredRows rows() {
    return rows;
  }

  /** State of the sample; empty if no sample is kept. */
  public Optional<SampleState> sample() throws SQLException {
    return known.get("sample", () -> SampleState.read(connection, catalog.table()));
  }

  /** Estimated number of sampled rows of a grain in a time range, if the rate is constant. */
  public long sampled(SampleState sample, Grain grain, long from, long to) throws SQLException {
    long first = Math.max(sample.from().get(grain), first(Accounting.ARRIVAL));
    double share = (double) (to - from) / Math.max(1, sample.newest() - first);
    return (long)
        (Math.min(1, share) * known.number(connection, SampleSql.count(catalog.table(), grain)));
  }

  /** Whether sampled rows in some tables have a duration. */
  public boolean hasSampledRecords(List<SampleTables> tables) throws SQLException {
    return known.number(connection, SampleSql.hasRecords(catalog.table(), tables)) > 0;
  }

  /** Bounds within which the times of records are trusted. */
  public List<RollupRules.Rule> rules() throws SQLException {
    return known.get("rules", () -> RollupRules.read(connection, catalog.table()));
  }

  /** A plan that is better than a scan; empty if rows must be read. */
  public Optional<RollupPlan> plan(RollupQuery query) throws SQLException {
    List<StoredRollup> able =
        catalog.sets().stream()
            .filter(kept -> kept.set().columns().containsAll(query.columns()))
            .toList();
    return able.isEmpty()
        ? Optional.empty()
        : new RollupPlanner(extent(able, query.accounting()), this).plan(able, query);
  }

  /**
   * Start of the available data: the oldest row, or the oldest bucket if its rows are deleted.
   * {@link Long#MAX_VALUE} without data.
   */
  public long earliest() throws SQLException {
    long oldest = rows.oldest();
    boolean isFromRows =
        oldest != Long.MAX_VALUE
            && (catalog.sets().isEmpty() || !hasArrivals(catalog.sets(), oldest));
    return isFromRows ? oldest : oldestBucket(catalog.sets());
  }

  /**
   * Time of the newest row, which may be removed if it is rolled up; {@link Long#MIN_VALUE} if
   * there was none.
   */
  public long newest() {
    long newest = rows.newest();
    if (newest == Long.MIN_VALUE) {
      for (StoredRollup kept : catalog.sets()) {
        newest = Math.max(newest, kept.newest());
      }
    }
    return newest;
  }

  /**
   * End of a time range that ends now: the newest row that is not ahead of this machine's clock, or
   * the newest of all if each is. So a row from a wrong clock does not hide later ones.
   */
  public long now() throws SQLException {
    if (now == Long.MIN_VALUE) {
      long newest = newest();
      long until = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + AHEAD_MICROS;
      now = newest <= until ? newest : newestUntil(until).orElse(newest);
    }
    return now;
  }

  private OptionalLong newestUntil(long until) throws SQLException {
    long newest = StoredRows.newestUntil(transaction, catalog.table(), until);
    for (StoredRollup kept : catalog.sets()) {
      newest = Math.max(newest, kept.newest() > until ? Long.MIN_VALUE : kept.newest());
    }
    return newest == Long.MIN_VALUE || newest == RollupCatalog.ALWAYS
        ? OptionalLong.empty()
        : OptionalLong.of(newest);
  }

  /** {@link #earliest}, or the start of the oldest bucket if flows count before their arrival. */
  public long first(Accounting accounting) throws SQLException {
    return accounting == Accounting.ARRIVAL
        ? earliest()
        : Math.min(earliest(), oldestBucket(catalog.sets()));
  }

  /** Rows that count before this time may have been removed; {@link Long#MIN_VALUE} if none was. */
  public long rowsFrom(Accounting accounting) throws SQLException {
    return catalog.sets().isEmpty()
        ? rows.goneBefore()
        : extent(catalog.sets(), accounting).rowsFrom();
  }

  /**
   * Closed buckets of a grain, at least those that overlap the pieces; without a grain, the open
   * minutes.
   */
  public Relation buckets(StoredRollup kept, Optional<Grain> grain, List<RollupPlan.Piece> pieces)
      throws SQLException {
    String set = kept.set().name();
    return grain.isEmpty()
        ? RollupCatalog.buckets(catalog.table(), set, grain)
        : tiered(set, grain.get())
            .of(
                file ->
                    pieces.stream()
                        .anyMatch(
                            piece -> file.last() >= piece.from() && file.first() < piece.to()));
  }

  private TieredRows tiered(String set, Grain grain) throws SQLException {
    String name = RollupCatalog.storedName(catalog.table(), set, grain);
    return known.get("files " + name, () -> TieredRows.read(connection, catalog.table(), name));
  }

  private long oldestBucket(List<StoredRollup> sets) throws SQLException {
    List<String> oldest = new ArrayList<>();
    for (StoredRollup kept : sets) {
      String set = kept.set().name();
      TieredRows hours = tiered(set, Grain.HOUR);
      long end = hours.files().stream().mapToLong(HistoryFile::last).min().orElse(Long.MIN_VALUE);
      for (String buckets :
          List.of(
              hours.of(file -> file.first() <= end).in(Dialect.DUCKDB),
              RollupCatalog.open(catalog.table(), set))) {
        oldest.add("(SELECT epoch_us(min(bucket)) FROM " + buckets + ")");
      }
    }
    return oldest.isEmpty()
        ? Long.MAX_VALUE
        : known.number(
            connection,
            "SELECT coalesce(least(%s), %d)"
                .formatted(String.join(", ", oldest), Long.MAX_VALUE)); // least() skips NULL
  }

  private Extent extent(List<StoredRollup> sets, Accounting accounting) throws SQLException {
    long oldestRow = rows.oldest();
    long newest = rows.newest();
    for (StoredRollup kept : sets) {
      newest = Math.max(newest, kept.newest());
    }
    long oldestBucket = oldestBucket(sets);
    if (oldestRow == Long.MAX_VALUE) {
      return new Extent(oldestBucket, newest, Long.MAX_VALUE);
    }
    long reach = accounting == Accounting.SPREAD ? REACH : 0;
    boolean rowsAreGone = hasArrivals(sets, oldestRow);
    return new Extent(
        Math.min(oldestRow - reach, oldestBucket),
        newest,
        // A late row may be older than removed rows, until it is removed too.
        Math.max(rows.goneBefore(), rowsAreGone ? oldestRow + reach : Long.MIN_VALUE));
  }

  private boolean hasArrivals(List<StoredRollup> sets, long oldestRow) throws SQLException {
    String set = sets.get(0).set().name();
    StringBuilder found = new StringBuilder();
    for (Grain grain : List.of(Grain.HOUR, Grain.MINUTE)) {
      long before = grain.bucket(oldestRow);
      found.append(
          "EXISTS (SELECT 1 FROM %s WHERE bucket < %s AND NOT spread) OR "
              .formatted(
                  tiered(set, grain).of(file -> file.first() < before).in(Dialect.DUCKDB),
                  SqlTime.timestamp(before)));
    }
    found.append(
        "EXISTS (SELECT 1 FROM %s WHERE bucket < %s AND NOT spread)"
            .formatted(
                RollupCatalog.open(catalog.table(), set),
                SqlTime.timestamp(Grain.MINUTE.bucket(oldestRow))));
    return known.number(connection, "SELECT (" + found + ")::INTEGER") > 0;
  }

  /** Whether a bucket of the plan has dropped groups. */
  public boolean hasRest(RollupPlan plan) throws SQLException {
    for (RollupPlan.Piece piece : plan.pieces()) {
      boolean isKept =
          piece.source() != RollupPlan.Source.ROWS && piece.source() != RollupPlan.Source.OPEN;
      if (isKept
          && !dropped(plan.kept(), piece.source().grain(), piece.from(), piece.to()).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** Number of rows that arrived in the buckets of a plan, including those of dropped groups. */
  public long rows(RollupPlan plan) throws SQLException {
    return total(plan).rows;
  }

  /** Number of groups in the buckets of a plan. */
  public long sums(RollupPlan plan) throws SQLException {
    return total(plan).sums;
  }

  /** Number of groups in the open minutes of a plan. */
  public long openSums(RollupPlan plan) throws SQLException {
    return total(plan).openSums;
  }

  private record Total(long rows, long sums, long openSums) {}

  private Total total(RollupPlan plan) throws SQLException {
    String set = plan.kept().set().name();
    List<String> buckets = new ArrayList<>();
    for (RollupPlan.Piece piece : plan.pieces()) {
      Grain grain = piece.source().grain();
      if (grain == null) {
        continue;
      }
      boolean isOpen = piece.source() == RollupPlan.Source.OPEN;
      String stored =
          buckets(plan.kept(), isOpen ? Optional.empty() : Optional.of(grain), List.of(piece))
              .in(Dialect.DUCKDB);
      String between = RollupPieces.within(List.of(piece)).in(Dialect.DUCKDB);
      buckets.add(total(stored + " WHERE " + between, isOpen));
      if (!isOpen) {
        buckets.add(
            total(
                RollupCatalog.rest(catalog.table(), set, grain, piece.from(), piece.to()), false));
      }
    }
    if (buckets.isEmpty()) {
      return new Total(0, 0, 0);
    }
    String sql =
        "SELECT coalesce(sum(r), 0)::BIGINT, sum(n)::BIGINT, sum(open)::BIGINT FROM (%s)"
            .formatted(String.join(" UNION ALL ", buckets));
    return known.get(
        sql,
        () -> {
          List<Total> totals = new ArrayList<>();
          SqlRows.forEach(
              connection,
              sql,
              row -> totals.add(new Total(row.getLong(1), row.getLong(2), row.getLong(3))));
          return totals.get(0);
        });
  }

  private static String total(String buckets, boolean isOpen) {
    return "SELECT sum(\"rows\") AS r, count(*) AS n, %s AS open FROM %s AND NOT spread"
        .formatted(isOpen ? "count(*)" : "0", buckets);
  }

  /** The only number of a query over the rollups or the sample. */
  public double real(Relation query) throws SQLException {
    String sql = query.in(Dialect.DUCKDB);
    return known.get(
        sql,
        () -> {
          double[] value = new double[1];
          SqlRows.forEach(connection, sql, row -> value[0] = row.getDouble(1));
          return value[0];
        });
  }

  /** The table of flows. */
  public String table() {
    return catalog.table();
  }

  /** Closed buckets that were changed. */
  public LateBuckets late() throws SQLException {
    return known.get("late", () -> LateBuckets.read(connection, catalog.table()));
  }

  /**
   * Whether a row has NULL in one of the columns.
   *
   * @param from arrival of the rows, microseconds, inclusive; {@link Long#MIN_VALUE} if unbounded
   * @param to exclusive; {@link Long#MAX_VALUE} if unbounded
   */
  public boolean hasNull(Set<String> columns, long from, long to) throws SQLException {
    String window =
        (from == Long.MIN_VALUE ? "" : " AND time >= " + SqlTime.timestamp(from))
            + (to == Long.MAX_VALUE ? "" : " AND time < " + SqlTime.timestamp(to));
    if (columns.isEmpty()) {
      return false;
    }
    var unused = transaction.rows().read(catalog.table(), extent -> extent.mayHave(from, to));
    for (String column : columns) {
      for (FlowPart part : FlowPart.values()) {
        String some =
            "SELECT 1 FROM %s WHERE %s IS NULL%s LIMIT 1"
                .formatted(
                    Catalog.raw(part.tableName(catalog.table())), Catalog.quoted(column), window);
        if (SqlRows.number(connection, "SELECT count(*) FROM (" + some + ")") > 0) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public SortedSet<Long> dropped(StoredRollup kept, Grain grain, long from, long to)
      throws SQLException {
    String sql =
        "SELECT DISTINCT epoch_us(bucket) FROM %s WHERE table_name = '%s' AND set_name = '%s' AND grain = '%s'"
            .formatted(RollupCatalog.REST, catalog.table(), kept.set().name(), grain);
    TreeSet<Long> all =
        known.get(
            sql,
            () -> {
              TreeSet<Long> starts = new TreeSet<>();
              for (String start : SqlRows.strings(connection, sql)) {
                starts.add(Long.parseLong(start));
              }
              return starts;
            });
    return all.subSet(from, to);
  }

  @Override
  public long size(StoredRollup kept) throws SQLException {
    String set = kept.set().name();
    TieredRows hours = tiered(set, Grain.HOUR);
    long inFiles = hours.files().stream().mapToLong(HistoryFile::rows).sum();
    List<String> counts = new ArrayList<>();
    for (String buckets :
        List.of(
            hours.of(file -> false).in(Dialect.DUCKDB), RollupCatalog.open(catalog.table(), set))) {
      counts.add("(SELECT count(*) FROM " + buckets + ")");
    }
    return inFiles + known.number(connection, "SELECT " + String.join(" + ", counts));
  }
}

package io.millrace.store.duckdb;

import io.millrace.store.duckdb.RollupPlanner.Extent;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.duckdb.DuckDBConnection;

/**
 * What a plan needs to know of the stored tables, as the transaction of one query sees them. All of
 * it is read from counts and from least and largest values that DuckDB keeps, so a plan costs the
 * same over an hour and over years.
 */
final class RollupFacts implements RollupPlanner.Facts {
  /** Flow and delay at their longest: how far before its arrival a record may count, at most. */
  static final long REACH = 2 * Grain.HOUR.micros();

  private final DuckDBConnection connection;
  private final RollupCatalog catalog;

  private RollupFacts(DuckDBConnection connection, RollupCatalog catalog) {
    this.connection = connection;
    this.catalog = catalog;
  }

  /** Plans in the transaction of the connection; empty where rows have to be scanned. */
  static Optional<RollupPlan> plan(
      DuckDBConnection connection, String table, RollupQuestion question) throws SQLException {
    RollupCatalog catalog = RollupCatalog.read(connection, table);
    List<RollupCatalog.Kept> able =
        catalog.sets().stream()
            .filter(kept -> kept.set().columns().containsAll(question.columns()))
            .toList();
    if (able.isEmpty()) {
      return Optional.empty();
    }
    RollupFacts facts = new RollupFacts(connection, catalog);
    return new RollupPlanner(facts.extent(able, question.accounting()), facts).plan(able, question);
  }

  /** Time of the newest row, microseconds; {@link Long#MIN_VALUE} if there is none. */
  static long newest(DuckDBConnection connection, String table) throws SQLException {
    return extreme(connection, "max", "greatest", rowTables(table), "time", Long.MIN_VALUE);
  }

  /** Time of the oldest row, microseconds; {@link Long#MAX_VALUE} if there is none. */
  static long oldest(DuckDBConnection connection, String table) throws SQLException {
    return extreme(connection, "min", "least", rowTables(table), "time", Long.MAX_VALUE);
  }

  /** Start of the oldest bucket of any set; {@link Long#MAX_VALUE} if there is none. */
  static long oldestBucket(DuckDBConnection connection, String table) throws SQLException {
    return oldestBucket(connection, table, RollupCatalog.read(connection, table).sets());
  }

  private static long oldestBucket(
      DuckDBConnection connection, String table, List<RollupCatalog.Kept> sets)
      throws SQLException {
    List<String> buckets = new ArrayList<>();
    for (RollupCatalog.Kept kept : sets) {
      buckets.add(RollupCatalog.stored(table, kept.set().name(), Grain.HOUR));
      buckets.add(RollupCatalog.open(table, kept.set().name()));
    }
    return buckets.isEmpty()
        ? Long.MAX_VALUE
        : extreme(connection, "min", "least", buckets, "bucket", Long.MAX_VALUE);
  }

  private Extent extent(List<RollupCatalog.Kept> sets, Accounting accounting) throws SQLException {
    long newest = newest(connection, catalog.table());
    long oldestRow = oldest(connection, catalog.table());
    for (RollupCatalog.Kept kept : sets) {
      newest = Math.max(newest, kept.newest());
    }
    long oldestBucket = oldestBucket(connection, catalog.table(), sets);
    if (oldestRow == Long.MAX_VALUE) {
      return new Extent(oldestBucket, newest, Long.MAX_VALUE);
    }
    long reach = accounting == Accounting.SPREAD ? REACH : 0;
    boolean rowsAreGone = hasArrivals(sets, oldestRow);
    return new Extent(
        Math.min(oldestRow - reach, oldestBucket),
        newest,
        rowsAreGone ? oldestRow + reach : Long.MIN_VALUE);
  }

  /** Whether rows were rolled up that arrived before any that is still there. */
  private boolean hasArrivals(List<RollupCatalog.Kept> sets, long oldestRow) throws SQLException {
    String set = sets.get(0).set().name();
    StringBuilder found = new StringBuilder();
    for (Grain grain : List.of(Grain.HOUR, Grain.MINUTE)) {
      found.append(
          "EXISTS (SELECT 1 FROM %s WHERE bucket < %s AND NOT spread) OR "
              .formatted(
                  RollupCatalog.stored(catalog.table(), set, grain),
                  RollupSql.time(grain.bucket(oldestRow))));
    }
    found.append(
        "EXISTS (SELECT 1 FROM %s WHERE bucket < %s AND NOT spread)"
            .formatted(
                RollupCatalog.open(catalog.table(), set),
                RollupSql.time(Grain.MINUTE.bucket(oldestRow))));
    return SqlRows.number(connection, "SELECT (" + found + ")::INTEGER") > 0;
  }

  private static List<String> rowTables(String table) {
    List<String> tables = new ArrayList<>();
    for (FlowPart part : FlowPart.values()) {
      tables.add(Catalog.raw(part.tableName(table)));
    }
    return tables;
  }

  private static long extreme(
      DuckDBConnection connection,
      String each,
      String all,
      List<String> tables,
      String column,
      long none)
      throws SQLException {
    List<String> values = new ArrayList<>();
    for (String table : tables) {
      values.add("(SELECT epoch_us(" + each + "(" + column + ")) FROM " + table + ")");
    }
    // The least of none is NULL, and least() skips it.
    return SqlRows.number(
        connection, "SELECT coalesce(%s(%s), %d)".formatted(all, String.join(", ", values), none));
  }

  /** Whether a bucket of the plan has dropped groups. */
  static boolean hasRest(DuckDBConnection connection, String table, RollupPlan plan)
      throws SQLException {
    for (RollupPlan.Piece piece : plan.pieces()) {
      boolean isKept =
          piece.source() != RollupPlan.Source.ROWS && piece.source() != RollupPlan.Source.OPEN;
      if (isKept
          && RollupCatalog.hasRest(
              connection,
              table,
              plan.kept().set().name(),
              piece.source().grain(),
              piece.from(),
              piece.to())) {
        return true;
      }
    }
    return false;
  }

  /** Whether a row has NULL in one of the columns. */
  static boolean hasNull(DuckDBConnection connection, String table, Set<String> columns)
      throws SQLException {
    for (String column : columns) {
      for (String rows : rowTables(table)) {
        String some =
            "SELECT 1 FROM " + rows + " WHERE " + Catalog.quoted(column) + " IS NULL LIMIT 1";
        if (SqlRows.number(connection, "SELECT count(*) FROM (" + some + ")") > 0) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public SortedSet<Long> dropped(RollupCatalog.Kept kept, Grain grain, long from, long to)
      throws SQLException {
    TreeSet<Long> starts = new TreeSet<>();
    for (String start :
        SqlRows.strings(
            connection,
            "SELECT DISTINCT epoch_us(bucket) FROM "
                + RollupCatalog.rest(catalog.table(), kept.set().name(), grain, from, to))) {
      starts.add(Long.parseLong(start));
    }
    return starts;
  }

  @Override
  public long size(RollupCatalog.Kept kept) throws SQLException {
    String set = kept.set().name();
    return SqlRows.number(
        connection,
        "SELECT (SELECT count(*) FROM %s) + (SELECT count(*) FROM %s)"
            .formatted(
                RollupCatalog.stored(catalog.table(), set, Grain.HOUR),
                RollupCatalog.open(catalog.table(), set)));
  }
}

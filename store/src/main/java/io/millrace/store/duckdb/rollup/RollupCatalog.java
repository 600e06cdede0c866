package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.history.TieredRows;
import io.millrace.store.duckdb.history.TieredTable;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.query.Relation;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupSet;
import io.millrace.store.rollup.StoredRollup;
import io.millrace.store.rollup.StoredRollup.Times;
import io.millrace.wire.block.Frontier;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.duckdb.DuckDBConnection;

/**
 * Stored rollups of a table of flows, as seen by one transaction. Buckets move between the stored
 * tables while queries run, so a query must read this in its own transaction.
 *
 * <p>For every set, let <em>c(g)</em> be the time up to which grain <em>g</em> is complete and
 * <em>f(g)</em> the time from which it is kept; c(day) ≤ c(hour) ≤ c(five) ≤ c(minute):
 *
 * <ul>
 *   <li>{@code open} has the sums of all rolled rows by minute, from c(hour) and f(minute) on;
 *   <li>{@code open_hour} has them by hour, from c(day) and f(day) to c(hour), including groups
 *       that the table of hours dropped;
 *   <li>the table of grain g has them in buckets from f(g) to c(g);
 *   <li>a group may have several rows in a bucket, which must be summed; groups whose sums are all
 *       zero are absent;
 *   <li>a row of flows is rolled if the set's frontier covers its log position.
 * </ul>
 *
 * <p>Rows with {@code spread = false} count records on arrival; all rows together prorate them over
 * the flows' durations. {@link #REST} has the sums of dropped groups, with {@code bound_…} in place
 * of the set's columns: a group that the bucket lacks has at most the sum of its bounds, whether
 * counted on arrival or prorated.
 *
 * @param table table of flows
 * @param sets stored sets, ordered by name
 */
public record RollupCatalog(String table, List<StoredRollup> sets) {
  static final String SETS = Catalog.raw("rollup__sets");

  static final String GRAINS = Catalog.raw("rollup__grains");

  static final String FRONTIERS = Catalog.raw("rollup__frontiers");

  /**
   * One row per set, grain and bucket that dropped groups: {@code table_name, set_name, grain,
   * bucket, spread}, the sums, and each sum's name with the prefix {@code bound_}.
   */
  public static final Relation RESTS = Catalog.stored("rollup__rest");

  /** {@link #RESTS} as SQL. */
  public static final String REST = Catalog.raw("rollup__rest");

  static final String VERSIONS = Catalog.raw("rollup__versions");

  static final String LATE = Catalog.raw("rollup__late");

  /** All tables of state; each has a column {@code table_name}. */
  public static final List<String> STATE =
      List.of(SETS, GRAINS, FRONTIERS, REST, VERSIONS, LATE, TieredTable.FILES, TieredRows.TABLES);

  /** Columns of sums in a stored rollup. */
  public static final List<String> SUMS =
      List.of("rows", "packets", "bytes", "scaled_packets", "scaled_bytes");

  /** Minus infinity: earlier than the time of any row. */
  public static final long ALWAYS = StoredRollup.ALWAYS;

  static void addToOpenHours(Statement statement, String table, StoredRollup kept, String hours)
      throws SQLException {
    Times days = kept.times().get(Grain.DAY);
    long from = Math.max(days.complete(), days.from());
    String open = from == ALWAYS ? "" : " WHERE bucket >= " + SqlTime.timestamp(from);
    statement.execute(
        "INSERT INTO %s FROM %s%s".formatted(openHours(table, kept.set().name()), hours, open));
  }

  /** Qualified names of the views of closed buckets of all grains. */
  public List<String> storedViews() {
    return sets.stream()
        .flatMap(
            kept -> Stream.of(Grain.values()).map(grain -> stored(table, kept.set().name(), grain)))
        .toList();
  }

  /** Qualified names of all stored tables of sums. */
  public List<String> stored() {
    return sets.stream()
        .flatMap(kept -> RollupTables.stored(table, kept.set().name()).stream())
        .toList();
  }

  /** Names of the views for users. */
  public List<String> views() {
    return sets.stream()
        .flatMap(kept -> RollupViews.names(table, kept.set().name()).stream())
        .toList();
  }

  /** Unqualified name of the view of all closed buckets of a grain. */
  public static String storedName(String table, String set, Grain grain) {
    return table + "__" + set + "_" + grain.label();
  }

  /** Qualified name of the view of all closed buckets of a grain. */
  public static String stored(String table, String set, Grain grain) {
    return Catalog.raw(storedName(table, set, grain));
  }

  /** Qualified name of the table of closed buckets that are not in files. */
  static String recent(String table, String set, Grain grain) {
    return Catalog.raw(TieredTable.recentName(storedName(table, set, grain)));
  }

  /** Qualified name of the table of open minutes. */
  public static String open(String table, String set) {
    return Catalog.raw(table + "__" + set + "_open");
  }

  /** Closed buckets of a grain; open minutes if no grain is given. */
  public static Relation buckets(String table, String set, Optional<Grain> grain) {
    return Catalog.stored(table + "__" + set + "_" + grain.map(Grain::label).orElse("open"));
  }

  static String openHours(String table, String set) {
    return Catalog.raw(table + "__" + set + "_open_hour");
  }

  static void raiseVersion(Statement statement, String table) throws SQLException {
    String which = " WHERE table_name = '" + table + "'";
    if (statement.executeUpdate("UPDATE " + VERSIONS + " SET version = version + 1" + which) == 0) {
      statement.execute("INSERT INTO " + VERSIONS + " VALUES ('" + table + "', 1)");
    }
  }

  /** Version of the rollups of a table, which each change that affects queries raises. */
  public static long version(DuckDBConnection connection, String table) throws SQLException {
    return SqlRows.number(
        connection,
        "SELECT coalesce(max(version), 0) FROM %s WHERE table_name = '%s'"
            .formatted(VERSIONS, table));
  }

  /** Reads the current state, in the transaction of the connection if it has one. */
  public static RollupCatalog read(DuckDBConnection connection, String table) throws SQLException {
    Map<String, RollupSet> sets = new LinkedHashMap<>();
    Map<String, Long> newest = new TreeMap<>();
    Map<String, Map<Integer, Long>> rolled = new TreeMap<>();
    Map<String, Map<Grain, Times>> times = new TreeMap<>();
    SqlRows.forEach(
        connection,
        of(SETS, "set_name, columns, newest_micros", table),
        row -> {
          String name = row.getString(1);
          sets.put(name, new RollupSet(name, List.of(row.getString(2).split(","))));
          newest.put(name, row.getLong(3));
          rolled.put(name, new TreeMap<>());
          times.put(name, new EnumMap<>(Grain.class));
        });
    SqlRows.forEach(
        connection,
        of(FRONTIERS, "set_name, log_partition, next_offset", table),
        row -> rolled.get(row.getString(1)).put(row.getInt(2), row.getLong(3)));
    SqlRows.forEach(
        connection,
        of(GRAINS, "set_name, grain, from_micros, complete_micros", table),
        row ->
            times
                .get(row.getString(1))
                .put(Grain.valueOf(row.getString(2)), new Times(row.getLong(3), row.getLong(4))));
    List<StoredRollup> kept = new ArrayList<>();
    sets.forEach(
        (name, set) ->
            kept.add(
                new StoredRollup(
                    set,
                    new Frontier(rolled.get(name)),
                    Map.copyOf(times.get(name)),
                    newest.get(name))));
    return new RollupCatalog(table, List.copyOf(kept));
  }

  private static String of(String state, String columns, String table) {
    return "SELECT %s FROM %s WHERE table_name = '%s' ORDER BY 1".formatted(columns, state, table);
  }

  /** Table and {@code WHERE} clause of the rows of {@link #REST} in a range of buckets. */
  public static String rest(String table, String set, Grain grain, long from, long to) {
    return "%s WHERE table_name = '%s' AND set_name = '%s' AND grain = '%s' AND bucket >= make_timestamp(%d::BIGINT) AND bucket < make_timestamp(%d::BIGINT)"
        .formatted(REST, table, set, grain, from, to);
  }

  /** Statements that create missing tables of state. */
  public static List<String> create() {
    StringBuilder sums = new StringBuilder();
    SUMS.forEach(sum -> sums.append(", ").append(Catalog.quoted(sum)).append(" HUGEINT"));
    SUMS.forEach(sum -> sums.append(", bound_").append(sum).append(" HUGEINT"));
    List<String> create = new ArrayList<>(TieredTable.create());
    create.addAll(
        List.of(
            "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, set_name VARCHAR, columns VARCHAR, newest_micros BIGINT)"
                .formatted(SETS),
            "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, set_name VARCHAR, grain VARCHAR, from_micros BIGINT, complete_micros BIGINT)"
                .formatted(GRAINS),
            "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, set_name VARCHAR, log_partition INTEGER, next_offset BIGINT)"
                .formatted(FRONTIERS),
            "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, set_name VARCHAR, grain VARCHAR, bucket TIMESTAMP, version BIGINT)"
                .formatted(LATE),
            "CREATE TABLE IF NOT EXISTS " + VERSIONS + "(table_name VARCHAR, version BIGINT)",
            "CREATE TABLE IF NOT EXISTS %s(table_name VARCHAR, set_name VARCHAR, grain VARCHAR, bucket TIMESTAMP, spread BOOLEAN%s)"
                .formatted(REST, sums)));
    return create;
  }
}

package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.sql.SqlRows;
import io.millrace.store.rollup.Grain;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.duckdb.DuckDBConnection;

/**
 * Closed buckets that late rows changed in the last {@value #KEPT_VERSIONS} versions, as seen by
 * one transaction.
 *
 * @param changed version of the last change of each bucket
 */
public record LateBuckets(Map<Bucket, Long> changed) {
  private static final long KEPT_VERSIONS = 1_000;

  /** A bucket of a set; {@code start} in microseconds since the epoch. */
  record Bucket(String set, Grain grain, long start) {}

  /** Reads the changed buckets of a table, in the transaction of the connection. */
  public static LateBuckets read(DuckDBConnection connection, String table) throws SQLException {
    Map<Bucket, Long> changed = new HashMap<>();
    SqlRows.forEach(
        connection,
        "SELECT set_name, grain, epoch_us(bucket), max(version) FROM %s WHERE table_name = '%s' GROUP BY ALL"
            .formatted(RollupCatalog.LATE, table),
        rows -> {
          changed.put(
              new Bucket(rows.getString(1), Grain.valueOf(rows.getString(2)), rows.getLong(3)),
              rows.getLong(4));
        });
    return new LateBuckets(changed);
  }

  static void add(Statement statement, String table, String set, Grain grain, String groups)
      throws SQLException {
    String version =
        "(SELECT coalesce(max(version), 0) FROM %s WHERE table_name = '%s')"
            .formatted(RollupCatalog.VERSIONS, table);
    statement.execute(
        "DELETE FROM %s WHERE table_name = '%s' AND version < %s - %d"
            .formatted(RollupCatalog.LATE, table, version, KEPT_VERSIONS));
    statement.execute(
        "INSERT INTO %s SELECT DISTINCT '%s', '%s', '%s', bucket, %s + 1 FROM %s"
            .formatted(RollupCatalog.LATE, table, set, grain, version, groups));
  }

  /**
   * Whether a bucket is the same in two versions.
   *
   * @param version the later version, which must be that of the transaction
   */
  public boolean isUnchanged(String set, Grain grain, long start, long before, long version) {
    return version - before < KEPT_VERSIONS
        && changed.getOrDefault(new Bucket(set, grain, start), Long.MIN_VALUE) <= before;
  }
}

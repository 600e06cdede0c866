package io.millrace.store.duckdb.sample;

import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.rollup.Grain;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The arithmetic of the sample in SQL.
 *
 * <p>A row of weight <em>w</em> for which <em>u</em> was drawn has the priority w / u. It is in the
 * sample of a bucket if its priority is above the bucket's threshold <em>t</em>, which happens with
 * the probability p = min(1, w / t). Weights are bytes and packets times the sampling rate; a row
 * is in the sample if it is chosen by either, and p is the greater one, since one draw serves both.
 */
public final class SampleSql {
  /** By how much a sampled row counts: 1 / p. */
  public static final String WEIGHT = "sample_weight";

  /** How probable it was that it is not sampled: 1 - p. */
  public static final String MISS = "sample_miss";

  static final String BYTES = "coalesce(bytes, 0)::DOUBLE * coalesce(sampling_rate, 1)";

  static final String PACKETS =
      "greatest(coalesce(packets, 0)::DOUBLE * coalesce(sampling_rate, 1), 1)";

  static final String DRAWN =
      "((hash(log_partition, log_offset, log_index)::DOUBLE + 1) / 18446744073709551616)::FLOAT";

  private SampleSql() {}

  /**
   * A SELECT of the sample of a grain: columns of the table of flows, {@link #WEIGHT}, {@link
   * #MISS}.
   *
   * @param tables in which its rows stand
   * @param columns as they are called in the table of flows
   */
  public static String rows(
      String table, Grain grain, List<SampleTables> tables, List<String> columns) {
    String list = columns.stream().map(Catalog::quoted).collect(Collectors.joining(", "));
    return "SELECT %s, 1 / p AS %s, 1 - p AS %s FROM (%s)"
        .formatted(
            list,
            WEIGHT,
            MISS,
            union(table, tables, each -> list + ", " + chance(each, grain) + " AS p", ""));
  }

  /** Whether rows of some tables have a duration: 1 or 0. */
  public static String hasRecords(String table, List<SampleTables> tables) {
    return tables.stream()
        .map(each -> "EXISTS (FROM " + each.stored(table) + " WHERE flow_end IS NOT NULL)")
        .collect(Collectors.joining(" OR ", "SELECT (", ")::INTEGER"));
  }

  /** Number of rows in the sample of a grain. */
  public static String count(String table, Grain grain) {
    return SampleTables.of(grain).stream()
        .map(each -> "(SELECT count(*) FROM " + each.stored(table) + ")")
        .collect(Collectors.joining(" + ", "SELECT ", ""));
  }

  /**
   * The most that a row which is not sampled may count, in a stretch of time: a SELECT of {@code
   * scaled_bytes}, {@code scaled_packets} and {@code rows}.
   */
  public static String largest(
      String table, Grain grain, List<SampleTables> tables, long from, long to) {
    String during = "time >= " + SqlTime.timestamp(from) + " AND time < " + SqlTime.timestamp(to);
    return "SELECT coalesce(max(b), 0) AS scaled_bytes, coalesce(max(p), 0) AS scaled_packets, coalesce(max(n), 0) AS \"rows\" FROM (%s)"
        .formatted(
            union(
                table,
                tables,
                each ->
                    "%1$s AS b, %2$s AS p, %2$s / greatest(coalesce(sampling_rate, 1), 1) AS n"
                        .formatted(
                            SampleTables.bytes(threshold(each, grain)),
                            SampleTables.packets(threshold(each, grain))),
                during));
  }

  private static String union(
      String table,
      List<SampleTables> tables,
      Function<SampleTables, String> columns,
      String where) {
    List<String> selects = new ArrayList<>();
    for (SampleTables each : tables) {
      selects.add(
          "SELECT %s FROM %s%s"
              .formatted(
                  columns.apply(each),
                  each.stored(table),
                  where.isEmpty() ? "" : " WHERE " + where));
    }
    return String.join(" UNION ALL ", selects);
  }

  private static Grain threshold(SampleTables rows, Grain grain) {
    return rows == SampleTables.OPEN ? Grain.MINUTE : grain;
  }

  static String chance(SampleTables rows, Grain grain) {
    Grain its = threshold(rows, grain);
    return "CASE WHEN %1$s >= %3$s OR %2$s >= %4$s THEN 1 ELSE greatest(%1$s / %3$s, %2$s / %4$s) END"
        .formatted("(" + BYTES + ")", PACKETS, SampleTables.bytes(its), SampleTables.packets(its));
  }
}

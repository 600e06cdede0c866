package io.millrace.store.duckdb.rollup;

import io.millrace.store.duckdb.offsets.LogRange;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.query.Dialect;
import io.millrace.store.query.Expr;
import io.millrace.store.query.ProratedRows;
import io.millrace.store.query.SqlType;
import io.millrace.store.rollup.Grain;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * SQL that aggregates rows. Buckets are numbers since the epoch until they are stored.
 *
 * <p>Sums have 64 bits. A record may claim 2⁴⁸ bytes at a sampling rate of 2³², so they can
 * overflow. DuckDB then fails instead of wrapping around, and the caller retries with {@link
 * #WIDE}, whose 128 bits hold 2⁴⁷ such rows.
 *
 * @param type SQL type of numbers and sums
 */
public record RollupSql(String type) {
  static final RollupSql NARROW = new RollupSql("BIGINT");
  static final RollupSql WIDE = new RollupSql("HUGEINT");

  private static final String MINUTE = Long.toString(Grain.MINUTE.micros());

  static String list(List<String> columns) {
    return list(columns, column -> column);
  }

  private static String list(List<String> columns, UnaryOperator<String> sql) {
    return String.join(", ", columns.stream().map(Catalog::quoted).map(sql).toList());
  }

  static String bucket(Grain grain, String time) {
    return grain == Grain.MINUTE
        ? time
        : "make_timestamp((epoch_us(%s) // %d) * %d)"
            .formatted(time, grain.micros(), grain.micros());
  }

  String sumsOfSums() {
    return String.join(
        ", ",
        RollupCatalog.SUMS.stream()
            .map(Catalog::quoted)
            .map(sum -> "sum(" + sum + ")::" + type + " AS " + sum)
            .toList());
  }

  static String isSomething(String alias) {
    return String.join(
        " OR ",
        RollupCatalog.SUMS.stream()
            .map(sum -> "coalesce(" + alias + "." + Catalog.quoted(sum) + ", 0) <> 0")
            .toList());
  }

  private String scaled(String column) {
    return Catalog.quoted(column) + "::" + type + " * coalesce(sampling_rate, 1)::" + type;
  }

  String arrivals(
      String table,
      FlowPart part,
      Map<FlowPart, FlowLayout> layouts,
      List<String> columns,
      String where,
      Grain grain,
      RollupExtent extent) {
    String rows = "count(*)";
    String packets = extent.isPackets() ? rows : sum("packets::" + type);
    String bytes = sum("bytes::" + type);
    String scaledPackets;
    String scaledBytes;
    if (extent.rate() > 0) { // the same for all rows
      scaledPackets = packets + " * " + extent.rate();
      scaledBytes = bytes + " * " + extent.rate();
    } else {
      scaledPackets = sum(scaled("packets"));
      scaledBytes = sum(scaled("bytes"));
    }
    boolean isOneBucket = extent.isOneBucket(grain);
    return "SELECT %s AS bucket, %s, false AS spread, %s AS \"rows\", %s AS packets, %s AS bytes, (%s)::%s AS scaled_packets, (%s)::%s AS scaled_bytes FROM %s WHERE %s GROUP BY %s%s"
        .formatted(
            isOneBucket
                ? grain.bucket(extent.oldest()) / grain.micros() + "::BIGINT"
                : "epoch_us(time) // " + grain.micros(),
            stored(layouts.get(part), layouts.get(FlowPart.RECORDS), columns),
            rows,
            packets,
            bytes,
            scaledPackets,
            type,
            scaledBytes,
            type,
            Catalog.raw(part.tableName(table)),
            where,
            isOneBucket ? "" : "bucket, ",
            list(columns));
  }

  /**
   * Groups of sealed sums that arrived during a piece. The piece begins and ends with a minute, or
   * has all rows.
   *
   * @param groups see {@link io.millrace.store.duckdb.sums.SealedSums.Shown#groups}
   */
  String sealed(
      String groups, FlowLayout layout, List<String> columns, Grain grain, RollupExtent piece) {
    return sealed(
        groups,
        layout,
        columns,
        "bucket // " + grain.micros() / Grain.MINUTE.micros(),
        "spread = 0 AND bucket BETWEEN %d AND %d"
            .formatted(
                Math.floorDiv(piece.oldest(), Grain.MINUTE.micros()),
                Math.floorDiv(piece.newest(), Grain.MINUTE.micros())));
  }

  /** Groups of sealed sums that prorate records over their durations. */
  String sealedSpread(String groups, FlowLayout layout, List<String> columns) {
    return "SELECT * FROM (%s) g WHERE %s"
        .formatted(sealed(groups, layout, columns, "bucket", "spread = 1"), isSomething("g"));
  }

  private String sealed(
      String groups, FlowLayout layout, List<String> columns, String bucket, String where) {
    List<String> typed =
        columns.stream()
            .map(column -> layout.columns().get(layout.place(column)))
            .map(
                column ->
                    "%s::%s AS %1$s".formatted(Catalog.quoted(column.name()), column.sqlType()))
            .toList();
    String dims = list(columns);
    return "SELECT bucket, %s, spread, %s FROM (SELECT %s AS bucket, %s, spread = 1 AS spread, %s FROM %s WHERE %s GROUP BY ALL)"
        .formatted(
            String.join(", ", typed),
            list(RollupCatalog.SUMS),
            bucket,
            dims,
            sumsOfSums(),
            groups,
            where);
  }

  private String sum(String of) {
    return "sum(" + of + ")::" + type;
  }

  static String timed(List<String> columns, Grain grain, String groups) {
    return "SELECT make_timestamp(bucket * %d) AS bucket, %s, spread, %s FROM %s"
        .formatted(grain.micros(), list(columns), list(RollupCatalog.SUMS), groups);
  }

  /** Columns of a part; NULL for those that it lacks. */
  private static String stored(FlowLayout part, FlowLayout whole, List<String> columns) {
    return list(
        columns,
        quoted -> {
          String column = quoted.substring(1, quoted.length() - 1);
          return part.place(column) >= 0
              ? quoted
              : "NULL::" + whole.columns().get(whole.place(column)).sqlType() + " AS " + quoted;
        });
  }

  String longRecords(String table, List<String> columns, LogRange range, RollupRules.Rule rule) {
    String known = "CASE WHEN isfinite(%s) AND %s >= '1970-01-01'::TIMESTAMP THEN epoch_us(%s) END";
    String times =
        "SELECT %s, epoch_us(time) AS t, %s AS fs, %s AS fe, packets::%s AS packets, bytes::%s AS bytes, %s AS scaled_packets, %s AS scaled_bytes FROM %s WHERE %s"
            .formatted(
                list(columns),
                known.replace("%s", "flow_start"),
                known.replace("%s", "flow_end"),
                type,
                type,
                scaled("packets"),
                scaled("bytes"),
                Catalog.raw(FlowPart.RECORDS.tableName(table)),
                range.sql());
    String bounded =
        "SELECT *, CASE WHEN fe <= t AND fe >= t - %d THEN fe ELSE t END AS e, CASE WHEN fe >= fs THEN least(fe - fs, %d) ELSE 0 END AS d FROM (%s)"
            .formatted(rule.delayMicros(), rule.flowMicros(), times);
    return "SELECT %s, t // %s AS arrived, e - d AS s, e, d, packets, bytes, scaled_packets, scaled_bytes FROM (%s) WHERE e - d < (t // %s) * %s"
        .formatted(list(columns), MINUTE, bounded, MINUTE, MINUTE);
  }

  String spread(String records, List<String> columns) {
    String minutes =
        "SELECT *, unnest(range(s // %s, last + 1)) AS bucket FROM (SELECT *, (CASE WHEN d > 0 THEN e - 1 ELSE e END) // %s AS last FROM %s)"
            .formatted(MINUTE, MINUTE, records);
    String within =
        "SELECT *, greatest(bucket * %s - s, 0) AS k0, least((bucket + 1) * %s - s, d) AS k1 FROM (%s)"
            .formatted(MINUTE, MINUTE, minutes);
    String parts =
        "SELECT bucket, %s, (bucket = last)::%s AS \"rows\", %s AS packets, %s AS bytes, %s AS scaled_packets, %s AS scaled_bytes FROM (%s)"
            .formatted(
                list(columns),
                type,
                part("packets"),
                part("bytes"),
                part("scaled_packets"),
                part("scaled_bytes"),
                within);
    String taken =
        "SELECT arrived, %s, -1::%s, -packets, -bytes, -scaled_packets, -scaled_bytes FROM %s"
            .formatted(list(columns), type, records);
    String groups =
        "SELECT bucket, %s, true AS spread, %s FROM (%s UNION ALL %s) GROUP BY bucket, %s"
            .formatted(list(columns), sumsOfSums(), parts, taken, list(columns));
    return "SELECT * FROM (" + groups + ") g WHERE " + isSomething("g");
  }

  /**
   * Cumulative share at the end of the minute minus that at its start; all of x for a record
   * without duration.
   */
  private String part(String x) {
    return ProratedRows.part(Expr.column(x), SqlType.valueOf(type)).in(Dialect.DUCKDB);
  }
}

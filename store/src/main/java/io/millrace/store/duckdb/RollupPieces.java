package io.millrace.store.duckdb;

import io.millrace.store.duckdb.RollupPlan.Piece;
import io.millrace.store.duckdb.RollupPlan.Source;
import io.millrace.store.rollup.RollupConfig.Accounting;
import io.millrace.wire.block.Frontier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A plan as SQL: the pieces under each other, all with the same columns.
 *
 * <p>These are {@code time} (start of the bucket, or the row's own), the columns of the set, the
 * {@linkplain RollupCatalog#SUMS sums}, and {@code edge}: 1 for what was a row.
 */
final class RollupPieces {
  /** 1 for a row, 0 for a sum of several. */
  static final String EDGE = "edge";

  /** Type of sums that are added up fast. */
  static final String DOUBLE = "DOUBLE";

  private static final String EXACT = "HUGEINT";

  private final String table;
  private final RollupPlan plan;
  private final List<String> columns;
  private final SpreadRows spread;

  private final String type;

  private RollupPieces(
      String table, RollupPlan plan, List<String> columns, SpreadRows spread, String type) {
    this.table = table;
    this.plan = plan;
    this.spread = spread;
    this.type = type;
    this.columns = columns.stream().map(column -> Catalog.quoted(column)).toList();
  }

  /**
   * Pieces whose sums are whole numbers, of 128 bits where need be.
   *
   * @param columns those of the set that are needed
   */
  static RollupPieces exact(String table, RollupPlan plan, List<String> columns) {
    return new RollupPieces(table, plan, columns, null, EXACT);
  }

  /**
   * Pieces whose sums are doubles, which are added up faster.
   *
   * @param columns those of the set that are needed
   * @param spread how rows are counted over their durations; null where they are not
   */
  static RollupPieces doubles(
      String table, RollupPlan plan, List<String> columns, SpreadRows spread) {
    return new RollupPieces(table, plan, columns, spread, DOUBLE);
  }

  /** A SELECT to stand in parentheses after FROM. */
  String select() {
    List<String> selects = new ArrayList<>();
    for (Piece piece : plan.pieces()) {
      if (piece.source() == Source.ROWS) {
        selects.addAll(rows(piece, ""));
      } else {
        selects.add(buckets(piece));
      }
    }
    for (Piece stretch : plan.rolled()) {
      for (String unrolled : unrolled(plan.kept().rolled())) {
        selects.addAll(rows(stretch, unrolled));
      }
    }
    return String.join(" UNION ALL ", selects);
  }

  private String buckets(Piece piece) {
    String set = plan.kept().set().name();
    String from =
        piece.source() == Source.OPEN
            ? RollupCatalog.open(table, set)
            : RollupCatalog.stored(table, set, piece.source().grain());
    return "SELECT bucket AS time%s%s, 0 AS %s FROM %s WHERE %s%s"
        .formatted(
            listed(columns),
            listed(RollupCatalog.SUMS.stream().map(this::stored).toList()),
            EDGE,
            from,
            between("bucket", piece.from(), piece.to()),
            accounted(plan.accounting()));
  }

  private String stored(String sum) {
    String quoted = Catalog.quoted(sum);
    return type.equals(EXACT) || sum.equals("rows")
        ? quoted
        : quoted + "::" + type + " AS " + quoted;
  }

  /** Which stored sums count. */
  static String accounted(Accounting accounting) {
    return accounting == Accounting.ARRIVAL ? " AND NOT spread" : "";
  }

  private List<String> rows(Piece piece, String condition) {
    if (spread != null) {
      return spread.selects(piece, columns, condition, ", 1 AS " + EDGE);
    }
    return List.of(
        "SELECT time%s, 1 AS \"rows\", packets%s AS packets, bytes%s AS bytes, %s AS scaled_packets, %s AS scaled_bytes, 1 AS %s FROM %s WHERE %s%s"
            .formatted(
                listed(columns),
                type.equals(EXACT) ? "" : "::" + type,
                type.equals(EXACT) ? "" : "::" + type,
                scaled("packets", type),
                scaled("bytes", type),
                EDGE,
                Catalog.rows(table),
                between("time", piece.from(), piece.to()),
                condition.isEmpty() ? "" : " AND " + condition));
  }

  /** A count times the sampling rate, in more than 64 bits: a record may claim anything. */
  static String scaled(String column, String type) {
    return column + "::" + type + " * coalesce(sampling_rate, 1)";
  }

  private static String listed(List<String> columns) {
    return columns.isEmpty() ? "" : ", " + String.join(", ", columns);
  }

  /** A condition on a time, the end exclusive. */
  static String between(String column, long from, long to) {
    return "%1$s >= %2$s AND %1$s < %3$s"
        .formatted(column, RollupSql.time(from), RollupSql.time(to));
  }

  /**
   * Conditions, each true of other rows, together of all that a frontier does not cover. Each can
   * be told of a whole row group by its least and largest values.
   */
  static List<String> unrolled(Frontier rolled) {
    TreeMap<Integer, Long> next = new TreeMap<>(rolled.next());
    if (next.isEmpty()) {
      return List.of("true");
    }
    long least = next.values().stream().mapToLong(Long::longValue).min().orElseThrow();
    StringBuilder behind = new StringBuilder("log_offset >= " + least + " AND CASE log_partition");
    List<String> conditions = new ArrayList<>();
    int expected = next.firstKey();
    for (Map.Entry<Integer, Long> partition : next.entrySet()) {
      behind.append(" WHEN ").append(partition.getKey());
      behind.append(" THEN log_offset >= ").append(partition.getValue());
      if (partition.getKey() > expected) {
        conditions.add(
            "log_partition >= " + expected + " AND log_partition < " + partition.getKey());
      }
      expected = partition.getKey() + 1;
    }
    conditions.add(behind + " ELSE false END");
    conditions.add("log_partition < " + next.firstKey());
    conditions.add("log_partition >= " + expected);
    return conditions;
  }
}

package io.millrace.store.duckdb.plan;

import io.millrace.store.duckdb.plan.RollupPlan.Piece;
import io.millrace.store.duckdb.plan.RollupPlan.Source;
import io.millrace.store.duckdb.rollup.RollupCatalog;
import io.millrace.store.duckdb.sample.SampleSql;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.StoredRows;
import io.millrace.store.duckdb.sql.SqlTime;
import io.millrace.store.rollup.RollupConfig.Accounting;
import io.millrace.wire.block.Frontier;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A plan as SQL: the pieces under each other, all with the same columns.
 *
 * <p>These are {@code time} (start of the bucket, or the row's own), the columns of the set, the
 * {@linkplain RollupCatalog#SUMS sums}, and {@code edge}: 1 for what was a row. Pieces of doubles
 * call the first {@link #PIECE}: where a row is cut, its part begins at another time than that at
 * which it arrived, and both may be asked for.
 */
public final class RollupPieces {
  /** 1 for a row, 0 for a sum of several. */
  public static final String EDGE = "edge";

  static final String DOUBLE = "DOUBLE";

  /** Start of the bucket or of the part of a row. */
  public static final String PIECE = "piece";

  private static final String EXACT = "HUGEINT";

  private static final String SAMPLE = "sampled";

  private static final List<String> SAMPLE_COLUMNS =
      List.of(
          "time",
          "flow_start",
          "flow_end",
          "packets",
          "bytes",
          "sampling_rate",
          "log_partition",
          "log_offset");

  private final String table;
  private final RollupPlan plan;
  private final StoredRows stored;
  private final List<String> columns;
  private final ProratedRows spread;
  private final String type;
  private final String which;

  private RollupPieces(
      String table,
      RollupPlan plan,
      StoredRows stored,
      List<String> columns,
      ProratedRows spread,
      String type,
      String which) {
    this.table = table;
    this.plan = plan;
    this.stored = stored;
    this.spread = spread;
    this.type = type;
    this.which = which;
    this.columns = columns;
  }

  /**
   * Pieces whose sums are whole numbers, of 128 bits where need be.
   *
   * @param stored rows that the transaction sees
   * @param columns those of the set that are needed
   * @param which a condition on the rows that are not rolled up; empty for all
   */
  public static RollupPieces exact(
      String table, RollupPlan plan, StoredRows stored, List<String> columns, String which) {
    return new RollupPieces(table, plan, stored, columns, null, EXACT, which);
  }

  /**
   * Pieces whose sums are doubles, which are added up faster.
   *
   * @param stored rows that the transaction sees
   * @param columns those of the set that are needed
   * @param spread how rows are counted over their durations; null where they are not
   */
  public static RollupPieces doubles(
      String table, RollupPlan plan, StoredRows stored, List<String> columns, ProratedRows spread) {
    return new RollupPieces(table, plan, stored, columns, spread, DOUBLE, "");
  }

  /** A SELECT to stand in parentheses after FROM. */
  public String select() {
    List<String> selects = new ArrayList<>(bucketSelects());
    selects.addAll(sampleSelects());
    selects.addAll(rowSelects());
    if (selects.isEmpty()) { // there is nothing, and it has columns
      selects.add(arrived(new Rows(FlowPart.PACKETS, "false"), plan.pieces().subList(0, 1)));
    }
    return String.join(" UNION ALL ", selects);
  }

  /** The same of what is in no whole bucket: open minutes and rows; empty if there is nothing. */
  public String loose() {
    List<Piece> open =
        plan.pieces().stream().filter(piece -> piece.source() == Source.OPEN).toList();
    List<String> selects = new ArrayList<>();
    if (!open.isEmpty()) {
      selects.add(buckets(Source.OPEN, open));
    }
    selects.addAll(rowSelects());
    return String.join(" UNION ALL ", selects);
  }

  /** The same of the buckets alone, of which there is at least one. */
  public String buckets() {
    return String.join(" UNION ALL ", bucketSelects());
  }

  private List<String> bucketSelects() {
    Map<Source, List<Piece>> buckets = new EnumMap<>(Source.class);
    for (Piece piece : plan.pieces()) {
      if (piece.source() != Source.ROWS) {
        buckets.computeIfAbsent(piece.source(), source -> new ArrayList<>()).add(piece);
      }
    }
    List<String> selects = new ArrayList<>();
    buckets.forEach((source, pieces) -> selects.add(buckets(source, pieces)));
    return selects;
  }

  private List<String> rowSelects() {
    List<String> selects = new ArrayList<>();
    Map<Rows, List<Piece>> arrivals = new LinkedHashMap<>();
    for (Piece piece : plan.pieces()) {
      if (piece.source() == Source.ROWS) {
        stored
            .parts()
            .forEach((part, rows) -> addRows(selects, arrivals, new Rows(part, ""), rows, piece));
      }
    }
    for (Piece stretch : plan.rolled()) {
      addUnrolled(selects, arrivals, plan.kept().rolled(), stretch);
    }
    if (plan.isSampled()) {
      addUnrolled(selects, arrivals, plan.sampled().rolled(), sampled());
    }
    arrivals.forEach((rows, pieces) -> selects.add(arrived(rows, pieces)));
    return selects;
  }

  private void addUnrolled(
      List<String> selects, Map<Rows, List<Piece>> arrivals, Frontier rolled, Piece stretch) {
    stored
        .parts()
        .forEach(
            (part, rows) ->
                stored
                    .unrolled(part, rolled)
                    .forEach(
                        unrolled ->
                            addRows(selects, arrivals, new Rows(part, unrolled), rows, stretch)));
  }

  private Piece sampled() {
    return new Piece(Source.ROWS, plan.sampled().from(), plan.sampled().to());
  }

  private List<String> sampleSelects() {
    if (!plan.isSampled()) {
      return List.of();
    }
    String times = " * " + SampleSql.WEIGHT;
    String dims =
        listed(columns.stream().map(Catalog::quoted).toList())
            + listed(List.of(SampleSql.WEIGHT, SampleSql.MISS));
    return spread == null || !plan.sampled().hasRecords()
        ? List.of(arrived(SAMPLE, times, dims, "", List.of(sampled())))
        : spread.selects(SAMPLE, times, sampled(), dims, "", ", 1 AS " + EDGE);
  }

  /**
   * What stands in front of the query of which these are pieces: the sampled rows, or nothing where
   * there are none. The few that fulfil a condition are read once.
   *
   * @param condition on stored columns, written {@code f."name"}; empty for none
   */
  public String with(String condition) {
    if (!plan.isSampled()) {
      return "";
    }
    List<String> needed = new ArrayList<>(columns);
    needed.addAll(SAMPLE_COLUMNS);
    long reach = spread == null ? 0 : spread.reachMicros();
    return "WITH %s AS %sMATERIALIZED (SELECT * FROM (%s) f WHERE %s%s) "
        .formatted(
            SAMPLE,
            condition.isEmpty() ? "NOT " : "",
            SampleSql.rows(
                table,
                plan.sampled().grain(),
                plan.sampled().tables(),
                needed.stream().distinct().toList()),
            between("time", plan.sampled().from(), plan.sampled().to() + reach),
            condition.isEmpty() ? "" : " AND " + condition);
  }

  private record Rows(FlowPart part, String condition) {}

  private void addRows(
      List<String> selects,
      Map<Rows, List<Piece>> arrivals,
      Rows which,
      StoredRows.Part rows,
      Piece stretch) {
    boolean isSpread = spread != null && which.part == FlowPart.RECORDS;
    long reach = isSpread ? spread.reachMicros() : 0;
    if (!rows.mayHave(stretch.from(), stretch.to() + reach)) {
      return;
    }
    if (isSpread) {
      selects.addAll(spread.selects(stretch, dims(which.part), which.condition, ", 1 AS " + EDGE));
    } else {
      arrivals.computeIfAbsent(which, any -> new ArrayList<>()).add(stretch);
    }
  }

  private String buckets(Source source, List<Piece> pieces) {
    String set = plan.kept().set().name();
    String from =
        source == Source.OPEN
            ? RollupCatalog.open(table, set)
            : RollupCatalog.stored(table, set, source.grain());
    return "SELECT bucket AS %s%s%s, 0 AS %s FROM %s WHERE (%s)%s"
        .formatted(
            start(),
            listed(columns.stream().map(Catalog::quoted).toList()),
            listed(RollupCatalog.SUMS.stream().map(this::sum).toList()),
            EDGE,
            from,
            within(pieces),
            accounted(plan.accounting()));
  }

  /** True of the buckets of some pieces of one source. */
  public static String within(List<Piece> pieces) {
    return within("bucket", pieces);
  }

  private static String within(String column, List<Piece> pieces) {
    return String.join(
        " OR ",
        pieces.stream()
            .map(piece -> "(" + between(column, piece.from(), piece.to()) + ")")
            .toList());
  }

  private String start() {
    return type.equals(EXACT) ? "time" : PIECE;
  }

  private String sum(String sum) {
    String quoted = Catalog.quoted(sum);
    return type.equals(EXACT) || sum.equals("rows")
        ? quoted
        : quoted + "::" + type + " AS " + quoted;
  }

  /** Which stored sums count. */
  public static String accounted(Accounting accounting) {
    return accounting == Accounting.ARRIVAL ? " AND NOT spread" : "";
  }

  private String arrived(Rows rows, List<Piece> pieces) {
    return arrived(
        Catalog.raw(rows.part.tableName(table)), "", dims(rows.part), rows.condition, pieces);
  }

  private String arrived(
      String rows, String times, String dims, String condition, List<Piece> pieces) {
    String cast = type.equals(EXACT) ? "" : "::" + type;
    return "SELECT time AS %s%s, 1%s AS \"rows\", packets%s AS packets, bytes%s AS bytes, %s AS scaled_packets, %s AS scaled_bytes, 1 AS %s FROM %s WHERE (%s)%s"
        .formatted(
            start(),
            dims,
            times,
            cast + times,
            cast + times,
            scaled("packets", type) + times,
            scaled("bytes", type) + times,
            EDGE,
            rows,
            within("time", pieces),
            (condition.isEmpty() ? "" : " AND " + condition)
                + (which.isEmpty() ? "" : " AND " + which));
  }

  private String dims(FlowPart part) {
    return listed(columns.stream().map(part::select).toList())
        + (plan.isSampled()
            ? listed(List.of("1 AS " + SampleSql.WEIGHT, "0::DOUBLE AS " + SampleSql.MISS))
            : "");
  }

  static String scaled(String column, String type) {
    return column + "::" + type + " * coalesce(sampling_rate, 1)";
  }

  private static String listed(List<String> columns) {
    return columns.isEmpty() ? "" : ", " + String.join(", ", columns);
  }

  static String between(String column, long from, long to) {
    return "%1$s >= %2$s AND %1$s < %3$s"
        .formatted(column, SqlTime.timestamp(from), SqlTime.timestamp(to));
  }
}

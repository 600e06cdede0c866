package io.millrace.store.duckdb.plan;

import io.millrace.store.duckdb.rollup.RollupCatalog;
import io.millrace.store.duckdb.sample.SampleSql;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.duckdb.snapshot.StoredRows;
import io.millrace.store.query.Constant;
import io.millrace.store.query.Expr;
import io.millrace.store.query.Pieces;
import io.millrace.store.query.ProratedRows;
import io.millrace.store.query.Relation;
import io.millrace.store.query.RollupPlan;
import io.millrace.store.query.RollupPlan.Piece;
import io.millrace.store.query.RollupPlan.Source;
import io.millrace.store.query.Select;
import io.millrace.store.query.Sql;
import io.millrace.store.query.SqlType;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import io.millrace.wire.block.Frontier;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A plan as SQL: {@link Pieces} of all its sources.
 *
 * <p>In exact pieces the first column is {@code time}. In pieces of doubles it has another name:
 * the part of a prorated row begins at another time than its arrival, and queries may use both.
 */
public final class RollupPieces {
  private static final Relation SAMPLE = Relation.table("sampled");

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
  private final Map<Source, Relation> buckets;
  private final StoredRows stored;
  private final List<String> columns;
  private final ProratedRows spread;
  private final Function<FlowPart, List<Expr>> addresses;
  private final boolean isExact;
  private final boolean isCommitted;

  private RollupPieces(
      RollupFacts facts,
      RollupPlan plan,
      List<String> columns,
      ProratedRows spread,
      Function<FlowPart, List<Expr>> addresses,
      boolean isExact,
      boolean isCommitted)
      throws SQLException {
    table = facts.table();
    this.plan = plan;
    stored = facts.rows();
    buckets = new EnumMap<>(Source.class);
    for (Map.Entry<Source, List<Piece>> its : bySource(plan.pieces()).entrySet()) {
      Source source = its.getKey();
      Optional<Grain> grain =
          source == Source.OPEN ? Optional.empty() : Optional.of(source.grain());
      buckets.put(source, facts.buckets(plan.kept(), grain, its.getValue()));
    }
    this.spread = spread;
    this.addresses = addresses;
    this.isExact = isExact;
    this.isCommitted = isCommitted;
    this.columns = columns;
  }

  /**
   * Pieces whose sums are integers, of 128 bits if necessary.
   *
   * @param facts facts of the transaction
   * @param columns columns of the set that are needed
   * @param isCommitted whether to read only committed rows
   */
  public static RollupPieces exact(
      RollupFacts facts, RollupPlan plan, List<String> columns, boolean isCommitted)
      throws SQLException {
    return new RollupPieces(
        facts, plan, columns, null, part -> List.of(Constant.TRUE), true, isCommitted);
  }

  /**
   * Pieces whose sums are doubles, which are added faster.
   *
   * @param facts facts of the transaction
   * @param columns columns of the set that are needed
   * @param spread how rows are prorated over their durations; null if they are not
   * @param addresses conditions on the addresses of rows in files, of which each row of the query's
   *     filter meets exactly one
   */
  public static RollupPieces doubles(
      RollupFacts facts,
      RollupPlan plan,
      List<String> columns,
      ProratedRows spread,
      Function<FlowPart, List<Expr>> addresses)
      throws SQLException {
    return new RollupPieces(facts, plan, columns, spread, addresses, false, false);
  }

  /** All pieces. */
  public Relation select() {
    List<Relation> selects = new ArrayList<>(bucketSelects(plan.pieces()));
    selects.addAll(sampleSelects());
    selects.addAll(rowSelects());
    if (selects.isEmpty()) { // an empty relation with all columns
      Rows none = new Rows(FlowPart.PACKETS, Constant.FALSE);
      selects.add(arrived(none, plan.pieces().subList(0, 1)));
    }
    return Relation.union(selects);
  }

  /** Pieces outside of whole buckets: open minutes and rows. */
  public Optional<Relation> loose() {
    List<Relation> selects =
        new ArrayList<>(
            bucketSelects(
                plan.pieces().stream().filter(piece -> piece.source() == Source.OPEN).toList()));
    selects.addAll(rowSelects());
    return selects.isEmpty() ? Optional.empty() : Optional.of(Relation.union(selects));
  }

  /** Selects the files that may have rows which {@link #select} reads. */
  public Predicate<RowExtent> files() {
    long reach = spread == null ? 0 : spread.reachMicros();
    List<Predicate<RowExtent>> any = new ArrayList<>();
    for (Piece piece : plan.pieces()) {
      if (piece.source() == Source.ROWS) {
        any.add(during(piece, reach));
      }
    }
    for (Piece piece : plan.rolled()) {
      any.add(during(piece, reach).and(stored.unrolled(plan.kept().rolled())));
    }
    if (plan.isSampled()) {
      any.add(during(sampled(), reach).and(stored.unrolled(plan.sampled().rolled())));
    }
    return any.stream().reduce(extent -> false, Predicate::or);
  }

  private static Predicate<RowExtent> during(Piece piece, long reach) {
    return extent -> extent.mayHave(piece.from(), piece.to() + reach);
  }

  /** The buckets; there must be at least one. */
  public Relation buckets() {
    return Relation.union(bucketSelects(plan.pieces()));
  }

  private static Map<Source, List<Piece>> bySource(List<Piece> pieces) {
    Map<Source, List<Piece>> bySource = new EnumMap<>(Source.class);
    for (Piece piece : pieces) {
      if (piece.source() != Source.ROWS) {
        bySource.computeIfAbsent(piece.source(), source -> new ArrayList<>()).add(piece);
      }
    }
    return bySource;
  }

  private List<Relation> bucketSelects(List<Piece> pieces) {
    List<Relation> selects = new ArrayList<>();
    bySource(pieces).forEach((source, its) -> selects.add(buckets(source, its)));
    return selects;
  }

  private List<Relation> rowSelects() {
    List<Relation> selects = new ArrayList<>();
    Map<Rows, List<Piece>> arrivals = new LinkedHashMap<>();
    for (Piece piece : plan.pieces()) {
      if (piece.source() == Source.ROWS) {
        stored
            .parts()
            .forEach(
                (part, rows) ->
                    addresses
                        .apply(part)
                        .forEach(
                            condition ->
                                addRows(
                                    selects, arrivals, new Rows(part, condition), rows, piece)));
      }
    }
    for (Piece piece : plan.rolled()) {
      addUnrolled(selects, arrivals, plan.kept().rolled(), piece);
    }
    if (plan.isSampled()) {
      addUnrolled(selects, arrivals, plan.sampled().rolled(), sampled());
    }
    arrivals.forEach((rows, pieces) -> selects.add(arrived(rows, pieces)));
    return selects;
  }

  private void addUnrolled(
      List<Relation> selects, Map<Rows, List<Piece>> arrivals, Frontier rolled, Piece piece) {
    stored
        .parts()
        .forEach(
            (part, rows) ->
                stored
                    .unrolled(part, rolled)
                    .forEach(
                        unrolled -> {
                          Expr isUnrolled = Expr.rendered("(" + unrolled + ")");
                          for (Expr condition : addresses.apply(part)) {
                            Rows its = new Rows(part, Expr.all(isUnrolled, condition));
                            addRows(selects, arrivals, its, rows, piece);
                          }
                        }));
  }

  private Piece sampled() {
    return new Piece(Source.ROWS, plan.sampled().from(), plan.sampled().to());
  }

  private List<Relation> sampleSelects() {
    if (!plan.isSampled()) {
      return List.of();
    }
    Expr weight = Expr.column(Pieces.WEIGHT);
    List<Sql> dims =
        Expr.list(Expr.columns("", columns), List.of(weight, Expr.column(Pieces.MISS)));
    Piece all = sampled();
    return spread == null || !plan.sampled().hasRecords()
        ? List.of(ProratedRows.arrived(SAMPLE, weight, dims, within("time", List.of(all))))
        : spread.selects(SAMPLE, weight, all.from(), all.to(), dims, Constant.TRUE);
  }

  /**
   * The sampled rows, as a CTE that the other pieces use; empty without sampling. The few rows that
   * match the condition are read once.
   *
   * @param condition condition on stored columns of {@code f}
   */
  public List<Relation.With> with(Expr condition) {
    if (!plan.isSampled()) {
      return List.of();
    }
    List<String> needed = new ArrayList<>(columns);
    needed.addAll(SAMPLE_COLUMNS);
    long reach = spread == null ? 0 : spread.reachMicros();
    Piece all = sampled();
    Relation rows = SampleSql.rows(table, plan.sampled(), needed.stream().distinct().toList());
    return List.of(
        new Relation.With(
            "sampled",
            !condition.equals(Constant.TRUE),
            Select.of(Select.ALL)
                .from(rows, "f")
                .where(Expr.column("time").during(all.from(), all.to() + reach))
                .where(condition)));
  }

  private record Rows(FlowPart part, Expr condition) {}

  private void addRows(
      List<Relation> selects,
      Map<Rows, List<Piece>> arrivals,
      Rows which,
      RowExtent rows,
      Piece piece) {
    boolean isSpread = spread != null && which.part == FlowPart.RECORDS;
    long reach = isSpread ? spread.reachMicros() : 0;
    if (!rows.mayHave(piece.from(), piece.to() + reach)) {
      return;
    }
    if (isSpread) {
      selects.addAll(
          spread.selects(
              Catalog.stored(which.part.tableName(table)),
              Constant.ONE,
              piece.from(),
              piece.to(),
              dims(which.part),
              which.condition));
    } else {
      arrivals.computeIfAbsent(which, any -> new ArrayList<>()).add(piece);
    }
  }

  private Relation buckets(Source source, List<Piece> pieces) {
    List<Sql> sums = new ArrayList<>();
    for (String name : RollupCatalog.SUMS) {
      Expr sum = Expr.column(name);
      sums.add(isExact || name.equals("rows") ? sum : sum.cast(SqlType.DOUBLE).named(name));
    }
    sums.add(Constant.ZERO.named(Pieces.EDGE));
    return Select.of(
            Expr.list(
                List.of(Expr.column("bucket").named(isExact ? "time" : Pieces.PIECE)),
                Expr.columns("", columns),
                sums))
        .from(buckets.get(source))
        .where(within(pieces))
        .where(accounted(plan.accounting()));
  }

  /** Condition that a bucket is in some pieces. */
  public static Expr within(List<Piece> pieces) {
    return within("bucket", pieces);
  }

  private static Expr within(String column, List<Piece> pieces) {
    return Expr.any(
        pieces.stream()
            .map(piece -> Expr.column(column).during(piece.from(), piece.to()))
            .toList());
  }

  /** Condition that selects stored sums by accounting. */
  public static Expr accounted(Accounting accounting) {
    return accounting == Accounting.ARRIVAL ? Expr.rendered("NOT spread") : Constant.TRUE;
  }

  private Relation arrived(Rows rows, List<Piece> pieces) {
    String name = rows.part.tableName(table);
    Relation from = Catalog.stored(isCommitted ? Catalog.committed(name) : name);
    Expr condition = Expr.all(within("time", pieces), rows.condition);
    return isExact
        ? exact(from, condition, rows.part)
        : ProratedRows.arrived(from, Constant.ONE, dims(rows.part), condition);
  }

  private Relation exact(Relation from, Expr condition, FlowPart part) {
    List<Sql> sums =
        List.of(
            Constant.ONE.named("rows"),
            Expr.column("packets"),
            Expr.column("bytes"),
            ProratedRows.scaled("packets", SqlType.HUGEINT).named("scaled_packets"),
            ProratedRows.scaled("bytes", SqlType.HUGEINT).named("scaled_bytes"),
            Constant.ONE.named(Pieces.EDGE));
    return Select.of(Expr.list(List.of(Expr.column("time")), dims(part), sums))
        .from(from)
        .where(condition);
  }

  private List<Sql> dims(FlowPart part) {
    List<Sql> dims = new ArrayList<>(columns.stream().map(part::select).toList());
    if (plan.isSampled()) {
      dims.add(Constant.ONE.named(Pieces.WEIGHT));
      dims.add(Constant.ZERO.cast(SqlType.DOUBLE).named(Pieces.MISS));
    }
    return dims;
  }
}

package io.millrace.store.duckdb.top;

import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.FlowSchema;
import io.millrace.store.duckdb.offsets.CoveredRows;
import io.millrace.store.duckdb.plan.RollupFacts;
import io.millrace.store.duckdb.plan.RollupPieces;
import io.millrace.store.duckdb.rollup.RollupCatalog;
import io.millrace.store.duckdb.rollup.RollupRules;
import io.millrace.store.duckdb.sample.SampleSql;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowLayout;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ReportedColumn;
import io.millrace.store.duckdb.schema.ReportedKey;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.duckdb.snapshot.RowExtent;
import io.millrace.store.filter.Filter;
import io.millrace.store.query.Constant;
import io.millrace.store.query.Dialect;
import io.millrace.store.query.Expr;
import io.millrace.store.query.FilterSql;
import io.millrace.store.query.GroupKeys;
import io.millrace.store.query.GroupSql;
import io.millrace.store.query.Pieces;
import io.millrace.store.query.ProratedRows;
import io.millrace.store.query.Relation;
import io.millrace.store.query.RollupPlan;
import io.millrace.store.query.RollupPlan.Piece;
import io.millrace.store.query.RollupPlan.Source;
import io.millrace.store.query.Select;
import io.millrace.store.query.Sql;
import io.millrace.store.query.SqlType;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One direction of a query: grouping columns and filter.
 *
 * @param table table of flows
 * @param columns columns that render a group as text
 * @param used stored columns that are read
 * @param filter filter on the stored rows; empty for a snapshot
 * @param ofRows filter on rows of a snapshot, for which {@link #sql} has no filter
 */
record Direction(
    String table,
    List<ViewColumn> columns,
    GroupSql sql,
    Set<String> used,
    Optional<Filter> filter,
    Expr ofRows) {
  /** Columns whose values in pieces are not those of rows. */
  private static final Set<String> SUMS = Set.of("bytes", "packets");

  private static final FilterSql FILTERS = new FilterSql(Catalog.names(), ReportedColumn::ofRow);

  static Direction of(
      FlowView view,
      FlowSchema schema,
      List<ViewColumn> columns,
      Optional<Filter> filter,
      Measure measure) {
    Expr condition = filter.map(FILTERS::where).orElse(Constant.TRUE);
    Set<String> grouped = new LinkedHashSet<>();
    columns.forEach(column -> grouped.addAll(column.stored()));
    Set<String> used = new LinkedHashSet<>(ReportedKey.stored(grouped));
    used.addAll(Expr.columnsIn(condition, "f"));
    FlowLayout layout = FlowLayout.of(FlowPart.RECORDS, schema);
    GroupKeys keys =
        new GroupKeys(
            grouped.stream().map(name -> new GroupKeys.Column(name, type(name, layout))).toList());
    return new Direction(
        view.table(), columns, new GroupSql(keys, condition, measure), used, filter, Constant.TRUE);
  }

  /** The direction for a snapshot, whose filter is a condition on its rows. */
  static Direction of(
      FlowView view,
      FlowSchema schema,
      List<ViewColumn> columns,
      Optional<Filter> filter,
      Measure measure,
      Optional<SnapshotRows> snapshot) {
    if (snapshot.isEmpty()) {
      return of(view, schema, columns, filter, measure);
    }
    Direction all = of(view, schema, columns, Optional.empty(), measure);
    for (GroupKeys.Column key : all.sql.keys().columns()) {
      if (ReportedKey.is(key.name())) {
        throw snapshot.get().notThere(columns.get(0).name());
      }
      if (SUMS.contains(key.name())) {
        throw new IllegalArgumentException(
            key.name() + ": " + snapshot.get().engine().name() + " cannot group by it");
      }
    }
    Expr condition = filter.map(snapshot.get()::where).orElse(Constant.TRUE);
    return new Direction(all.table, columns, all.sql, all.used, Optional.empty(), condition);
  }

  /**
   * Rows of a snapshot, as pieces.
   *
   * @param plan plan that reads only rows
   */
  Pieces rows(SnapshotRows snapshot, RollupPlan plan, RollupFacts facts, long bucketMicros)
      throws SQLException {
    List<Sql> kept = List.copyOf(Expr.columns("", sql.keys().names()));
    Optional<ProratedRows> spread = spread(plan, facts, bucketMicros);
    Expr arrived = Expr.column("time").during(plan.from(), plan.to());
    Relation rows =
        spread.isEmpty()
            ? ProratedRows.arrived(snapshot.rows(), Constant.ONE, kept, Expr.all(arrived, ofRows))
            : Relation.union(
                spread
                    .get()
                    .selects(snapshot.rows(), Constant.ONE, plan.from(), plan.to(), kept, ofRows));
    return Pieces.of(rows);
  }

  private static SqlType type(String grouped, FlowLayout layout) {
    return ReportedKey.is(grouped)
        ? ReportedKey.SQL_TYPE
        : SqlType.valueOf(layout.columns().get(layout.place(grouped)).sqlType());
  }

  boolean isPlain() {
    return sql.condition().equals(Constant.TRUE);
  }

  boolean hasReportedKeys() {
    return sql.keys().names().stream().anyMatch(ReportedKey::is);
  }

  boolean isReported() {
    return hasReportedKeys() || ReportedColumn.isIn(sql.condition().in(Dialect.DUCKDB));
  }

  boolean isWholeSet(RollupPlan plan) {
    return sql.keys().names().containsAll(plan.kept().set().columns());
  }

  RollupPieces sources(RollupPlan plan, RollupFacts facts, long bucketMicros) throws SQLException {
    ProratedRows spread = spread(plan, facts, bucketMicros).orElse(null);
    return RollupPieces.doubles(facts, plan, List.copyOf(used), spread, this::addresses);
  }

  private List<Expr> addresses(FlowPart part) {
    return filter
        .map(its -> FilterSql.addresses(its, part::storedAddress))
        .orElse(List.of(Constant.TRUE));
  }

  private static Optional<ProratedRows> spread(
      RollupPlan plan, RollupFacts facts, long bucketMicros) throws SQLException {
    List<RollupRules.Rule> rules = facts.rules();
    return plan.accounting() == Accounting.ARRIVAL || rules.isEmpty()
        ? Optional.empty()
        : Optional.of(prorated(rules, bucketMicros));
  }

  Predicate<RowExtent> files(RollupPlan plan, RollupFacts facts) throws SQLException {
    return sources(plan, facts, 0).files();
  }

  private static ProratedRows prorated(List<RollupRules.Rule> rules, long bucketMicros) {
    Expr flow = Constant.ZERO;
    Expr delay = Constant.ZERO;
    long reach = 0;
    for (RollupRules.Rule rule : rules) {
      boolean isFirst = reach == 0;
      Expr isEarlier = Expr.rendered(CoveredRows.covers(rule.start(), "log_offset"));
      Expr itsFlow = Expr.number(rule.flowMicros());
      Expr itsDelay = Expr.number(rule.delayMicros());
      flow = isFirst ? itsFlow : Expr.choose(isEarlier, flow, itsFlow);
      delay = isFirst ? itsDelay : Expr.choose(isEarlier, delay, itsDelay);
      reach = Math.max(reach, rule.flowMicros() + rule.delayMicros());
    }
    return new ProratedRows(flow, delay, reach, bucketMicros);
  }

  Pieces pieces(RollupPlan plan, RollupFacts facts, long bucketMicros) throws SQLException {
    RollupPieces sources = sources(plan, facts, bucketMicros);
    boolean hasRest = facts.hasRest(plan);
    boolean isWholeSet = hasRest && isWholeSet(plan);
    return new Pieces(
        sources.with(sql.condition()),
        reported(sources.select()),
        isWholeSet ? reported(sources.buckets()) : null,
        hasRest ? dropped(plan) : null,
        isWholeSet,
        plan.isSampled() ? largest(plan) : null);
  }

  Relation reported(Relation rows) {
    return ReportedKey.with(rows, sql.keys().names());
  }

  Relation largest(RollupPlan plan) {
    return SampleSql.largest(table, plan.sampled(), sql.measure().scaled());
  }

  Relation dropped(RollupPlan plan) {
    Map<Source, List<Piece>> kept = new EnumMap<>(Source.class);
    for (Piece piece : plan.pieces()) {
      if (CachedBuckets.isHeld(piece.source())) {
        kept.computeIfAbsent(piece.source(), source -> new ArrayList<>()).add(piece);
      }
    }
    List<Expr> buckets = new ArrayList<>();
    kept.forEach(
        (source, its) ->
            buckets.add(
                Expr.all(
                    Expr.column("grain").is("=", Expr.text(source.grain().name())),
                    RollupPieces.within(its))));
    return Select.of(
            Expr.column("bucket"),
            Expr.sum(Expr.column(sql.measure().scaled())).named("volume"),
            Expr.sum(Expr.column(sql.measure().bound())).named("bound"))
        .from(RollupCatalog.RESTS)
        .where(Expr.column("table_name").is("=", Expr.text(table)))
        .where(Expr.column("set_name").is("=", Expr.text(plan.kept().set().name())))
        .where(Expr.any(buckets))
        .where(RollupPieces.accounted(plan.accounting()))
        .groupBy(1);
  }

  Relation texts(List<long[]> groups) {
    List<String> stored = sql.keys().names();
    List<String> names = new ArrayList<>(sql.aliases());
    names.add("place");
    List<Sql> items = new ArrayList<>();
    List<Expr> known = new ArrayList<>();
    Select select = Select.of().from(sql.keys().values(groups).as("top", names));
    for (ViewColumn column : columns) {
      List<Expr> values =
          column.stored().stream()
              .map(name -> Expr.column("top", "s" + stored.indexOf(name)))
              .toList();
      String alias = "n" + items.size();
      if (column.nameOf() >= 0) {
        Expr id = values.get(column.nameOf());
        Expr named = Expr.column(alias, "id");
        select = select.leftJoin(Catalog.names().as(alias), named.is("=", id));
        known.add(Expr.any(List.of(id.isNull(), named.isNotNull())));
      }
      items.add(column.readable(values, Expr.column(alias, "name")).cast(SqlType.VARCHAR));
    }
    items.add(Expr.all(known));
    return select.items(items).orderBy(List.of(Expr.column("top", "place")));
  }
}

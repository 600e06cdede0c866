package io.millrace.store.duckdb.top;

import io.millrace.store.TopRequest;
import io.millrace.store.duckdb.plan.ProratedRows;
import io.millrace.store.duckdb.plan.RollupPieces;
import io.millrace.store.duckdb.plan.RollupPlan;
import io.millrace.store.duckdb.rollup.RollupRules;
import io.millrace.store.duckdb.schema.Catalog;
import io.millrace.store.duckdb.schema.FlowView;
import io.millrace.store.duckdb.schema.ReportedKey;
import io.millrace.store.duckdb.schema.ViewColumn;
import io.millrace.store.duckdb.snapshot.StoredRows;
import io.millrace.store.rollup.Grain;
import io.millrace.store.rollup.RollupConfig.Accounting;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The largest groups in SQL: grouped by what is stored, made readable when few are left.
 *
 * <p>Volume is summed as {@code DOUBLE}: bytes times sampling rate may pass 64 bits in a long
 * table, and is an estimate to begin with.
 */
final class TopSql {
  private static final Pattern STORED_COLUMN = Pattern.compile("\\bf\\.\"([^\"]+)\"");

  private static final int HASH_PARTS = 4_096;

  private final String table;
  private final List<ViewColumn> columns;
  private final TopRequest request;
  private final String condition;
  private final MeasureSums counted;
  private String candidates = "";
  private final Set<String> grouped = new LinkedHashSet<>();
  private final Set<String> used = new LinkedHashSet<>();

  TopSql(String table, List<ViewColumn> columns, TopRequest request) {
    this(table, columns, request, "");
  }

  TopSql(String table, List<ViewColumn> columns, TopRequest request, String condition) {
    this.table = table;
    this.columns = columns;
    this.request = request;
    this.condition = condition;
    counted = MeasureSums.of(request.by());
    columns.forEach(column -> grouped.addAll(column.stored()));
    used.addAll(ReportedKey.stored(grouped));
    used.addAll(columnsIn(condition));
  }

  void groupOnly(GroupKeys keys, List<long[]> groups) {
    List<String> same = new ArrayList<>();
    for (String column : grouped) {
      same.add("f.%s IS NOT DISTINCT FROM c.s%d".formatted(Catalog.quoted(column), same.size()));
    }
    candidates =
        " SEMI JOIN (%s) AS c(%s, place) ON %s"
            .formatted(
                keys.values(groups), String.join(", ", aliases()), String.join(" AND ", same));
  }

  static Set<String> columnsIn(String condition) {
    Set<String> columns = new LinkedHashSet<>();
    Matcher matcher = STORED_COLUMN.matcher(condition);
    while (matcher.find()) {
      columns.add(matcher.group(1));
    }
    return columns;
  }

  Set<String> usedColumns() {
    return used;
  }

  String of(RollupPlan plan, StoredRows stored, List<RollupRules.Rule> rules, boolean hasRest) {
    RollupPieces pieces = pieces(plan, stored, rules);
    return "%s f AS NOT MATERIALIZED (%s), top AS MATERIALIZED (SELECT * FROM (%s) AS g ORDER BY %s LIMIT %d), t AS (%s)%s%s %s"
        .formatted(
            with(pieces),
            ReportedKey.with(pieces.select(), grouped),
            request.p95() ? percentiles(plan) : groups(plan.isSampled()),
            rank("g"),
            request.n(),
            totals(plan.isSampled()),
            hasRest ? rest(plan, pieces) : "",
            plan.isSampled() ? ", w AS (" + counted.largest(table, plan) + ")" : "",
            readable(plan, hasRest));
  }

  String largest(RollupPlan plan, StoredRows stored, List<RollupRules.Rule> rules, GroupKeys keys) {
    List<GroupKeys.Column> aliased = new ArrayList<>();
    for (GroupKeys.Column column : keys.columns()) {
      aliased.add(new GroupKeys.Column("s" + aliased.size(), column.sqlType()));
    }
    RollupPieces pieces = pieces(plan, stored, rules);
    return "%s f AS NOT MATERIALIZED (%s) SELECT %s FROM (%s) AS g ORDER BY %s LIMIT %d"
        .formatted(
            with(pieces),
            ReportedKey.with(pieces.select(), grouped),
            new GroupKeys(aliased).select(),
            groups(false),
            rank("g"),
            request.n());
  }

  private String with(RollupPieces pieces) {
    String sample = pieces.with(condition);
    return sample.isEmpty() ? "WITH" : sample + ", ";
  }

  private RollupPieces pieces(RollupPlan plan, StoredRows stored, List<RollupRules.Rule> rules) {
    ProratedRows spread =
        plan.accounting() == Accounting.ARRIVAL || rules.isEmpty()
            ? null
            : new ProratedRows(table, rules, request.p95() ? Grain.FIVE.micros() : 0);
    return RollupPieces.doubles(table, plan, stored, List.copyOf(used), spread);
  }

  TopRequest.Measure measure() {
    return request.by();
  }

  List<String> groupedColumns() {
    return List.copyOf(grouped);
  }

  boolean isPlain() {
    return condition.isEmpty() && !request.p95() && grouped.stream().noneMatch(ReportedKey::is);
  }

  String loose(RollupPlan plan, StoredRows stored, List<RollupRules.Rule> rules, GroupKeys keys) {
    String pieces = pieces(plan, stored, rules).loose();
    return pieces.isEmpty() ? "" : loose("(" + pieces + ")", keys);
  }

  private String loose(String from, GroupKeys keys) {
    return "SELECT %s, volume, flows, unscaled, edges FROM (SELECT %s, coalesce(sum(%3$s), 0)::DOUBLE AS volume, coalesce(sum(\"rows\"), 0)::DOUBLE AS flows, coalesce(sum(%4$s), 0)::DOUBLE AS unscaled, sum(%5$s)::DOUBLE AS edges FROM %6$s GROUP BY %2$s)"
        .formatted(
            keys.select(), names(keys), counted.scaled(), counted.plain(), RollupPieces.EDGE, from);
  }

  String loose(
      RollupPlan plan,
      StoredRows stored,
      List<RollupRules.Rule> rules,
      GroupKeys keys,
      List<long[]> groups,
      double least) {
    String pieces = pieces(plan, stored, rules).loose();
    String part = "hash(%s) %% " + HASH_PARTS;
    return pieces.isEmpty()
        ? ""
        : "WITH l AS NOT MATERIALIZED (%s) %s"
            .formatted(
                pieces,
                loose(
                    "l WHERE %1$s IN (SELECT %1$s FROM l GROUP BY ALL HAVING sum(greatest(%2$s, 0)) >= %3$s UNION ALL SELECT %4$s FROM (%5$s) AS c(%6$s, place))"
                        .formatted(
                            part.formatted(names(keys)),
                            counted.scaled(),
                            least,
                            part.formatted(String.join(", ", aliases())),
                            keys.values(groups),
                            String.join(", ", aliases())),
                    keys));
  }

  private static String names(GroupKeys keys) {
    return keys.columns().stream()
        .map(column -> Catalog.quoted(column.name()))
        .collect(Collectors.joining(", "));
  }

  String texts(GroupKeys keys, List<long[]> groups) {
    StringBuilder joins = new StringBuilder();
    List<String> settled = new ArrayList<>(List.of("true"));
    List<String> texts = texts(joins, settled);
    return "SELECT %s, %s FROM (%s) AS top(%s, place)%s ORDER BY top.place"
        .formatted(
            String.join(", ", texts),
            String.join(" AND ", settled),
            keys.values(groups),
            String.join(", ", aliases()),
            joins);
  }

  private String rank(String alias) {
    List<String> keys = new ArrayList<>();
    if (request.p95()) {
      keys.add(alias + ".p95 DESC");
    }
    keys.add(alias + ".volume DESC");
    aliases().forEach(group -> keys.add(alias + "." + group));
    return String.join(", ", keys);
  }

  private List<String> aliases() {
    List<String> aliases = new ArrayList<>();
    for (int i = 0; i < grouped.size(); i++) {
      aliases.add("s" + i);
    }
    return aliases;
  }

  private String groups(boolean isSampled) {
    List<String> summed = summed("0::DOUBLE AS p95");
    if (isSampled) {
      summed.add(counted.uncertainty());
    }
    return "SELECT %s FROM f%s%s GROUP BY ALL HAVING volume <> 0 OR flows <> 0"
        .formatted(String.join(", ", summed), candidates, where());
  }

  private List<String> summed(String last) {
    List<String> list = new ArrayList<>();
    int i = 0;
    for (String column : grouped) {
      list.add("f." + Catalog.quoted(column) + " AS s" + i++);
    }
    list.add("coalesce(sum(f." + counted.scaled() + "), 0)::DOUBLE AS volume");
    list.add("sum(f.\"rows\")::BIGINT AS flows");
    list.add(last);
    return list;
  }

  private String percentiles(RollupPlan plan) {
    long buckets = (plan.to() - plan.from()) / Grain.FIVE.micros();
    String fives =
        "SELECT %s FROM f%s GROUP BY ALL"
            .formatted(
                String.join(
                    ", ",
                    summed(
                        "epoch_us(f.%s) // %s AS five"
                            .formatted(RollupPieces.PIECE, Grain.FIVE.micros()))),
                where());
    long seconds = Grain.FIVE.micros() / 1_000_000;
    return "SELECT %s, sum(volume) AS volume, sum(flows)::BIGINT AS flows, coalesce(list_reverse_sort(list(volume))[%d], 0) * %d / %d::DOUBLE AS p95 FROM (%s) GROUP BY ALL HAVING sum(volume) <> 0 OR sum(flows) <> 0"
        .formatted(String.join(", ", aliases()), buckets / 20 + 1, counted.units(), seconds, fives);
  }

  private String totals(boolean isSampled) {
    return "SELECT coalesce(sum(f.%1$s), 0)::DOUBLE AS volume, coalesce(sum(f.%2$s), 0)::BIGINT AS edge, coalesce(sum(f.%1$s) <> sum(f.%3$s), false) AS estimated%4$s FROM f%5$s"
        .formatted(
            counted.scaled(),
            RollupPieces.EDGE,
            counted.plain(),
            isSampled ? ", " + counted.uncertainty() : "",
            where());
  }

  private String where() {
    return condition.isEmpty() ? "" : " WHERE " + condition;
  }

  private String rest(RollupPlan plan, RollupPieces pieces) {
    String ctes = ", rest AS (" + MeasureSums.dropped(table, plan, counted) + ")";
    if (!isWholeSet(plan)) {
      return ctes;
    }
    List<String> same = new ArrayList<>();
    int i = 0;
    for (String column : grouped) {
      same.add("top.s" + i + " IS NOT DISTINCT FROM b." + Catalog.quoted(column));
      i++;
    }
    String keys = String.join(", ", aliases().stream().map(alias -> "top." + alias).toList());
    return ctes
        + ", present AS (SELECT %s, sum(rest.bound) AS bound FROM (SELECT DISTINCT b.piece, %s FROM (%s) AS b JOIN top ON %s) AS top JOIN rest ON rest.bucket = top.piece GROUP BY ALL)"
            .formatted(keys, keys, pieces.buckets(), String.join(" AND ", same));
  }

  String dropped(RollupPlan plan) {
    return "SELECT coalesce(sum(volume), 0)::DOUBLE FROM (%s)"
        .formatted(MeasureSums.dropped(table, plan, counted));
  }

  boolean isWholeSet(RollupPlan plan) {
    return grouped.containsAll(plan.kept().set().columns());
  }

  private List<String> texts(StringBuilder joins, List<String> settled) {
    List<String> stored = List.copyOf(grouped);
    List<String> list = new ArrayList<>();
    for (ViewColumn column : columns) {
      List<String> values =
          column.stored().stream().map(name -> "top.s" + stored.indexOf(name)).toList();
      String alias = "n" + list.size();
      if (column.nameOf() >= 0) {
        String id = values.get(column.nameOf());
        joins.append(FlowView.joinNames(alias, id));
        settled.add("(" + id + " IS NULL OR " + alias + ".id IS NOT NULL)");
      }
      list.add("(" + column.readable(values, alias + ".name") + ")::VARCHAR");
    }
    return list;
  }

  private String readable(RollupPlan plan, boolean hasRest) {
    StringBuilder joins = new StringBuilder();
    List<String> list = texts(joins, new ArrayList<>());
    list.add("top.volume");
    list.add("top.flows");
    String rest = "0::DOUBLE";
    String bound = "0::DOUBLE";
    if (hasRest) {
      joins.append(
          " CROSS JOIN (SELECT sum(volume) AS volume, sum(bound) AS bound FROM rest) AS r");
      bound = "r.volume";
      if (isWholeSet(plan)) {
        joins.append(" LEFT JOIN present ON ").append(sameGroup());
        bound = "greatest(r.bound - coalesce(present.bound, 0), 0)";
      }
      rest = "r.volume";
    }
    list.add(bound);
    list.add("top.p95");
    list.add("t.volume");
    list.add(rest);
    list.add("t.edge");
    list.add("t.estimated");
    if (plan.isSampled()) {
      joins.append(" CROSS JOIN w");
      list.addAll(List.of("top.uncertain", "top.variance", "t.uncertain", "t.variance"));
      list.add("w.largest");
    }
    return "SELECT %s FROM top CROSS JOIN t%s ORDER BY %s"
        .formatted(String.join(", ", list), joins, rank("top"));
  }

  private String sameGroup() {
    return String.join(
        " AND ",
        aliases().stream()
            .map(alias -> "present." + alias + " IS NOT DISTINCT FROM top." + alias)
            .toList());
  }
}

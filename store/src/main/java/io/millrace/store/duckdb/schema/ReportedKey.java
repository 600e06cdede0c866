package io.millrace.store.duckdb.schema;

import io.millrace.store.DeviceNames;
import io.millrace.store.query.Constant;
import io.millrace.store.query.Expr;
import io.millrace.store.query.Relation;
import io.millrace.store.query.Select;
import io.millrace.store.query.Sql;
import io.millrace.store.query.SqlType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What rows are grouped by where groups are names that devices report: equal texts are one group,
 * however many interfaces they name. Groups are numbers, so a text counts by its hash of 64 bits,
 * and a speed by itself: an additional column, by a join with the known names.
 */
public final class ReportedKey {
  /** Type of the column. */
  public static final SqlType SQL_TYPE = SqlType.UBIGINT;

  private static final String PREFIX = "reported ";

  private ReportedKey() {}

  /** A reported column as one to group by, with the text of a group. */
  public static ViewColumn of(ViewColumn reported) {
    DeviceNames.Column column = ReportedColumn.of(reported);
    String text =
        "(SELECT max(v) FROM (SELECT %s AS v FROM %s GROUP BY d.exporter, d.number) WHERE hash(v) = {0})"
            .formatted(ReportedColumn.value(column), ReportedColumn.names(column));
    return new ViewColumn(
        reported.name(), List.of(PREFIX + column.name()), -1, column.isSpeed() ? "{0}" : text);
  }

  /** Whether a column that is grouped by is one of these. */
  public static boolean is(String grouped) {
    return grouped.startsWith(PREFIX);
  }

  /** The stored columns that are needed to group by these columns. */
  public static Set<String> stored(Collection<String> grouped) {
    Set<String> stored = new LinkedHashSet<>();
    for (String name : grouped) {
      if (is(name)) {
        stored.add("exporter");
        column(name).number().ifPresent(stored::add);
      } else {
        stored.add(name);
      }
    }
    return stored;
  }

  /**
   * Rows with the columns that are grouped by.
   *
   * @param rows a SELECT of {@link #stored} and others
   */
  public static Relation with(Relation rows, Collection<String> grouped) {
    List<Sql> items = new ArrayList<>(List.of(Expr.rendered("f.*")));
    Select select = Select.of().from(rows, "f");
    for (String key : grouped) {
      if (is(key)) {
        String alias = "k" + items.size();
        DeviceNames.Column column = column(key);
        Expr number = column.number().map(name -> Expr.column("f", name)).orElse(Constant.ZERO);
        select =
            select.leftJoin(
                keys(column).as(alias),
                Expr.all(
                    Expr.column(alias, "exporter").is("=", Expr.column("f", "exporter")),
                    Expr.column(alias, "number").is("=", number)));
        items.add(Expr.column(alias, "key").named(key));
      }
    }
    return items.size() == 1 ? rows : select.items(items);
  }

  private static Relation keys(DeviceNames.Column column) {
    Expr value = Expr.rendered(ReportedColumn.value(column));
    Expr key =
        column.isSpeed()
            ? value
            : Expr.choose(value.isNotNull(), Expr.hash(List.of(value)), Constant.NULL);
    return Select.of(
            Expr.column("d", "exporter"),
            Expr.column("d", "number"),
            key.cast(SQL_TYPE).named("key"))
        .from(ReportedColumn.TABLE, "d")
        .where(Expr.column("d", "kind").is("=", Expr.text(column.kind())))
        .groupBy(2);
  }

  private static DeviceNames.Column column(String key) {
    return ReportedColumn.find(key.substring(PREFIX.length()));
  }
}

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
 * Groups rows by names that devices report: equal texts form one group, however many interfaces
 * have them. Keys are numbers: the 64-bit hash of a text, or the speed itself. They are an
 * additional column, joined from the reported names.
 */
public final class ReportedKey {
  /** Type of the key column. */
  public static final SqlType SQL_TYPE = SqlType.UBIGINT;

  private static final String PREFIX = "reported ";

  private ReportedKey() {}

  /** Grouping column for a reported column, with the text of a group. */
  public static ViewColumn of(ViewColumn reported) {
    DeviceNames.Column column = ReportedColumn.of(reported);
    String text =
        "(SELECT max(v) FROM (SELECT %s AS v FROM %s GROUP BY d.exporter, d.number) WHERE hash(v) = {0})"
            .formatted(ReportedColumn.value(column), ReportedColumn.names(column));
    return new ViewColumn(
        reported.name(), List.of(PREFIX + column.name()), -1, column.isSpeed() ? "{0}" : text);
  }

  /** Whether a grouping column is a reported one. */
  public static boolean is(String grouped) {
    return grouped.startsWith(PREFIX);
  }

  /** Stored columns needed to group by these columns. */
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
   * Rows with their grouping columns.
   *
   * @param rows SELECT of {@link #stored} and others
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

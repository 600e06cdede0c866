package io.millrace.store.duckdb.schema;

import io.millrace.store.query.Expr;
import java.util.ArrayList;
import java.util.List;

/**
 * A column of a view: its stored columns and their readable form.
 *
 * <p>Two rows have the same text exactly if they have the same stored values, so rows can be
 * grouped by the stored values and only the groups made readable.
 *
 * @param name name in the view
 * @param stored columns of the table {@code f}: one or two, or more for a column that is only
 *     computed on request and never grouped by
 * @param nameOf index of the column that is the id of a name: 0 or 1; -1 if there is none
 * @param readable SQL with {@code {0}}, {@code {1}} … for the stored values and {@code {n}} for the
 *     name
 */
public record ViewColumn(String name, List<String> stored, int nameOf, String readable) {
  public static ViewColumn plain(String name, String stored) {
    return new ViewColumn(name, List.of(stored), -1, "{0}");
  }

  static ViewColumn wide(String name, String stored) {
    return new ViewColumn(name, List.of(stored), -1, "{0}::HUGEINT");
  }

  /** A time as a number: microseconds since the epoch. */
  public static ViewColumn micros(String name, String stored) {
    return new ViewColumn(name, List.of(stored), -1, "epoch_us({0})");
  }

  static ViewColumn address(String name, String stored) {
    return new ViewColumn(name, List.of(stored), -1, Catalog.main("ip_text") + "({0})");
  }

  static ViewColumn mac(String name, String stored) {
    return new ViewColumn(name, List.of(stored), -1, Catalog.main("mac_text") + "({0})");
  }

  static ViewColumn text(String name, String stored) {
    return new ViewColumn(name, List.of(stored), 0, "{n}");
  }

  ViewColumn withName(String other) {
    return new ViewColumn(other, stored, nameOf, readable);
  }

  public boolean isPlain() {
    return readable.equals("{0}");
  }

  public boolean isMicros() {
    return readable.equals("epoch_us({0})");
  }

  public boolean isAddress() {
    return nameOf < 0 && stored.size() == 1 && readable.equals(address(name, "").readable);
  }

  /** Readable form for given SQL of the stored values and of the name. */
  public String readable(List<String> values, String nameSql) {
    String sql = readable.replace("{n}", nameSql);
    for (int i = 0; i < values.size(); i++) {
      sql = sql.replace("{" + i + "}", values.get(i));
    }
    return sql;
  }

  /** Readable form of values and a name. */
  public Expr readable(List<Expr> values, Expr name) {
    List<Expr> parts = new ArrayList<>(values);
    parts.add(name);
    return new Expr.Template(readable.replace("{n}", "{" + values.size() + "}"), parts);
  }
}

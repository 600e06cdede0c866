package io.millrace.store.query;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A SELECT.
 *
 * @param items columns of its rows
 * @param from null for none
 * @param joins joins in order
 * @param where true for all rows
 * @param groups number of first items to group by; -1 if rows are not grouped
 * @param order empty for none
 * @param limit number of rows; -1 for all
 */
public record Select(
    List<Sql> items,
    Relation from,
    List<Sql> joins,
    Expr where,
    int groups,
    List<Sql> order,
    long limit)
    implements Relation {
  /** All columns. */
  public static final Sql ALL = new Constant("*");

  /** A SELECT of these columns. */
  public static Select of(List<? extends Sql> items) {
    return new Select(List.copyOf(items), null, List.of(), Constant.TRUE, -1, List.of(), -1);
  }

  /** A SELECT of these columns. */
  public static Select of(Sql... items) {
    return of(Arrays.asList(items));
  }

  /** This with other columns. */
  public Select items(List<? extends Sql> columns) {
    return new Select(List.copyOf(columns), from, joins, where, groups, order, limit);
  }

  /** This from a relation. */
  public Select from(Relation relation) {
    return new Select(items, relation, joins, where, groups, order, limit);
  }

  /** This from a relation with an alias. */
  public Select from(Relation relation, String alias) {
    return from(relation.as(alias));
  }

  private Select joined(String how, Sql relation, String on, Expr condition) {
    List<Sql> more = new ArrayList<>(joins);
    more.add(new Expr.Template(how + " JOIN {0}" + on, List.of(relation, condition)));
    return new Select(items, from, more, where, groups, order, limit);
  }

  /** This joined with the rows of another relation that match a condition. */
  public Select join(Relation relation, Expr condition) {
    return joined("", relation, " ON {1}", condition);
  }

  /** This left-joined with another relation. */
  public Select leftJoin(Relation relation, Expr condition) {
    return joined(" LEFT", relation, " ON {1}", condition);
  }

  /** This cross-joined with another relation. */
  public Select crossJoin(Relation relation) {
    return joined(" CROSS", relation, "", Constant.TRUE);
  }

  /**
   * This with each row repeated for each whole number of a range.
   *
   * @param to exclusive
   */
  public Select each(String name, Expr first, Expr to) {
    List<Sql> more = new ArrayList<>(joins);
    more.add(new Each(name, first, to));
    return new Select(items, from, more, where, groups, order, limit);
  }

  /** An item for each row and number in DuckDB, a join in other databases. */
  private record Each(String name, Expr first, Expr to) implements Sql {
    private void writeItem(SqlWriter out) {
      if (out.dialect() == Dialect.DUCKDB) {
        out.fill(", unnest(range({0}, {1})) AS ", List.of(first, to)).name(name);
      }
    }

    @Override
    public void write(SqlWriter out) {
      if (out.dialect() != Dialect.DUCKDB) {
        out.fill(" CROSS JOIN UNNEST(sequence({0}, {1} - 1)) AS each(", List.of(first, to));
        out.name(name).add(")");
      }
    }
  }

  /** This with one more condition. */
  public Select where(Expr condition) {
    return new Select(items, from, joins, Expr.all(where, condition), groups, order, limit);
  }

  /** This grouped by the first items. */
  public Select groupBy(int first) {
    return new Select(items, from, joins, where, first, order, limit);
  }

  /** This in an order. */
  public Select orderBy(List<? extends Sql> by) {
    return new Select(items, from, joins, where, groups, List.copyOf(by), limit);
  }

  /** This limited to the first rows. */
  public Select limit(long rows) {
    return new Select(items, from, joins, where, groups, order, rows);
  }

  @Override
  public void write(SqlWriter out) {
    out.add("SELECT ").join(", ", items);
    for (Sql join : joins) {
      if (join instanceof Each each) {
        each.writeItem(out);
      }
    }
    if (from != null) {
      out.add(" FROM ").add(from).join("", joins);
    }
    if (!where.equals(Constant.TRUE)) {
      out.add(" WHERE ").add(where);
    }
    out.clause(
        " GROUP BY ", ", ", IntStream.rangeClosed(1, groups).mapToObj(Expr::number).toList());
    out.clause(" ORDER BY ", ", ", order);
    if (limit >= 0) {
      out.add(" LIMIT ").add(Long.toString(limit));
    }
  }
}

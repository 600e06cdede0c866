package io.millrace.store.query;

import java.util.List;

/** A FROM clause. */
public interface Relation extends Sql {
  /** A table or view by the parts of its name, or the name of a CTE. */
  record Table(List<String> name) implements Relation {
    @Override
    public void write(SqlWriter out) {
      for (int i = 0; i < name.size(); i++) {
        out.add(i == 0 ? "" : ".").name(name.get(i));
      }
    }
  }

  /** A table rendered by another part of the store. */
  record Rendered(String sql) implements Relation {
    @Override
    public void write(SqlWriter out) {
      out.add(sql);
    }
  }

  /** Rows of constants. */
  record Values(List<List<Expr>> rows) implements Relation {
    @Override
    public void write(SqlWriter out) {
      out.add("VALUES ").join(", ", rows.stream().map(row -> new Expr.Joined(", ", row)).toList());
    }
  }

  /** UNION ALL of queries. */
  record Union(List<? extends Relation> queries) implements Relation {
    @Override
    public void write(SqlWriter out) {
      out.join(" UNION ALL ", queries);
    }
  }

  /** A relation with an alias and, optionally, names of its columns. */
  record Aliased(Relation relation, String alias, List<String> columns) implements Relation {
    @Override
    public void write(SqlWriter out) {
      if (relation instanceof Table || relation instanceof Rendered) {
        out.add(relation);
      } else {
        out.parenthesized(relation);
      }
      out.add(" AS ").add(alias);
      if (!columns.isEmpty()) {
        out.add("(").names(columns).add(")");
      }
    }
  }

  /**
   * A common table expression (WITH).
   *
   * @param isKept whether its rows are materialized
   */
  record With(String name, boolean isKept, Relation query) implements Sql {
    @Override
    public void write(SqlWriter out) {
      out.name(name).add(" AS ");
      if (out.dialect().isMaterializationChosen()) {
        out.add(isKept ? "MATERIALIZED " : "NOT MATERIALIZED ");
      }
      out.parenthesized(query);
    }
  }

  /** A query with common table expressions. */
  record Statement(List<With> with, Relation query) implements Relation {
    @Override
    public void write(SqlWriter out) {
      out.clause("WITH ", ", ", with).add(with.isEmpty() ? "" : " ").add(query);
    }
  }

  /** A table or view by the parts of its name, or the name of a CTE. */
  static Relation table(String... name) {
    return new Table(List.of(name));
  }

  /** A table rendered by another part of the store. */
  static Relation rendered(String sql) {
    return new Rendered(sql);
  }

  /** UNION ALL of queries. */
  static Relation union(List<? extends Relation> queries) {
    return queries.size() == 1 ? queries.get(0) : new Union(List.copyOf(queries));
  }

  /** This with an alias. */
  default Relation as(String alias) {
    return new Aliased(this, alias, List.of());
  }

  /** This with an alias and names for its columns. */
  default Relation as(String alias, List<String> columns) {
    return new Aliased(this, alias, columns);
  }
}

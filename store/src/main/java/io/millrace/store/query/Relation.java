package io.millrace.store.query;

import java.util.List;

/** A FROM clause. */
public interface Relation extends Sql {
  /** A stored table or a view, by the parts of its name; or the name of a WITH. */
  record Table(List<String> name) implements Relation {
    @Override
    public void write(SqlWriter out) {
      for (int i = 0; i < name.size(); i++) {
        out.add(i == 0 ? "" : ".").name(name.get(i));
      }
    }
  }

  /** A table as another part of the store has rendered it. */
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

  /** The rows of all of some queries. */
  record Union(List<? extends Relation> queries) implements Relation {
    @Override
    public void write(SqlWriter out) {
      out.join(" UNION ALL ", queries);
    }
  }

  /** A relation with an alias, and names for its columns if there are any. */
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
   * A common table expression of a statement (WITH).
   *
   * @param isKept whether its rows are computed once
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

  /** A query after named ones. */
  record Statement(List<With> with, Relation query) implements Relation {
    @Override
    public void write(SqlWriter out) {
      out.clause("WITH ", ", ", with).add(with.isEmpty() ? "" : " ").add(query);
    }
  }

  /** A stored table or a view, by the parts of its name; or the name of a WITH. */
  static Relation table(String... name) {
    return new Table(List.of(name));
  }

  /** A table as another part of the store has rendered it. */
  static Relation rendered(String sql) {
    return new Rendered(sql);
  }

  /** The rows of all of some queries. */
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

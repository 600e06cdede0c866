package io.millrace.store.query;

/**
 * A part of a statement: an expression, a relation or a clause. Parts are values: equal ones have
 * equal SQL.
 */
public interface Sql {
  /** Appends this part. */
  void write(SqlWriter out);

  /** SQL of this part. */
  default String in(Dialect dialect) {
    SqlWriter out = new SqlWriter(dialect);
    write(out);
    return out.toString();
  }
}

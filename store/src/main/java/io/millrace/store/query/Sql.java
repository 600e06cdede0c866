package io.millrace.store.query;

/** A part of a statement: an expression, a relation or a clause. A value: equal parts are equal. */
public interface Sql {
  /** Appends this part. */
  void write(SqlWriter out);

  /** The text of this part. */
  default String in(Dialect dialect) {
    SqlWriter out = new SqlWriter(dialect);
    write(out);
    return out.toString();
  }
}

package io.millrace.store.query;

/** A constant in SQL. */
public record Constant(String sql) implements Expr {
  /** NULL. */
  public static final Expr NULL = new Constant("NULL");

  /** True. */
  public static final Expr TRUE = new Constant("true");

  /** False. */
  public static final Expr FALSE = new Constant("false");

  /** 0. */
  public static final Expr ZERO = new Constant("0");

  /** 1. */
  public static final Expr ONE = new Constant("1");

  @Override
  public void write(SqlWriter out) {
    out.add(sql);
  }
}

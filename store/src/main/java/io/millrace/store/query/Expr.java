package io.millrace.store.query;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** A value or a condition. */
public interface Expr extends Sql {
  /**
   * A column.
   *
   * @param relation alias of its relation; empty for none
   */
  record Column(String relation, String name) implements Expr {
    @Override
    public void write(SqlWriter out) {
      out.saw(this);
      (relation.isEmpty() ? out : out.add(relation).add(".")).name(name);
    }
  }

  /** An SQL template with expressions. */
  record Template(String sql, List<? extends Sql> parts) implements Expr {
    @Override
    public void write(SqlWriter out) {
      out.fill(sql, parts);
    }
  }

  /** A function that databases write differently. */
  record Special(Function function, List<Expr> parts) implements Expr {
    @Override
    public void write(SqlWriter out) {
      out.fill(function.template(out.dialect()), parts);
    }
  }

  /** A function with the same name in every database. */
  record Call(String function, List<Expr> parts) implements Expr {
    @Override
    public void write(SqlWriter out) {
      out.add(function).add("(").join(", ", parts).add(")");
    }
  }

  /** Expressions joined with an operator, in parentheses. */
  record Joined(String operator, List<? extends Sql> parts) implements Expr {
    @Override
    public void write(SqlWriter out) {
      out.add("(").join(operator, parts).add(")");
    }
  }

  /** A value cast to another type. */
  record Cast(Expr value, SqlType type) implements Expr {
    @Override
    public void write(SqlWriter out) {
      out.add("CAST(").add(value).add(" AS ").add(out.dialect().type(type)).add(")");
    }
  }

  /** A whole number of any length. */
  record WholeNumber(BigInteger value, SqlType type) implements Expr {
    @Override
    public void write(SqlWriter out) {
      String name = out.dialect().type(type);
      if (out.dialect() == Dialect.DUCKDB) {
        out.add("CAST(" + value + " AS " + name + ")");
      } else if (type == SqlType.UHUGEINT) {
        out.add(uuid(value));
      } else {
        out.add("CAST(DECIMAL '" + value + "' AS " + name + ")");
      }
    }
  }

  /** An expression with a name, in the list of a SELECT. */
  record Named(Expr value, String name) implements Sql {
    @Override
    public void write(SqlWriter out) {
      out.add(value).add(" AS ").name(name);
    }
  }

  /** A column of the relation with this alias. */
  static Expr column(String relation, String name) {
    return new Column(relation, name);
  }

  /** A column. */
  static Expr column(String name) {
    return new Column("", name);
  }

  /** A whole number. */
  static Expr number(long value) {
    return value == Long.MIN_VALUE
        ? number(value + 1).minus(number(1)) // has no literal
        : new Constant(Long.toString(value));
  }

  /** A whole number of any length. */
  static Expr number(BigInteger value, SqlType type) {
    return new WholeNumber(value, type);
  }

  /** A number of 128 bits as a UUID. */
  static Expr uuid(BigInteger value) {
    return new Constant(
        "UUID '" + new UUID(value.shiftRight(Long.SIZE).longValue(), value.longValue()) + "'");
  }

  /** A floating-point number. */
  static Expr real(double value) {
    return new Constant(Double.toString(value)).cast(SqlType.DOUBLE);
  }

  /** A text. */
  static Expr text(String value) {
    return new Constant("'" + value.replace("'", "''") + "'");
  }

  /** The timestamp of microseconds since the epoch. */
  static Expr timestamp(long micros) {
    return of(Function.TIMESTAMP, number(micros).cast(SqlType.BIGINT));
  }

  /** A function with the same name in every database. */
  static Expr call(String function, Expr... parts) {
    return new Call(function, List.of(parts));
  }

  /** A function that databases write differently. */
  static Expr of(Function function, Expr... parts) {
    return new Special(function, List.of(parts));
  }

  /** SQL rendered by another part of the store. */
  static Expr rendered(String sql) {
    return new Constant(sql);
  }

  /** A template of SQL with {@code {0}}, {@code {1}} … for parts. */
  static Expr template(String sql, Sql... parts) {
    return new Template(sql, List.of(parts));
  }

  /** Whether all conditions are true. */
  static Expr all(List<Expr> conditions) {
    return joined(" AND ", conditions, Constant.TRUE);
  }

  /** Whether all conditions are true. */
  static Expr all(Expr... conditions) {
    return all(Arrays.asList(conditions));
  }

  /** Whether one of the conditions is true. */
  static Expr any(List<Expr> conditions) {
    return joined(" OR ", conditions, Constant.FALSE);
  }

  private static Expr joined(String operator, List<Expr> parts, Expr none) {
    List<Expr> needed = parts.stream().filter(part -> !part.equals(none)).toList();
    return needed.isEmpty()
        ? none
        : needed.size() == 1 ? needed.get(0) : new Joined(operator, needed);
  }

  /** A value where a condition is true, else another. */
  static Expr choose(Expr condition, Expr value, Expr otherwise) {
    return template("CASE WHEN {0} THEN {1} ELSE {2} END", condition, value, otherwise);
  }

  /** The sum; 0 for no rows. */
  static Expr sum(Expr value) {
    return call("coalesce", call("sum", value), number(0)).cast(SqlType.DOUBLE);
  }

  /** Names of the columns in an expression that belong to a relation. */
  static Set<String> columnsIn(Expr expression, String relation) {
    Set<Column> columns = new LinkedHashSet<>();
    expression.write(new SqlWriter(Dialect.DUCKDB, columns));
    Set<String> names = new LinkedHashSet<>();
    for (Column column : columns) {
      if (column.relation.equals(relation)) {
        names.add(column.name);
      }
    }
    return names;
  }

  /** Casts this to another type. */
  default Expr cast(SqlType type) {
    return new Cast(this, type);
  }

  /** Names this in the list of a SELECT. */
  default Sql named(String name) {
    return new Named(this, name);
  }

  default Expr plus(Expr other) {
    return new Joined(" + ", List.of(this, other));
  }

  default Expr minus(Expr other) {
    return new Joined(" - ", List.of(this, other));
  }

  default Expr times(Expr other) {
    return other.equals(Constant.ONE) ? this : new Joined(" * ", List.of(this, other));
  }

  /** Divides floating-point numbers. */
  default Expr over(Expr other) {
    return new Joined(" / ", List.of(this, other));
  }

  /** Divides whole numbers, rounding towards zero. */
  default Expr quotient(Expr other) {
    return of(Function.QUOTIENT, this, other);
  }

  default Expr remainder(Expr other) {
    return new Joined(" % ", List.of(this, other));
  }

  /** Microseconds since the epoch of this timestamp. */
  default Expr micros() {
    return of(Function.MICROS, this);
  }

  /** Compares with an SQL operator. */
  default Expr is(String operator, Expr other) {
    return new Joined(" " + operator + " ", List.of(this, other));
  }

  /** Whether both are equal or NULL. */
  default Expr same(Expr other) {
    return is("IS NOT DISTINCT FROM", other);
  }

  /** Whether this is NULL. */
  default Expr isNull() {
    return template("({0} IS NULL)", this);
  }

  /** Whether this is not NULL. */
  default Expr isNotNull() {
    return template("({0} IS NOT NULL)", this);
  }

  /** Whether this is one of some values. */
  default Expr in(List<Expr> values) {
    return new Joined(" IN ", List.of(this, new Joined(", ", values)));
  }

  /** Whether this is in the result of a query. */
  default Expr in(Relation query) {
    return template("({0} IN ({1}))", this, query);
  }

  /** Whether this is in a time range, microseconds, the end exclusive. */
  default Expr during(long from, long to) {
    return all(is(">=", timestamp(from)), is("<", timestamp(to)));
  }

  /** A 64-bit hash of values. */
  static Expr hash(List<Expr> values) {
    return of(Function.HASH, new Joined(", ", values));
  }

  /** Columns of a relation, by name. */
  static List<Expr> columns(String relation, Collection<String> names) {
    return names.stream().map(name -> column(relation, name)).toList();
  }

  /** Concatenates lists. */
  @SafeVarargs
  static List<Sql> list(List<? extends Sql>... lists) {
    List<Sql> all = new ArrayList<>();
    for (List<? extends Sql> list : lists) {
      all.addAll(list);
    }
    return all;
  }
}

package io.millrace.store.query;

import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Keys of groups: their stored values as 64-bit numbers. The first number has a NULL bit for each
 * column; then each column has one number, or two if it has 128 bits. Unsigned numbers of 64 bits
 * and more are shifted by 2⁶³, so that keys sort like the values.
 *
 * @param columns stored columns: whole numbers and timestamps
 */
public record GroupKeys(List<Column> columns) {
  private static final int MAX_COLUMNS = 63;
  private static final BigInteger SHIFT = BigInteger.ONE.shiftLeft(63);
  private static final Expr SHIFT_SQL = Expr.number(SHIFT, SqlType.HUGEINT);

  /** A stored column. */
  public record Column(String name, SqlType type) {
    private int longs() {
      return type == SqlType.UHUGEINT ? 2 : 1;
    }

    private Stream<Expr> select(Expr column) {
      if (type == SqlType.TIMESTAMP) {
        Expr infinite =
            Expr.choose(
                column.is(">", Expr.timestamp(0)),
                Expr.number(Long.MAX_VALUE),
                Expr.choose(column.isNull(), Constant.ZERO, Expr.number(-Long.MAX_VALUE)));
        return Stream.of(
            Expr.choose(Expr.of(Function.IS_FINITE, column), column.micros(), infinite));
      }
      Expr value = Expr.call("coalesce", column, Expr.number(BigInteger.ZERO, type));
      return switch (type) {
        case UHUGEINT -> Stream.of(Expr.of(Function.HIGH, value), Expr.of(Function.LOW, value));
        case UBIGINT -> Stream.of(shifted(value));
        default -> Stream.of(value.cast(SqlType.BIGINT));
      };
    }

    private static Expr shifted(Expr unsigned) {
      return unsigned.cast(SqlType.HUGEINT).minus(SHIFT_SQL).cast(SqlType.BIGINT);
    }

    private Expr constant(long[] key, int at, boolean isNull) {
      if (isNull) {
        return Constant.NULL.cast(type);
      }
      long value = key[at];
      return switch (type) {
        case TIMESTAMP ->
            Math.abs(value) == Long.MAX_VALUE
                ? Expr.text(value > 0 ? "infinity" : "-infinity").cast(type)
                : Expr.timestamp(value);
        case UHUGEINT ->
            Expr.number(unsigned(value).shiftLeft(Long.SIZE).or(unsigned(key[at + 1])), type);
        case UBIGINT -> Expr.number(unsigned(value), type);
        default -> Expr.number(BigInteger.valueOf(value), type);
      };
    }
  }

  /** Copies the list. */
  public GroupKeys {
    columns = List.copyOf(columns);
    if (columns.size() > MAX_COLUMNS) {
      throw new IllegalArgumentException(
          "by: %d columns, at most %d are allowed".formatted(columns.size(), MAX_COLUMNS));
    }
  }

  /** Length of a key. */
  public int longs() {
    return 1 + columns.stream().mapToInt(Column::longs).sum();
  }

  /** Names of the columns. */
  public List<String> names() {
    return columns.stream().map(Column::name).toList();
  }

  /** The columns, of a relation. */
  public List<Expr> columnsOf(String relation) {
    return Expr.columns(relation, names());
  }

  /**
   * SQL of the numbers of a key.
   *
   * @param values values of the columns
   */
  public List<Expr> select(List<Expr> values) {
    List<Expr> list = new ArrayList<>();
    Expr nulls = null;
    for (int i = 0; i < columns.size(); i++) {
      Expr bit = values.get(i).isNull().cast(SqlType.BIGINT).times(Expr.number(1L << i));
      nulls = i == 0 ? bit : nulls.plus(bit);
      columns.get(i).select(values.get(i)).forEach(list::add);
    }
    list.add(0, nulls);
    return list;
  }

  /** Reads a key from the columns of a row, starting with one. */
  public void read(ResultSet rows, int first, long[] key) throws SQLException {
    for (int i = 0; i < key.length; i++) {
      key[i] = rows.getLong(first + i);
    }
  }

  /** Values of a group as constants. */
  public List<Expr> constants(long[] key) {
    List<Expr> values = new ArrayList<>();
    int at = 1;
    for (int i = 0; i < columns.size(); i++) {
      values.add(columns.get(i).constant(key, at, (key[0] >>> i & 1) != 0));
      at += columns.get(i).longs();
    }
    return values;
  }

  /** A row for each group: its values, and its index in the list. */
  public Relation values(List<long[]> groups) {
    List<List<Expr>> rows = new ArrayList<>();
    for (long[] group : groups) {
      List<Expr> values = constants(group);
      values.add(Expr.number(rows.size()));
      rows.add(values);
    }
    return new Relation.Values(rows);
  }

  private static BigInteger unsigned(long shifted) {
    return BigInteger.valueOf(shifted).add(SHIFT);
  }

  /** Compares in SQL's order of the values, NULL last. */
  public int compare(long[] a, long[] b) {
    int at = 1;
    for (int i = 0; i < columns.size(); i++) {
      int nulls = Long.compare(a[0] >>> i & 1, b[0] >>> i & 1);
      if (nulls != 0) {
        return nulls;
      }
      for (int end = at + columns.get(i).longs(); at < end; at++) {
        int order = Long.compare(a[at], b[at]);
        if (order != 0) {
          return order;
        }
      }
    }
    return 0;
  }

  /** Key of some of the columns. */
  public void project(long[] key, List<Integer> some, long[] out) {
    out[0] = 0;
    int to = 1;
    for (int i = 0; i < some.size(); i++) {
      int column = some.get(i);
      out[0] |= (key[0] >>> column & 1) << i;
      int at = 1;
      for (int before = 0; before < column; before++) {
        at += columns.get(before).longs();
      }
      for (int n = columns.get(column).longs(); n > 0; n--) {
        out[to++] = key[at++];
      }
    }
  }
}

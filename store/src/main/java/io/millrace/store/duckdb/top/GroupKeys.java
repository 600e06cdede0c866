package io.millrace.store.duckdb.top;

import io.millrace.store.duckdb.schema.Catalog;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The stored values of a group as numbers of 64 bits: first a bit for each column that is NULL,
 * then the columns, one number each, two for those of 128 bits. Unsigned numbers of 64 bits and
 * more are shifted by 2⁶³, so that numbers are in the order of the values.
 *
 * @param columns stored, whole numbers all of them; at most 63
 */
record GroupKeys(List<Column> columns) {
  private static final BigInteger SHIFT = BigInteger.ONE.shiftLeft(63);

  record Column(String name, String sqlType) {
    private int longs() {
      return sqlType.equals("UHUGEINT") ? 2 : 1;
    }

    private List<String> select() {
      String value = "coalesce(" + Catalog.quoted(name) + ", 0::" + sqlType + ")";
      return switch (sqlType) {
        case "UHUGEINT" ->
            List.of(
                shifted("(" + value + " >> 64)"),
                shifted("(" + value + " & 18446744073709551615::UHUGEINT)"));
        case "UBIGINT" -> List.of(shifted(value));
        default -> List.of(value + "::BIGINT");
      };
    }

    private static String shifted(String unsigned) {
      return "(" + unsigned + "::HUGEINT - 9223372036854775808::HUGEINT)::BIGINT";
    }
  }

  GroupKeys {
    columns = List.copyOf(columns);
  }

  int longs() {
    return 1 + columns.stream().mapToInt(Column::longs).sum();
  }

  String select() {
    List<String> list = new ArrayList<>();
    List<String> nulls = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      nulls.add(
          "(%s IS NULL)::BIGINT * %d".formatted(Catalog.quoted(columns.get(i).name), 1L << i));
      list.addAll(columns.get(i).select());
    }
    return String.join(" + ", nulls) + ", " + String.join(", ", list);
  }

  void read(ResultSet rows, int first, long[] key) throws SQLException {
    for (int i = 0; i < key.length; i++) {
      key[i] = rows.getLong(first + i);
    }
  }

  String literal(long[] key, int column) {
    Column its = columns.get(column);
    int at = 1;
    for (int i = 0; i < column; i++) {
      at += columns.get(i).longs();
    }
    String value;
    if ((key[0] >>> column & 1) != 0) {
      value = "NULL";
    } else if (its.longs() == 2) {
      value = unsigned(key[at]).shiftLeft(Long.SIZE).or(unsigned(key[at + 1])).toString();
    } else {
      value = its.sqlType.equals("UBIGINT") ? unsigned(key[at]).toString() : Long.toString(key[at]);
    }
    return value + "::" + its.sqlType;
  }

  String values(List<long[]> groups) {
    List<String> rows = new ArrayList<>();
    for (long[] group : groups) {
      List<String> values = new ArrayList<>();
      for (int i = 0; i < columns.size(); i++) {
        values.add(literal(group, i));
      }
      rows.add("(" + String.join(", ", values) + ", " + rows.size() + ")");
    }
    return "VALUES " + String.join(", ", rows);
  }

  private static BigInteger unsigned(long shifted) {
    return BigInteger.valueOf(shifted).add(SHIFT);
  }

  int compare(long[] a, long[] b) {
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

  void project(long[] key, List<Integer> some, long[] out) {
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

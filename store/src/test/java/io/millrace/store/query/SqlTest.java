package io.millrace.store.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.FlowQuery.Measure;
import java.math.BigInteger;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SqlTest {
  private static List<String> rows(String setup, Relation query) throws SQLException {
    try (var connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute(setup);
      List<String> rows = new ArrayList<>();
      try (ResultSet result = statement.executeQuery(query.in(Dialect.DUCKDB))) {
        while (result.next()) {
          List<String> row = new ArrayList<>();
          for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            row.add(result.getString(i));
          }
          rows.add(String.join("|", row));
        }
      }
      return rows;
    }
  }

  @Test
  void namesAndTextsAreQuoted() throws SQLException {
    String name = "a\"b; DROP TABLE t";
    Relation query =
        Select.of(Expr.column("x", name), Expr.text("it's {0}"))
            .from(Relation.table("t").as("x"))
            .where(Expr.column(name).in(List.of(Expr.text("o'"), Expr.text("p"))));
    assertThat(rows("CREATE TABLE t AS SELECT 'o''' AS \"a\"\"b; DROP TABLE t\"", query))
        .containsExactly("o'|it's {0}");
  }

  @Test
  void numbersOfAnyLengthAreExact() throws SQLException {
    BigInteger max = BigInteger.ONE.shiftLeft(128).subtract(BigInteger.ONE);
    Relation query =
        Select.of(
            Expr.number(max, SqlType.UHUGEINT),
            Expr.number(Long.MIN_VALUE),
            Expr.number(-7).quotient(Expr.number(2)),
            Expr.number(5).minus(Expr.number(2).minus(Expr.number(1))),
            Expr.real(1e-300),
            Expr.timestamp(-1));
    assertThat(rows("SELECT 1", query))
        .containsExactly(max + "|-9223372036854775808|-3|4|1.0E-300|1969-12-31 23:59:59.999999");
  }

  @Test
  void numbersOf128BitsAreAddressesInTrino() {
    BigInteger max = BigInteger.ONE.shiftLeft(128).subtract(BigInteger.ONE);
    assertThat(Expr.number(max, SqlType.UHUGEINT).in(Dialect.TRINO))
        .isEqualTo("UUID 'ffffffff-ffff-ffff-ffff-ffffffffffff'");
    assertThat(Expr.number(new BigInteger("ffffc0000201", 16), SqlType.UHUGEINT).in(Dialect.TRINO))
        .isEqualTo("UUID '00000000-0000-0000-0000-ffffc0000201'");
    assertThat(Expr.number(BigInteger.ONE.shiftLeft(63), SqlType.HUGEINT).in(Dialect.TRINO))
        .isEqualTo("CAST(DECIMAL '9223372036854775808' AS DECIMAL(38, 0))");
    assertThat(Constant.NULL.cast(SqlType.UHUGEINT).in(Dialect.TRINO))
        .isEqualTo("CAST(NULL AS UUID)");
  }

  @Test
  void constantConditionsVanish() {
    Expr some = Expr.column("a").isNull();
    assertThat(Expr.all(Constant.TRUE, some, Constant.TRUE)).isEqualTo(some);
    assertThat(Expr.all(List.of())).isEqualTo(Constant.TRUE);
    assertThat(Expr.any(List.of(Constant.FALSE, some))).isEqualTo(some);
    assertThat(Expr.any(List.of())).isEqualTo(Constant.FALSE);
    assertThat(Select.of(some).from(Relation.table("t")).where(Constant.TRUE).in(Dialect.DUCKDB))
        .isEqualTo("SELECT (\"a\" IS NULL) FROM \"t\"");
  }

  @Test
  void columnsInAnExpressionAreFound() {
    Expr inner =
        Expr.column("g", "b").in(Select.of(Expr.column("f", "c")).from(Relation.table("t")));
    assertThat(Expr.columnsIn(Expr.all(Expr.column("f", "a").isNotNull(), inner), "f"))
        .containsExactly("a", "c");
  }

  /** A flow of 10 s, 4 s of which are in range, in pieces of 2 s; each has whole bytes of 1001. */
  @Test
  void aFlowIsCutAtBuckets() throws SQLException {
    assertThat(
            rows(
                "CREATE TABLE r AS SELECT make_timestamp(20000000) AS time, make_timestamp(5000000) AS flow_start, make_timestamp(15000000) AS flow_end, 10::BIGINT AS packets, 1001::BIGINT AS bytes, 2::UINTEGER AS sampling_rate, 6 AS proto",
                prorated().get(1)))
        .containsExactly(
            "1970-01-01 00:00:06.0|6|0|2.0|200.0|4.0|400.0|1",
            "1970-01-01 00:00:08.0|6|0|2.0|200.0|4.0|401.0|1");
  }

  private static List<Relation> prorated() {
    return new ProratedRows(
            Expr.number(3_600_000_000L), Expr.number(60_000_000), 100_000_000, 2_000_000)
        .selects(
            Relation.table("r"),
            Constant.ONE,
            6_000_000,
            10_000_000,
            List.of(Expr.column("proto")),
            Constant.TRUE);
  }

  @Test
  void functionsDependOnTheDialect() {
    GroupKeys keys = new GroupKeys(List.of(new GroupKeys.Column("src_addr", SqlType.UHUGEINT)));
    GroupSql sql =
        new GroupSql(keys, Expr.column("f", "proto").is("=", Constant.ONE), Measure.BITS);
    Pieces pieces = Pieces.of(Relation.union(prorated()));
    Relation ranked =
        sql.rank(pieces, new GroupSql.Ranking(10, 300_000_000, 3), List.of(new long[] {0, 1, 2}));
    assertThat(ranked.in(Dialect.DUCKDB))
        .contains("unnest(range(", "AS NOT MATERIALIZED", "list_reverse_sort", "UHUGEINT", " // ");
    assertThat(ranked.in(Dialect.TRINO))
        .contains("CROSS JOIN UNNEST(sequence(", "element_at(array_sort(", "DECIMAL(38, 0)")
        .doesNotContain("MATERIALIZED", "range(", "HUGEINT", "//", "epoch_us");
  }
}

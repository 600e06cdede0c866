package io.millrace.store.duckdb.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.duckdb.rollup.RolledFlows;
import io.millrace.store.duckdb.sql.SqlRows;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions, syntax and types are allowed by name, and everything else is rejected by name. */
class AllowedSqlTest {
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_][a-zA-Z_0-9]*");

  /** Functions of the parser and of windows, which DuckDB does not list. */
  private static final Set<String> UNLISTED =
      Set.of(
          "community_id",
          "cume_dist",
          "dense_rank",
          "fill",
          "first_value",
          "lag",
          "last_value",
          "lead",
          "nth_value",
          "ntile",
          "percent_rank",
          "rank",
          "rank_dense",
          "row_number",
          "series");

  private static DuckDBConnection connection;
  private static RolledFlows flows;
  private static final Sandbox SANDBOX = new Sandbox(Map.of(), Set.of(), Set.of());

  @BeforeAll
  static void open() throws SQLException {
    connection = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
    flows = new RolledFlows(2, 100, false);
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
    flows.close();
  }

  private static Set<String> known(DuckDBConnection one) throws SQLException {
    return new TreeSet<>(
        SqlRows.strings(one, "SELECT DISTINCT lower(function_name) FROM duckdb_functions()"));
  }

  /** Why the sandbox rejects a query; empty if it allows it. */
  private static String rejection(String sql) {
    try {
      SANDBOX.check(connection, sql);
      return "";
    } catch (QueryException e) {
      return e.reason() == Reason.NOT_ALLOWED ? e.getMessage() : "";
    } catch (SQLException e) {
      return ""; // rejected by the parser
    }
  }

  @Test
  void eachFunctionIsListedOrRejectedInEachSyntaxThatReachesIt() throws SQLException {
    int rejected = 0;
    for (String name : known(connection)) {
      String quoted = '"' + name.replace("\"", "\"\"") + '"';
      boolean isListed = AllowedSql.isFunction(name);
      rejected += isListed ? 0 : 1;
      Map<String, Boolean> calls =
          Map.of(
              "SELECT %s(1)",
              isListed,
              "SELECT (1).%s()",
              isListed,
              "SELECT main.%s(1)",
              isListed,
              "SELECT count(*) FILTER (WHERE %s(1)) FROM flows",
              isListed,
              "SELECT x FROM flows ORDER BY %s(x)",
              isListed,
              "SELECT list_transform([1], lambda x: %s(x))",
              isListed,
              "FROM (PIVOT flows ON a IN (1) USING %s(x))",
              isListed,
              "WITH a AS MATERIALIZED (SELECT %s(1)) FROM a",
              isListed,
              "FROM %s(1)",
              AllowedSql.isTableFunction(name),
              "SELECT list_aggregate([1], '" + name.replace("'", "''") + "')",
              AllowedSql.isAggregate(name));
      calls.forEach(
          (call, isAllowed) -> {
            String sql = call.contains("%s") ? call.formatted(quoted) : call;
            if (isAllowed) {
              assertThat(rejection(sql)).as(sql).doesNotContain(AllowedSql.PAGE);
            } else {
              assertThat(rejection(sql)).as(sql).contains(name, AllowedSql.PAGE);
            }
          });
      if (!isListed && NAME.matcher(name).matches()) {
        assertThat(rejection("SELECT " + quoted + "(1) OVER ()")).contains(name);
      }
    }
    assertThat(rejected).isGreaterThan(300);
  }

  @Test
  void eachListedFunctionExists() throws SQLException {
    Set<String> known = known(flows.root);
    assertThat(
            AllowedSql.functions().values().stream()
                .flatMap(Set::stream)
                .map(name -> name.toLowerCase(Locale.ROOT))
                .filter(name -> !UNLISTED.contains(name) && !known.contains(name)))
        .isEmpty();
  }

  @Test
  void eachMillraceMacroIsListed() throws SQLException {
    for (String macro :
        SqlRows.strings(
            flows.root,
            "SELECT function_name FROM duckdb_functions() WHERE database_name = 'millrace' AND NOT"
                + " internal AND function_name NOT LIKE 'community_%'")) {
      assertThat(AllowedSql.isFunction(macro)).as(macro).isTrue();
    }
    assertThat(AllowedSql.isFunction("community_id")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DELETE in WITH;WITH t AS (DELETE FROM raw.flows RETURNING 1) FROM t",
        "INSERT in WITH;WITH t AS (INSERT INTO names VALUES (1, 'a') RETURNING 1) FROM t",
        "UPDATE in WITH;SELECT (WITH t AS (UPDATE names SET name = 'a' RETURNING 1) FROM t)",
        "COPY in WITH;WITH t AS (COPY names TO 'x.csv') FROM t",
        "DELETE in WITH;WITH t AS (TRUNCATE names) FROM t",
        "the syntax VALUE_DEFAULT;SELECT DEFAULT",
        "EXPORT_STATE;SELECT sum(bytes) EXPORT_STATE FROM flows",
        "the type GEOMETRY;SELECT 'POINT(1 1)'::geometry",
        "the type VARIANT;SELECT [1::VARIANT]",
        "the type nosuch;SELECT CAST(NULL AS STRUCT(a nosuch))",
      })
  void rejectsUnknownSyntaxAndTypesByName(String nameAndSql) {
    String[] parts = nameAndSql.split(";", 2);
    assertThat(rejection(parts[1])).contains(parts[0]);
  }
}

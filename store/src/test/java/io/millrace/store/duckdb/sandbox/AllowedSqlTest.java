package io.millrace.store.duckdb.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
import io.millrace.store.duckdb.rollup.RolledFlows;
import io.millrace.store.duckdb.sql.Ast;
import io.millrace.store.duckdb.sql.SqlRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions, syntax and types are allowed by name, and everything else is refused by name. */
class AllowedSqlTest {
  private static final Path PAGE = Path.of("..", AllowedSql.PAGE);
  private static final Path MADE = Path.of("target", "functions.md");
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_][a-zA-Z_0-9]*");
  private static final Pattern CALL = Pattern.compile("\\b([a-z_][a-z_0-9]*)\\s*\\(");

  /** Of the parser, and of windows; DuckDB does not list them as functions. */
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

  /** Why the sandbox refuses a query; empty if it does not. */
  private static String refusal(String sql) {
    try {
      SANDBOX.check(connection, sql);
      return "";
    } catch (QueryException e) {
      return e.reason() == Reason.NOT_ALLOWED ? e.getMessage() : "";
    } catch (SQLException e) {
      return ""; // of the parser
    }
  }

  @Test
  void eachFunctionIsListedOrRefusedInEachSyntaxThatReachesIt() throws SQLException {
    int refused = 0;
    for (String name : known(connection)) {
      String quoted = '"' + name.replace("\"", "\"\"") + '"';
      boolean isListed = AllowedSql.isFunction(name);
      refused += isListed ? 0 : 1;
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
              assertThat(refusal(sql)).as(sql).doesNotContain(AllowedSql.PAGE);
            } else {
              assertThat(refusal(sql)).as(sql).contains(name, AllowedSql.PAGE);
            }
          });
      if (!isListed && NAME.matcher(name).matches()) {
        assertThat(refusal("SELECT " + quoted + "(1) OVER ()")).contains(name);
      }
    }
    assertThat(refused).isGreaterThan(300);
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
  void eachMacroOfOursIsListed() throws SQLException {
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
  void refusesUnknownSyntaxAndTypesByName(String nameAndSql) {
    String[] parts = nameAndSql.split(";", 2);
    assertThat(refusal(parts[1])).contains(parts[0]);
  }

  @Test
  void thePageListsTheFunctions() throws IOException {
    StringBuilder page =
        new StringBuilder(
            """
            # Functions

            A [query](http.md) may call these functions of DuckDB, and those of Millrace's own. Any other function is refused with 403 and its name: it
            reaches outside of the database, or takes memory that no limit counts. DuckDB documents [what each function does](https://duckdb.org/docs/sql/functions/overview).

            The aggregate that `list_aggregate` is told is one of *Aggregates*, written as a literal. Functions under *Tables* stand behind `FROM`.
            """);
    AllowedSql.functions()
        .forEach(
            (group, names) -> {
              page.append("\n## ").append(group).append("\n\n");
              page.append(String.join(", ", names.stream().map(name -> "`" + name + "`").toList()));
              page.append("\n");
            });
    Files.writeString(MADE, page);
    assertThat(PAGE)
        .as("rewrite it: cp store/target/functions.md docs/reference/functions.md")
        .hasContent(page.toString());
  }

  /** Pages, the console, commands and Grafana's dashboards. */
  private static List<Path> published() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String root :
        List.of(
            "README.md",
            "docs",
            "deploy",
            "examples",
            "server/src/main/resources/web",
            "server/src/main/java",
            "cli/src/main/java",
            "pipelines/src/main/java")) {
      try (Stream<Path> below = Files.walk(Path.of("..", root))) {
        below
            .filter(file -> file.toString().matches(".*\\.(md|js|json|java|sh|yaml|html)"))
            .filter(file -> !file.endsWith("hardening.md") && !file.toString().contains("notebook"))
            .forEach(files::add);
      }
    }
    return files;
  }

  @Test
  void eachFunctionInAPublishedQueryIsListed() throws Exception {
    Set<String> known = known(flows.root);
    Set<String> called = new LinkedHashSet<>();
    for (Path file : published()) {
      // As much as a query may be: what stands beside it is not a function of DuckDB.
      for (String part : Files.readString(file).split("(?=\\bSELECT\\b)", -1)) {
        if (!part.startsWith("SELECT")) {
          continue;
        }
        String query = part.split("```|;\\s|\\n\\s*\\n", 2)[0];
        CALL.matcher(query)
            .results()
            .map(match -> match.group(1))
            .filter(known::contains)
            .filter(name -> !Set.of("table", "filter").contains(name))
            .forEach(
                name -> {
                  called.add(name);
                  assertThat(AllowedSql.isFunction(name) || AllowedSql.isTableFunction(name))
                      .as("%s in %s: %s", name, file, query)
                      .isTrue();
                });
      }
    }
    assertThat(called).contains("sum", "count", "date_trunc");
  }

  /** Not a part of a query, or one with what a shell puts into it. */
  private static boolean isParsed(String sql) throws SQLException {
    return !Ast.serialized(connection, sql).path("error").asBoolean();
  }

  /** Each block of SQL on a page, as it stands there. */
  @Test
  void eachPublishedQueryPassesTheSandbox() throws Exception {
    int queries = 0;
    Pattern block =
        Pattern.compile("(?s)```sql\\n(.*?)```|\\bsql ['\"]((?:SELECT|WITH|FROM)\\b[^'\"]*)['\"]");
    for (Path file : published()) {
      for (var match : block.matcher(Files.readString(file)).results().toList()) {
        String text = match.group(1) == null ? match.group(2) : match.group(1);
        for (String sql : text.split(";\\s*(?:\\n|$)", -1)) {
          if (isParsed(sql)
              && sql.matches("(?is)\\s*(?:--[^\\n]*\\n)*\\s*(SELECT|WITH|FROM|VALUES)\\b.*")) {
            queries++;
            assertThat(refusal(sql)).as("%s: %s", file, sql).isEmpty();
          }
        }
      }
    }
    assertThat(queries).isGreaterThan(20);
  }
}

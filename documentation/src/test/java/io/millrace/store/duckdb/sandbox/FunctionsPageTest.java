package io.millrace.store.duckdb.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.QueryException;
import io.millrace.store.QueryException.Reason;
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
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The page of functions, and the queries of all pages as the sandbox sees them. */
class FunctionsPageTest {
  private static final Path PAGE = Path.of("..", AllowedSql.PAGE);
  private static final Path MADE = Path.of("target", "functions.md");
  private static final Pattern CALL = Pattern.compile("\\b([a-z_][a-z_0-9]*)\\s*\\(");
  private static final Sandbox SANDBOX = new Sandbox(Map.of(), Set.of(), Set.of());

  private static DuckDBConnection connection;

  @BeforeAll
  static void open() throws SQLException {
    connection = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  private static String rejection(String sql) {
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
  void thePageListsTheFunctions() throws IOException {
    StringBuilder page =
        new StringBuilder(
            """
            # Functions

            A [query](http.md) may call these functions of DuckDB, and those of Millrace's own. Any other function is rejected with 403 and its name: it
            reaches outside of the database, or takes memory that no limit counts. DuckDB documents [what each function does](https://duckdb.org/docs/sql/functions/overview).

            The aggregate of `list_aggregate` is one of *Aggregates*, written as a literal. Functions under *Tables* are used in `FROM`.
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
        .as("rewrite it: cp documentation/target/functions.md docs/reference/")
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
    Set<String> known =
        new TreeSet<>(
            SqlRows.strings(
                connection, "SELECT DISTINCT lower(function_name) FROM duckdb_functions()"));
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
            assertThat(rejection(sql)).as("%s: %s", file, sql).isEmpty();
          }
        }
      }
    }
    assertThat(queries).isGreaterThan(20);
  }
}

package io.millrace.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.console.ApiException;
import io.millrace.cli.console.Pager;
import io.millrace.cli.console.Terminal;
import io.millrace.cli.print.HumanCell;
import io.millrace.cli.print.RowFormat;
import io.millrace.cli.print.RowPrinter;
import io.millrace.store.SqlLiteral;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "sql",
    description = "Run a query on the running instance, or open a prompt if none is given.",
    footer = {
      "",
      "Tables: flows (every row on arrival), flows_committed (rows that a checkpoint covers),",
      "netdata (the published exchange-point schema). At the prompt a query ends with a semicolon,",
      "\\d lists the tables, \\d TABLE its columns, and help lists all commands.",
      "",
      "  millrace sql \"SELECT src_as, sum(bytes) FROM flows GROUP BY 1 ORDER BY 2 DESC LIMIT 5\"",
      "  millrace sql --format spreadsheet \"SELECT * FROM exporters\" > exporters.csv"
    })
final class SqlCommand implements Callable<Integer> {
  private static final String PROMPT_HELP =
      """
      SELECT …;    a query, over any number of lines
      \\d           list tables and views
      \\d TABLE     list the columns of a table
      \\x           toggle one column per line
      help, \\?     this list
      exit, \\q     exit\
      """;

  private static final String TABLES =
      "SELECT table_name AS \"table\", count(*) AS columns FROM information_schema.columns"
          + " GROUP BY ALL ORDER BY 1";
  private static final String COLUMNS =
      "SELECT column_name AS \"column\", data_type AS type FROM information_schema.columns"
          + " WHERE table_name = %s ORDER BY ordinal_position";

  @Spec private CommandSpec spec;
  @Mixin private InstanceOption instance;

  @Parameters(arity = "0..1", paramLabel = "QUERY", description = "A SELECT statement.")
  private String query;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}; table by default.")
  private RowFormat format = RowFormat.TABLE;

  @Option(names = "--limit", paramLabel = "ROWS", description = "Maximum number of rows.")
  private Integer limit;

  private Optional<Pager> pager = Optional.empty();

  @Override
  public Integer call() throws IOException {
    ApiClient client = instance.client();
    PrintWriter out = spec.commandLine().getOut();
    if (query != null) {
      try {
        run(client, query, out);
        return 0;
      } catch (ApiException e) {
        spec.commandLine().getErr().println("millrace: " + e.inOneLine());
        return 1;
      }
    }
    return prompt(client, out);
  }

  private int prompt(ApiClient client, PrintWriter out) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintWriter err = spec.commandLine().getErr();
    boolean interactive = Terminal.isStandardOutput();
    pager = interactive ? Pager.of(System.getenv()) : Optional.empty();
    StringBuilder statement = new StringBuilder();
    int status = 0;
    while (true) {
      if (out.checkError()) {
        return status; // the request itself failed
      }
      if (interactive) {
        out.print(statement.isEmpty() ? "millrace> " : "     ...> ");
        out.flush();
      }
      String line = in.readLine();
      boolean atEnd = line == null;
      if (!atEnd) {
        if (statement.isEmpty() && List.of("exit", "quit", "\\q").contains(line.strip())) {
          return status;
        }
        statement.append(line).append('\n');
      }
      if (statement.toString().isBlank()
          || isPromptCommand(client, statement.toString().strip(), out)) {
        statement.setLength(0);
      }
      String text = statement.toString().strip();
      if (!text.isEmpty() && (atEnd || text.endsWith(";"))) {
        statement.setLength(0);
        try {
          run(client, text, out);
        } catch (
            IOException e) { // the store's message quotes the query with an arrow at the position
          err.println(e.getMessage());
          status = 1;
        }
      }
      if (atEnd) {
        return interactive ? 0 : status;
      }
    }
  }

  private boolean isPromptCommand(ApiClient client, String line, PrintWriter out) {
    String word = line.replaceFirst(";$", "");
    String sql;
    if (word.equals("\\x")) {
      format = format == RowFormat.VERTICAL ? RowFormat.TABLE : RowFormat.VERTICAL;
      out.println(format == RowFormat.TABLE ? "table output" : "one column per line");
      out.flush();
      return true;
    } else if (word.equals("help") || word.equals("\\?")) {
      out.println(PROMPT_HELP);
      out.flush();
      return true;
    } else if (word.equals("\\d")) {
      sql = TABLES;
    } else if (word.matches("\\\\d +\\S+")) {
      sql = COLUMNS.formatted(SqlLiteral.of(word.substring(2).strip()));
    } else {
      return false;
    }
    try {
      run(client, sql, out);
    } catch (IOException e) {
      spec.commandLine().getErr().println(e.getMessage());
    }
    return true;
  }

  private void run(ApiClient client, String sql, PrintWriter out) throws IOException {
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("sql", sql);
    if (limit != null) {
      request.put("limit", limit);
    }
    JsonNode response = client.post("/api/v1/sql", request);
    if (pager.isPresent()) {
      pager.get().show(paged -> print(response, paged));
    } else {
      print(response, out);
    }
    if ((format == RowFormat.TABLE || format == RowFormat.VERTICAL)
        && response.hasNonNull("rows_from")) {
      spec.commandLine()
          .getErr()
          .println(
              "table flows begins at "
                  + response.path("rows_from").asText()
                  + "; older rows were deleted (store.retention)");
    }
    if (response.path("truncated").asBoolean()) {
      spec.commandLine()
          .getErr()
          .println(
              "millrace: result truncated to "
                  + response.path("rows").size()
                  + (limit == null || response.path("rows").size() < limit
                      ? " rows (store.query-row-limit); aggregate, filter or raise the limit"
                      : " rows (--limit); raise it, or aggregate or filter"));
    }
  }

  private void print(JsonNode response, PrintWriter out) {
    print(response, format, out);
  }

  static void print(JsonNode response, RowFormat format, PrintWriter out) {
    RowPrinter printer = RowPrinter.of(format, out);
    List<RowPrinter.Column> columns = new ArrayList<>();
    for (JsonNode column : response.path("columns")) {
      columns.add(
          new RowPrinter.Column(
              column.path("name").asText(), SqlTypes.isNumber(column.path("type").asText())));
    }
    printer.header(columns);
    boolean human =
        (format == RowFormat.TABLE || format == RowFormat.VERTICAL) && Terminal.isStandardOutput();
    String[] cells = new String[columns.size()];
    for (JsonNode row : response.path("rows")) {
      for (int i = 0; i < cells.length; i++) {
        JsonNode cell = row.path(i);
        cells[i] = cell.isNull() ? null : cell.isValueNode() ? cell.asText() : cell.toString();
      }
      if (human) {
        for (int i = 0; i < cells.length; i++) {
          cells[i] = HumanCell.of(columns.get(i), cells[i]);
        }
      }
      printer.row(cells);
    }
    printer.end();
  }
}

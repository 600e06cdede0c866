package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.console.RuntimeOptions;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.store.ObjectsConfig;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.iceberg.TableCatalog;
import io.millrace.testing.Await;
import io.millrace.testing.PythonPackages;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The lines of Python in docs/store.md, in an environment of its own below {@code target}: other
 * clients find the rows that SQL shows. Skipped where there is no Python, or the packages cannot be
 * had.
 */
class StorePageIT {
  private static final String PROMPT = "    >>> ";
  private static final String SUMS =
      "count(*), sum(bytes), sum(packets), count(DISTINCT src_addr), count(src_as_name), min(time), max(time)";

  private static final String ROLLUPS = TrinoRecords.DAYS + "_hour_port";

  @TempDir Path directory;

  private static String row(Millrace millrace, String sql) {
    try (QueryResult result =
        millrace.store().query(new QueryRequest(sql, Duration.ofMinutes(1), 10))) {
      List<String> values = new ArrayList<>();
      assertThat(result.next()).isTrue();
      for (int i = 0; i < result.columns().size(); i++) {
        values.add(String.valueOf(result.value(i)));
      }
      return String.join("|", values);
    }
  }

  @Test
  void otherClientsFindTheSameRows() throws Exception {
    String python = PythonPackages.install("iceberg", "pyiceberg[pyarrow,duckdb]");
    Path data = directory.resolve("data");
    MillraceConfig defaults = MillraceConfig.defaults();
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    MillraceConfig config =
        RuntimeOptions.withBundledDatasets(
            defaults
                .withData(data)
                .withSection(defaults.http().withPort(0))
                .withSection(defaults.flight().withoutListening())
                .withSection(
                    defaults.collector().withListen(loopback).withReceiveBufferBytes(4 << 20)),
            directory.resolve("datasets"));
    try (Millrace millrace = new Millrace(config)) {
      millrace.start();
      send(millrace);
      Await.until(
          "all rows to be committed",
          () ->
              row(millrace, "SELECT count(*) FROM flows_committed")
                  .equals(row(millrace, "SELECT count(*) FROM flows")));
      String expected = row(millrace, "SELECT " + SUMS + " FROM flows");
      TrinoRecords.writeDays(millrace.store());
      Await.until(
          "rollups of a past day as a table",
          () ->
              TableCatalog.ofStore(data.resolve("store"), ObjectsConfig.defaults())
                  .table(ROLLUPS)
                  .orElse("")
                  .contains("total-records"));
      Path script = directory.resolve("read.py");
      Path output = directory.resolve("read.out");
      Files.write(script, script(data.resolve("store"), millrace.url()));
      assertThat(PythonPackages.succeeds(output, List.of(python, script.toString())))
          .as(Files.readString(output))
          .isTrue();
      List<String> printed = Files.readAllLines(output);
      assertThat(printed.get(printed.size() - 4))
          .isEqualTo(row(millrace, "SELECT count(*) FROM flows"));
      assertThat(shortest(printed.get(printed.size() - 3))).isEqualTo(shortest(expected));
      assertThat(printed.get(printed.size() - 2))
          .isEqualTo(row(millrace, "SELECT count(DISTINCT src_as_name) FROM flows"));
      assertThat(shortest(printed.get(printed.size() - 1)))
          .isEqualTo(shortest(row(millrace, TrinoRecords.totalsOfTheFirstDay(ROLLUPS))));
    }
  }

  /** Numbers and times without zeros at the end of their fractions: languages print them apart. */
  private static String shortest(String values) {
    return values.replaceAll("(\\.\\d*?)0+\\b", "$1").replaceAll("\\.(?=\\||$)", "");
  }

  /** The page's lines, and what is compared. */
  private static List<String> script(Path store, String url) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of("..", "docs", "store.md"))) {
      if (line.startsWith(PROMPT)) {
        lines.add(
            line.substring(PROMPT.length())
                .replace("/var/lib/millrace/store", "" + store)
                .replace("http://127.0.0.1:8080", url));
      }
    }
    assertThat(lines).hasSizeGreaterThan(9);
    lines.add("print(len(flows.scan().to_arrow()))"); // of the table by its path
    lines.add("sums = con.sql('SELECT " + SUMS + " FROM flows').fetchall()[0]");
    lines.add("print('|'.join(str(value) for value in sums))");
    lines.add(
        "print(con.sql('SELECT count(DISTINCT name) FROM flows JOIN names ON id = src_as_name').fetchall()[0][0])");
    lines.add("rollups = catalog.load_table('millrace." + ROLLUPS + "')");
    lines.add("con = rollups.scan().to_duckdb('" + ROLLUPS + "', connection=con)");
    lines.add("totals = con.sql(\"\"\"" + TrinoRecords.totalsOfTheFirstDay(ROLLUPS) + "\"\"\")");
    lines.add("print('|'.join(str(value) for value in totals.fetchall()[0]))");
    return lines;
  }

  private void send(Millrace millrace) {
    String flows = directory.resolve("flows.pcap").toString();
    DocumentedCommandsIT.run(
        List.of("generate", "flows", flows, "--rate", "20000", "--seconds", "1"));
    DocumentedCommandsIT.run(List.of("send", flows, "--to", "127.0.0.1:" + millrace.udpPort()));
    assertThat(millrace.awaitDrained(Duration.ofMinutes(1))).isTrue();
  }
}

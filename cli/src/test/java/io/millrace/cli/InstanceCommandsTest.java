package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pulse.FreePort;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and output of the commands that query a running instance. */
class InstanceCommandsTest {
  private static final String STATUS =
      """
      {"uptime_ms": 3723004, "state": "running", "datagrams_in": 1234567, "samples_in": 7000000,
       "samples_in_rate": 1500.4, "rows_stored": 6999999, "rows_stored_rate": 1499.6,
       "rows": 6999999, "disk_bytes": 157286400, "lag_batches": %s, "freshness_ms": %s,
       "restarts": 0, "checkpoint": %s, "problems": [%s]}
      """;
  private static final String TOP =
      """
      {"columns": ["dst_as", "dst_as_name"], "estimated": %s, "total": %s, "note": "N rows",
       "rows": [%s]}
      """;

  private static String sql(String columns, String rows) {
    return "{\"columns\": [" + columns + "], \"rows\": [" + rows + "], \"truncated\": false}";
  }

  private static String column(String name, String type) {
    return "{\"name\": \"" + name + "\", \"type\": \"" + type + "\"}";
  }

  /** Result with a text, an integer and a real, NULLs, and values that need quotes. */
  private static final String ROWS =
      sql(
          String.join(
              ",",
              column("name", "VARCHAR"),
              column("n", "HUGEINT"),
              column("x", "DOUBLE"),
              column("list", "BIGINT[]")),
          "[\"a\\tb,\\\"c\\\"\\nd\\\\\", \"170141183460469231731687303715884105727\", 0.5, \"[1, 2]\"],"
              + "[null, null, \"inf\", null], [\"\", 7, -1.0E-7, \"[]\"]");

  @Test
  void rowsAsTsvHaveEscapesAndEmptyNulls() throws IOException {
    try (StubInstance instance = new StubInstance(200, ROWS)) {
      CommandLineRun run = instance.run("sql", "SELECT 1", "--format", "tsv", "--limit", "3");
      assertThat(run.err()).isEmpty();
      assertThat(run.status()).isZero();
      assertThat(run.out())
          .isEqualTo(
              """
              name\tn\tx\tlist
              a\\tb,"c"\\nd\\\\\t170141183460469231731687303715884105727\t0.5\t[1, 2]
              \t\tinf\t
              \t7\t-1.0E-7\t[]
              """);
      assertThat(instance.requests())
          .containsExactly("POST /api/v1/sql {\"sql\":\"SELECT 1\",\"limit\":3}");
    }
  }

  @Test
  void csvDistinguishesNullFromEmptyText() throws IOException {
    try (StubInstance instance = new StubInstance(200, ROWS)) {
      assertThat(instance.run("sql", "SELECT 1", "--format", "CSV").out())
          .isEqualTo(
              """
              name,n,x,list\r
              "a\tb,""c""
              d\\",170141183460469231731687303715884105727,0.5,"[1, 2]"\r
              ,,inf,\r
              "",7,-1.0E-7,[]\r
              """);
    }
  }

  @Test
  void rowsAsJsonAreAnObjectALine() throws IOException {
    try (StubInstance instance = new StubInstance(200, ROWS)) {
      assertThat(instance.run("sql", "SELECT 1", "--format", "json").out())
          .isEqualTo(
              """
              {"name":"a\\u0009b,\\"c\\"\\u000ad\\\\","n":170141183460469231731687303715884105727,"x":0.5,"list":"[1, 2]"}
              {"name":null,"n":null,"x":"inf","list":null}
              {"name":"","n":7,"x":-1.0E-7,"list":"[]"}
              """);
    }
  }

  @Test
  void aTableAlignsNumbersAndKeepsEachRowInItsLine() throws IOException {
    try (StubInstance instance =
        new StubInstance(
            200,
            sql(
                column("name", "VARCHAR") + "," + column("bytes", "BIGINT"),
                "[\"two\\nlines\", 1234567], [null, null], [\"x\", 5]"))) {
      assertThat(instance.run("sql", "SELECT 1").out())
          .isEqualTo(
              """
              name         bytes
              ─────────  ───────
              two lines  1234567

              x                5
              """);
    }
  }

  @Test
  void aWideValueIsCutInATableAndWholeElsewhere() throws IOException {
    String wide = "w".repeat(100_000);
    try (StubInstance instance =
        new StubInstance(
            200,
            sql(
                column("name", "VARCHAR") + "," + column("n", "BIGINT"),
                "[\"" + wide + "\", 1]"))) {
      assertThat(instance.run("sql", "SELECT 1").out())
          .isEqualTo(
              "name"
                  + " ".repeat(58)
                  + "n\n"
                  + "─".repeat(60)
                  + "  ─\n"
                  + "w".repeat(59)
                  + "…  1\n");
      assertThat(instance.run("sql", "SELECT 1", "--format", "tsv").out())
          .isEqualTo("name\tn\n" + wide + "\t1\n");
    }
  }

  @ParameterizedTest
  @CsvSource({"table,'a  b\n─  ─\n'", "tsv,'a\tb\n'", "csv,'a,b\r\n'", "json,''"})
  void anEmptyResultIsItsHeader(String format, String expected) throws IOException {
    String answer = sql(column("a", "VARCHAR") + "," + column("b", "BIGINT"), "");
    try (StubInstance instance = new StubInstance(200, answer)) {
      CommandLineRun run = instance.run("sql", "SELECT 1", "--format", format);
      assertThat(run.status()).isZero();
      assertThat(run.err()).isEmpty();
      assertThat(run.out()).isEqualTo(expected);
    }
  }

  @Test
  void truncationIsReportedOnStandardError() throws IOException {
    String answer = sql(column("a", "BIGINT"), "[1]").replace("false", "true");
    try (StubInstance instance = new StubInstance(200, answer)) {
      CommandLineRun run = instance.run("sql", "SELECT 1", "--format", "tsv");
      assertThat(run.status()).isZero();
      assertThat(run.out()).isEqualTo("a\n1\n");
      assertThat(run.err()).startsWith("millrace: result truncated to 1 rows").hasLineCount(1);
    }
  }

  @Test
  void aRejectedQueryIsOneLineWithItsPosition() throws IOException {
    String answer =
        """
        {"error": {"message": "Binder Error: Referenced column \\"nothing\\" not found in FROM clause!\\n\
        Candidate bindings: \\"note\\"\\n\\nLINE 1: SELECT nothing FROM flows\\n               ^",
         "status": "Bad Request", "position": 7}}
        """;
    try (StubInstance instance = new StubInstance(400, answer)) {
      CommandLineRun run = instance.run("sql", "SELECT nothing FROM flows");
      assertThat(run.status()).isEqualTo(1);
      assertThat(run.out()).isEmpty();
      assertThat(run.err())
          .isEqualTo(
              "millrace: Binder Error: Referenced column \"nothing\" not found in FROM clause!"
                  + " Candidate bindings: \"note\" (at character 8 of the query)\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"sql x", "top as", "status", "doctor", "doctor 192.0.2.1"})
  void rejectionsHaveTheMessageOfTheInstance(String command) throws IOException {
    String answer = "{\"error\": {\"message\": \"not now\", \"status\": \"Service Unavailable\"}}";
    try (StubInstance instance = new StubInstance(503, answer)) {
      CommandLineRun run = instance.run(command.split(" "));
      assertThat(run.status()).isEqualTo(1);
      assertThat(run.out()).isEmpty();
      assertThat(run.err()).isEqualTo("millrace: not now\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"sql x", "top as", "status", "doctor"})
  void responsesOfOtherServersAreRecognized(String command) throws IOException {
    try (StubInstance instance = new StubInstance(502, "<html>Bad Gateway</html>")) {
      CommandLineRun run = instance.run(command.split(" "));
      assertThat(run.status()).isEqualTo(1);
      assertThat(run.out()).isEmpty();
      assertThat(run.err())
          .isEqualTo(
              "millrace: "
                  + instance.url()
                  + " returned status 502 without JSON; check that --url names a Millrace instance\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"sql x", "top as", "status", "doctor"})
  void aFailedConnectionSaysHowToStartAnInstance(String command) throws IOException {
    String url = "http://127.0.0.1:" + FreePort.any();
    CommandLineRun run = CommandLineRun.of((command + " --url " + url).split(" "));
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .isEqualTo(
            "millrace: no connection to "
                + url
                + "; start an instance with millrace up, or name one with --url\n");
  }

  @Test
  void topRequestsGroupsAndAddsShares() throws IOException {
    String rows =
        "{\"values\": [\"13335\", \"Cloudflare, Inc.\"], \"volume\": 3.0E9, \"flows\": 12},"
            + "{\"values\": [null, null], \"volume\": 1.0E9, \"flows\": 4}";
    try (StubInstance instance = new StubInstance(200, TOP.formatted("true", "4.0E9", rows))) {
      CommandLineRun run =
          instance.run(
              "top", "dst_as", "--by", "packets", "--last", "5m", "-n", "2", "--format", "tsv");
      assertThat(run.out())
          .isEqualTo(
              """
              dst_as\tdst_as_name\testimated_packets\tshare\tflows
              13335\tCloudflare, Inc.\t3000000000\t0.7500\t12
              \t\t1000000000\t0.2500\t4
              """);
      assertThat(run.err()).isEmpty();
      assertThat(instance.requests())
          .containsExactly("GET /api/v1/top?by=dst_as&metric=packets&n=2&last=5m");
      CommandLineRun table = instance.run("top", "dst_as", "proto");
      assertThat(table.out().lines()).hasSize(4);
      assertThat(table.err()).isEqualTo("N rows\n");
      assertThat(instance.requests().get(1))
          .isEqualTo("GET /api/v1/top?by=dst_as%2Cproto&metric=bytes&n=10");
    }
  }

  @Test
  void topHeavyQueriesThePipeline() throws IOException {
    String answer =
        """
        {"epoch": "2026-01-31T13:01:00Z", "measure": "packets", "rows": [{"kind": "source",
          "key": "192.0.2.1", "share": 0.25, "algorithm": "exact", "rank": 1, "estimate": 70,
          "lower": 60, "upper": 80, "previous": null, "change": null}]}
        """;
    try (StubInstance instance = new StubInstance(200, answer)) {
      CommandLineRun run =
          instance.run("top", "--heavy", "source", "5-tuple", "-n", "3", "--format", "tsv");
      assertThat(run.out())
          .isEqualTo(
              """
              kind\tkey\testimated_packets\tlower\tupper\tshare\tchange
              source\t192.0.2.1\t70\t60\t80\t0.2500\t-
              """);
      assertThat(instance.requests())
          .containsExactly("GET /api/v1/hitters?kind=source%2C5-tuple&n=3");
      assertThat(instance.run("top").status()).isEqualTo(2);
    }
  }

  @Test
  void topWithoutGroupsPrintsTheHeader() throws IOException {
    try (StubInstance instance = new StubInstance(200, TOP.formatted("false", "0", ""))) {
      CommandLineRun run = instance.run("top", "dst_as", "--format", "csv");
      assertThat(run.status()).isZero();
      assertThat(run.out()).isEqualTo("dst_as,dst_as_name,bytes,share,flows\r\n");
    }
  }

  @Test
  void statusIsALineForEachThing() throws IOException {
    String checkpoint = "{\"id\": 17, \"age_ms\": 1200, \"duration_ms\": 38, \"bytes\": 5}";
    String answer = STATUS.formatted("3", "45", checkpoint, "\"the kernel's buffer is small\"");
    try (StubInstance instance = new StubInstance(200, answer)) {
      assertThat(instance.run("status").out())
          .isEqualTo(
              """
              state       running
              uptime      1:02:03
              received    1,234,567 datagrams
              decoded     7,000,000 samples, 1,500/s
              stored      6,999,999 rows, 1,500/s
              table flows 6,999,999 rows, 150.0 MiB on disk
              lag         3 batches
              newest row  45 ms old
              checkpoint  17, 1.2 s ago, took 38 ms
              restarts    0
              ! the kernel's buffer is small
              """);
      assertThat(instance.requests()).isEqualTo(List.of("GET /api/v1/status?with=cluster"));
    }
  }

  @Test
  void statusMarksUnknownValues() throws IOException {
    String answer = STATUS.formatted("null", "null", "null", "");
    try (StubInstance instance = new StubInstance(200, answer)) {
      assertThat(instance.run("status").out().lines())
          .contains("lag         unknown", "newest row  unknown", "checkpoint  none yet");
      assertThat(instance.run("status", "--json").out())
          .startsWith("{\"uptime_ms\":3723004,\"state\":\"running\"")
          .hasLineCount(1);
    }
  }

  @Test
  void doctorPrintsItsReportOrTheLedger() throws IOException {
    String answer = "{\"exporters\": [], \"doctor\": \"192.0.2.1: all well\\n\"}";
    try (StubInstance instance = new StubInstance(200, answer)) {
      assertThat(instance.run("doctor").out()).isEqualTo("192.0.2.1: all well\n");
      assertThat(instance.run("doctor", "2001:db8::1", "--json").out())
          .isEqualTo("{\"exporters\":[],\"doctor\":\"192.0.2.1: all well\\n\"}\n");
      assertThat(instance.requests())
          .containsExactly("GET /api/v1/ledger", "GET /api/v1/ledger?exporter=2001%3Adb8%3A%3A1");
    }
  }

  @Test
  void aFilterIsSentUnchanged() throws IOException {
    try (StubInstance instance = new StubInstance(200, TOP.formatted("true", "0", ""))) {
      assertThat(instance.run("top", "as", "--filter", "src net 192.0.2.0/24 and bytes > 1k").err())
          .contains("N rows");
      assertThat(instance.requests())
          .containsExactly(
              "GET /api/v1/top?by=as&metric=bytes&n=10&filter=src+net+192.0.2.0%2F24+and+bytes+%3E+1k");
    }
  }

  @Test
  void anInvalidFilterIsShownWithTheErrorPosition() throws IOException {
    String rejection =
        "{\"error\": {\"message\": \"filter, column 1: expected x\\nLINE 1: y\\n        ^\","
            + " \"status\": \"Bad Request\", \"position\": 0}}";
    try (StubInstance instance = new StubInstance(400, rejection)) {
      CommandLineRun run = instance.run("top", "as", "--filter", "y");
      assertThat(run.status()).isEqualTo(2);
      assertThat(run.err())
          .isEqualTo("millrace: filter, column 1: expected x\nLINE 1: y\n        ^\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"top bogus", "top as --last 5x", "status"})
  void anInvalidQueryIsBadUsage(String command) throws IOException {
    String rejection = "{\"error\": {\"message\": \"that is none\", \"status\": \"Bad Request\"}}";
    try (StubInstance instance = new StubInstance(400, rejection)) {
      CommandLineRun run = instance.run(command.split(" "));
      assertThat(run.status()).isEqualTo(2);
      assertThat(run.err()).isEqualTo("millrace: that is none\n");
    }
    try (StubInstance instance = new StubInstance(503, rejection)) {
      assertThat(instance.run(command.split(" ")).status()).isEqualTo(1);
    }
  }

  @Test
  void replayBeginsOneOrDropsOne() throws IOException {
    String name = "replay_20260131_130102_345";
    try (StubInstance stub =
        new StubInstance(200, "{\"dropped\": [\"" + name + "\", \"" + name + "_counts\"]}")) {
      CommandLineRun run = stub.run("replay", "--drop", name);
      assertThat(run.status()).as(run.err()).isZero();
      assertThat(run.out()).isEqualTo("dropped %1$s\ndropped %1$s_counts\n".formatted(name));
      assertThat(stub.requests()).containsExactly("DELETE /api/v1/replay?table=" + name);
      String from = "2026-01-31T12:00";
      assertThat(stub.run("replay").status()).isEqualTo(2);
      assertThat(stub.run("replay", "--from", from).status()).isEqualTo(2);
      assertThat(stub.run("replay", "--from", from, "--to", from, "--drop", name).status())
          .isEqualTo(2);
      assertThat(stub.requests()).hasSize(1);
    }
  }
}

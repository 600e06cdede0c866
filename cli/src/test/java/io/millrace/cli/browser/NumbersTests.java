package io.millrace.cli.browser;

import static io.millrace.cli.browser.Browser.ENTER;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Numbers on pages: which are shown, with which names, and whether exports have the same. */
interface NumbersTests extends ConsoleTests {
  /** Result of a module's functions as JSON. */
  private JsonNode imported(String path, String names, String result) {
    JsonNode answer =
        browser()
            .answer(
                """
                const done = arguments[arguments.length - 1];
                import("%s").then(async ({ %s }) => done(%s)).catch((failure) => done(String(failure)));
                """
                    .formatted(path, names, result));
    assertThat(answer.isTextual() && answer.asText().contains("Error")).as("%s", answer).isFalse();
    return answer;
  }

  @Test
  @Order(9)
  default void anEstimateWiderThanThirtyPercentIsNotShown() {
    open("#now?last=5m", ".lists button.value");
    String line =
        "{ values: [10, 10, 0, null], errors: %s, error: %s, total: 100, average: 5, maximum: 10, p95: 10 }";
    JsonNode narrow =
        imported("/estimates.js", "certain", "certain(" + line.formatted("[1, 3, 0, 0]", 30) + ")");
    assertThat(narrow.path("values").toString()).isEqualTo("[10,10,0,null]");
    assertThat(narrow.path("maximum").asInt()).isEqualTo(10);
    JsonNode some =
        imported("/estimates.js", "certain", "certain(" + line.formatted("[1, 4, 2, 0]", 20) + ")");
    assertThat(some.path("values").toString()).isEqualTo("[10,null,null,null]");
    assertThat(some.path("average").asInt()).isEqualTo(5);
    assertThat(some.path("p95").isNull()).isTrue();
    JsonNode none =
        imported("/estimates.js", "certain", "certain(" + line.formatted("[1, 1, 0, 0]", 31) + ")");
    assertThat(none.path("values").toString()).isEqualTo("[null,null,null,null]");
    assertThat(none.path("isVague").asBoolean()).isTrue();
    assertThat(
            imported("/format.js", "estimated", "estimated({ error: 9, total: 30, isVague: true })")
                .asText())
        .isEqualTo("too few samples for an estimate");
    assertQuiet();
  }

  @Test
  @Order(9)
  default void overlappingMarksAreMergedAndFilteredByThing() {
    open("#now?last=5m", ".lists button.value");
    String groups = "grouped([{ ms: 50 }, { ms: 10 }, { ms: 20 }, { ms: 100 }], (ms) => ms)";
    assertThat(imported("/chart/marks.js", "grouped", groups).toString())
        .isEqualTo(
            "[{\"left\":10,\"marks\":[{\"ms\":10},{\"ms\":20}]},"
                + "{\"left\":50,\"marks\":[{\"ms\":50}]},{\"left\":100,\"marks\":[{\"ms\":100}]}]");
    String about =
        """
        [[{ by: "source", key: "192.0.2.1" }, "address", ["192.0.2.1"]],
         [{ by: "source", key: "192.0.2.11" }, "address", ["192.0.2.1"]],
         [{ by: "source-as", key: "443" }, "port", ["443"]],
         [{ by: "port", key: "6 443" }, "port", ["443"]],
         [{ by: "interface", key: "192.0.2.1 7" }, "interface", ["192.0.2.1", "7"]],
         [{ by: "keyword", key: "rain" }, "domain", ["rain"]]].map((each) => isAbout(...each))\
        """;
    assertThat(imported("/alerts/marks.js", "isAbout", about).toString())
        .isEqualTo("[true,false,false,true,true,false]");
    assertQuiet();
  }

  @Test
  @Order(9)
  default void slowResultsShowAProgressBar() {
    open("#now?last=5m", ".lists button.value");
    browser()
        .run(
            """
            import("/values/progress.js").then(({ awaited }) => {
              const place = document.body.appendChild(document.createElement("section"));
              place.id = "waiting";
              awaited(place, new Promise((resolve) => (window.arrive = resolve)));
            });
            """);
    browser().awaitShown("#waiting progress");
    browser().run("window.arrive()");
    browser().await("no bar", "!document.querySelector('#waiting progress')");
    browser().run("document.getElementById('waiting').remove()");
    assertQuiet();
  }

  @Test
  @Order(9)
  default void unknownPointsBreakTheCurve() {
    open("#now?last=5m", ".lists button.value");
    assertThat(
            imported("/values/spark.js", "path", "path([1, 1, null, 1, null, 1, 1])")
                .asText()
                .replaceAll("[0-9.,]", ""))
        .isEqualTo("M L Mh M L");
    String text =
        "sourceText({ source: 'rows', bound: 0, fresh_to: '2026-01-01T00:00:00Z', step_seconds: 300,"
            + " total: { error: 0, total: 1 }, gaps: [[0, 600000], [900000, 1200000]] })";
    assertThat(imported("/explore/explore.js", "sourceText", text).asText())
        .contains("Points of 5 min", "no rows in 15 min, counted as 0", "1970");
    assertQuiet();
  }

  /** Partially counted hours, the first step and incomplete steps are not compared. */
  @Test
  @Order(9)
  default void flowsAndCountersAreComparedInFullyCoveredSteps() {
    open("#now?last=5m", ".lists button.value");
    String counted =
        """
        (() => {
          const times = [0, 60_000, 120_000, 180_000, 240_000];
          const rows = [[90_000, 30, 100, 10], [120_000, 30, 100, 10], [180_000, 60, 200, 20], [210_000, 30, 900, 90], [300_000, 90, 500, 50]];
          const line = (column) => ({ ...rates(parts(rows, 60), times, 60, column), average: 7, used: null });
          const flows = (values) => ({ values });
          const answer = { times, step_seconds: 60, complete_until: "1970-01-01T00:04:00Z",
            groups: [flows([9, 50, 100, 450, 9]), flows([9, 10, 20, 30, 9]), line(0), line(1)] };
          return [line(0).whole, countedText(answer)];
        })()
        """;
    JsonNode found = imported("/thing/counters.js", "parts, rates, countedText", counted);
    assertThat(found.get(0).toString()).isEqualTo("[null,100,200,700,500]");
    assertThat(found.get(1).asText())
        .contains("flows account for 60.0 % of it in the 3 steps that have flows and counters")
        .contains("Counter in: 7 bit/s; flows account for 60.0 %");
    assertQuiet();
  }

  @Test
  @Order(9)
  default void percentilesNameTheirStep() {
    open("#explore?last=5m&step=30s", "tbody button.value");
    assertThat(browser().text("thead"))
        .contains("Maximum of 30 s averages", "95th percentile of 30 s averages");
    assertThat(browser().text(".source")).isNotNull();
    browser().select("select[name=step]", "1m");
    awaitAddress("step=1m");
    browser()
        .await(
            "the other step",
            "document.querySelector('thead')?.textContent.includes('percentile of 1 min')");
    browser().select("select[name=step]", "");
    browser().await("no step", "!location.hash.includes('step=')");
    assertQuiet();
  }

  @Test
  @Order(9)
  default void aTimeIsPickedAndLinkedTo() {
    open("#explore?last=5m", "tbody button.value");
    browser().click(".exports button.quiet");
    browser()
        .await(
            "the link", "document.querySelector('.exports output').textContent.includes('from=')");
    String link = browser().text(".exports output");
    assertThat(link).startsWith("http://").contains("#explore?").contains("&to=20");
    assertThat(link).doesNotContain("last=");
    browser().run("location.href = '" + link + "'");
    browser()
        .await("its time", "document.querySelector('input[name=from]')?.value.startsWith('20')");
    browser()
        .run(
            """
            const field = document.querySelector("input[name=from]");
            field.focus();
            const ms = Date.parse(field.value + "Z") - 120_000;
            field.value = new Date(ms).toISOString().slice(0, 19);
            window.picked = field.value;
            """);
    browser().type(ENTER);
    browser()
        .await(
            "the earlier start",
            "!location.hash.includes('last=') && '"
                + link
                + "'.includes(location.hash) === false && document.querySelector('input[name=from]')?.value === window.picked");
    assertQuiet();
  }

  @Test
  @Order(9)
  default void protocolsAndPortsHaveNames() {
    open("#explore?last=5m&by=proto,dst_port", "tbody button.value");
    assertThat(browser().text("tbody")).contains("tcp", "443 https");
    browser().run("document.querySelector('tbody button.value').click()");
    browser().choose("Filter for value");
    awaitAddress("filter=proto+%3D+");
    assertThat(browser().value("new URLSearchParams(location.hash.split('?')[1]).get('filter')"))
        .asString()
        .matches("\"proto = (tcp|udp)\"");
    String all =
        """
        (async () => {
          const wrong = [];
          for (let i = 0; i < 256; i++) {
            if (!protocol(i)) continue;
            const { sql } = await (await fetch("/api/v1/filter?filter=" + encodeURIComponent("proto = " + protocol(i)))).json();
            if (sql !== `"proto" = ${i}`) wrong.push([protocol(i), sql]);
          }
          for (const i of [22, 53, 80, 443, 853, 3389, 51820]) {
            const { sql } = await (await fetch("/api/v1/filter?filter=" + encodeURIComponent("dst_port = " + port(i)))).json();
            if (sql !== `"dst_port" = ${i}`) wrong.push([port(i), sql]);
          }
          return [wrong, named("dst_port", "443", "443", "6"), named("dst_port", "3", "3", "1"), named("src_port", null, "unknown")];
        })().then((found) => found)
        """;
    JsonNode found = imported("/names.js", "named, port, protocol", "await " + all.strip());
    assertThat(found.toString()).isEqualTo("[[],\"443 https\",\"3\",\"unknown\"]");
    assertQuiet();
  }

  /** The visible rows, with the same names, units in the headings, and plain numbers. */
  @Test
  @Order(9)
  default void aSavedTableEqualsTheShownTable() throws IOException {
    open("#explore?last=5m&by=proto,dst_port&n=5&chart=table", "tbody button.value");
    String seen =
        browser()
            .answer(
                "const done = arguments[arguments.length - 1];"
                    + "done([...document.querySelectorAll('tbody tr')].map(row => [...row.querySelectorAll('td')].slice(0, row.querySelector('[colspan]') ? 1 : 2).map(cell => cell.textContent).join(',')).join('\\n'))")
            .asText();
    browser().click(".exports button:not(.quiet)");
    browser().choose("Table as CSV");
    List<String> lines = Files.readAllLines(awaitFile("millrace-proto-dst_port-bits-*Z-*Z.csv"));
    assertThat(lines.get(0))
        .startsWith("Protocol,Destination port,\"Average, bit/s\",\"Maximum of ")
        .endsWith("\"Share, %\"");
    String saved =
        String.join(
            "\n",
            lines.stream()
                .skip(1)
                .map(line -> String.join(",", Arrays.asList(line.split(",")).subList(0, 2)))
                .map(line -> line.replaceAll(",$", ""))
                .toList());
    assertThat(saved).isEqualTo(seen);
    JsonNode forms =
        imported(
            "/explore/forms.js",
            "fileName, spreadsheetCsv",
            "[spreadsheetCsv({ headings: ['A'], rows: [['=1'], ['+1'], ['-x'], ['@x'], ['x=1'], [-1], [null], ['a\"b']] }),"
                + " fileName({ by: ['src_as'], measure: 'bits' }, { from: '2026-01-31T12:00:00Z', to: '2026-01-31T13:00:00.5Z' }, 'csv')]");
    assertThat(forms.get(0).asText())
        .isEqualTo("\uFEFFA\r\n'=1\r\n'+1\r\n'-x\r\n'@x\r\nx=1\r\n-1\r\n\r\n\"a\"\"b\"\r\n");
    assertThat(forms.get(1).asText())
        .isEqualTo("millrace-src_as-bits-20260131T120000Z-20260131T130000Z.csv");
    assertQuiet();
  }

  @Test
  @Order(9)
  default void aSankeyDiagramShowsTheOthers() {
    open("#explore?last=5m&by=src_as,dst_as&chart=sankey&n=5", ".sankey .node");
    assertThat(browser().text(".sankey")).contains("all others");
    JsonNode found =
        imported(
            "/chart/sankey.js",
            "drawn, flows",
            "flows(drawn({ groups: [{ key: ['1', null], label: ['a', 'unknown'], total: 3 }], others: { total: 4 } }, 2), 2)"
                + ".columns.map((nodes) => nodes.map(({ label, total }) => label + total))");
    assertThat(found.toString())
        .isEqualTo("[[\"a3\",\"all others4\"],[\"unknown3\",\"all others4\"]]");
    assertQuiet();
  }

  @Test
  @Order(9)
  default void aMatrixHasARowAndAColumnForEachValue() {
    open("#explore?last=5m&by=src_as,dst_as&chart=matrix&n=5", ".matrix .node");
    assertThat(browser().text("main")).contains("The matrix shows the largest 5 pairs");
    JsonNode found =
        imported(
            "/chart/matrix.js",
            "cells",
            "cells([{ key: ['1', '2'], label: ['a', 'b'], total: 3 }, { key: ['2', '1'], label: ['b', 'a'], total: 5 },"
                + " { key: ['1', null], label: ['a', 'unknown'], total: 1 }])");
    assertThat(found.path("rows").findValuesAsText("label")).containsExactly("b", "a");
    assertThat(found.path("columns").findValuesAsText("label"))
        .containsExactly("a", "b", "unknown");
    assertThat(found.path("cells").findValuesAsText("row")).containsExactly("1", "0", "1");
    assertThat(found.path("cells").findValuesAsText("column")).containsExactly("1", "0", "2");
    assertThat(found.path("cells").findValuesAsText("total")).containsExactly("3", "5", "1");
    JsonNode pages =
        imported(
            "/dimensions.js",
            "clause, page",
            "[clause('src_member', \"O'Hara\"), clause('dst_member', '3'), page('dst_member', 'A/B'), page('src_member_asn', 64500)]");
    assertThat(pages.toString())
        .isEqualTo(
            "[\"src_member = 'O''Hara'\",\"dst_member = '3'\",[\"member\",[\"A/B\"]],[\"as\",[\"64500\"]]]");
    assertQuiet();
  }

  /** The well-known port, or the lower of two; random ports belong to no service. */
  @Test
  @Order(9)
  default void theServiceOfAConversationIsDecidedByBothPorts() {
    open("#now?last=5m", ".lists button.value");
    String decided =
        """
        (async () => {
          const { sql } = await import("/api.js");
          const pairs = "(6, 40000, 443), (6, 443, 40000), (17, 53, 1200), (6, 50000, 27015), (6, 27015, 50000), (6, 40000, 8080), (1, 0, 0), (17, 123, 123)";
          const { rows } = await sql(`SELECT dst_port, ${isService("dst")} FROM (VALUES ${pairs}) AS f(proto, src_port, dst_port)`);
          return rows.map(([port, is]) => is);
        })()
        """;
    assertThat(imported("/names.js", "isService", "await " + decided.strip()).toString())
        .isEqualTo("[true,false,false,true,false,true,false,true]");
    String listed =
        """
        (async () => {
          const { sql } = await import("/api.js");
          const made = `(SELECT TIMESTAMP '2026-01-01 00:00:00' AS time, 100 AS bytes, 1 AS sampling_rate, 17 AS proto, i AS src_addr, 30000 + i AS src_port, 1024 + i AS dst_port FROM (SELECT unnest(range(300)) AS i)
            UNION ALL SELECT TIMESTAMP '2026-01-01 00:00:00', 100, 1, 6, i, 50000, 27015 FROM (SELECT unnest(range(40)) AS i)
            UNION ALL SELECT TIMESTAMP '2026-01-01 00:00:00', 100, 1, 6, 1, 50000 + i, 443 FROM (SELECT unnest(range(5)) AS i))`;
          const text = servicesSql("true", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z").replace("FROM flows", `FROM ${made} AS made`);
          const few = text.replace("range(300)", "range(0)").replace("range(5)", "range(1)");
          return [await sql(text), await sql(few)].map(({ rows }) => rows.map((row) => row.join(":")).join());
        })()
        """;
    assertThat(imported("/thing/services.js", "servicesSql", "await " + listed.strip()).toString())
        .isEqualTo("[\"6:27015,6:443\",\"6:27015,6:443\"]");
    assertQuiet();
  }
}

package io.millrace.cli.browser;

import static io.millrace.cli.browser.Browser.DOWN;
import static io.millrace.cli.browser.Browser.ENTER;
import static io.millrace.cli.browser.Browser.ESCAPE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** The explore page: its chart, table, filter and exports. */
interface ExploreTests extends ConsoleTests {
  @Test
  @Order(4)
  default void aValueIsFilteredForOrExcluded() {
    open("#explore?last=5m&by=dst_port");
    browser().click("tbody button.value");
    browser().choose("Filter for value");
    awaitAddress("filter=dst_port");
    browser().await("one group", "document.querySelectorAll('tbody button.value').length === 1");
    browser().click("tbody button.value");
    browser().choose("By address");
    awaitAddress("by=src_addr");
    open("#now?last=5m", "#hitters td button.value");
    browser()
        .run(
            "document.querySelector('#hitters td button.value').click()"); // made again each second
    browser().choose("Filter for value");
    awaitAddress("#explore");
    browser().awaitShown("tbody button.value");
    open("#explore?last=5m&by=dst_port");
    browser().click("tbody button.value");
    String first = browser().text("tbody button.value");
    browser().choose("Exclude value");
    awaitAddress("IS+NOT+TRUE");
    browser()
        .await(
            "another group is first",
            "document.querySelector('tbody button.value')?.textContent !== '" + first + "'");
    assertQuiet();
  }

  @Test
  @Order(5)
  default void draggingOverTheChartZoomsIn() {
    open("#explore?last=5m", ".plot canvas");
    browser().drag(".plot .u-over", 0.5, 0.9);
    awaitAddress("from=");
    browser()
        .await(
            "the shorter time is shown",
            "document.querySelector('select[name=last]')?.value === 'fixed'");
    String shorter = address();
    assertThat(seconds(shorter)).isBetween(1.0, 150.0);
    browser().click("button[aria-label='Zoom out']");
    browser().await("a longer time", "location.hash !== " + quoted(shorter));
    assertThat(seconds(address())).isGreaterThan(seconds(shorter) * 1.5);
    browser().run("history.back()");
    browser().await("the way back", "location.hash === " + quoted(shorter));
    assertQuiet();
  }

  @Test
  @Order(6)
  default void aClickOnTheChartOpensTheMenuOfTheGroup() {
    open("#explore?last=5m", ".plot canvas");
    browser().drag(".plot .u-over", 0.99, 0.99);
    browser().awaitShown("#menu");
    browser().choose("Zoom to ");
    awaitAddress("from=");
    assertQuiet();
  }

  @Test
  @Order(7)
  default void everyChartShowsThePreviousPeriod() {
    open("#explore?last=5m&by=src_as,dst_port&previous=true", "tbody button.value");
    for (String chart : List.of("lines", "bars", "heat", "sankey", "table", "area")) {
      browser().select("select[name=chart]", chart);
      String shown =
          switch (chart) {
            case "sankey" -> ".sankey .node";
            case "table" -> "tbody button.value";
            default -> ".plot canvas";
          };
      browser().awaitShown(shown);
    }
    browser().select("select[name=measure]", "share");
    awaitAddress("measure=share");
    browser()
        .await(
            "shares of each step",
            "document.querySelector('.range')?.textContent.includes('on average') === false");
    browser().select("select[name=chart]", "sankey");
    browser().awaitShown(".sankey .node");
    assertThat(browser().text(".sankey")).contains(" %");
    browser().click(".sankey .node rect");
    browser().choose("Filter for value");
    awaitAddress("filter=src_as");
    assertQuiet();
  }

  @Test
  @Order(8)
  default void filtersAreCompletedAndShowErrorsAtTheirPosition() {
    open("#explore?last=5m", "tbody button.value");
    browser().click("input.filter");
    browser().type("dst_po");
    browser().awaitShown(".offers li");
    browser().type(DOWN);
    browser().type(ENTER);
    assertThat(browser().value("document.querySelector('input.filter').value").asText())
        .isEqualTo("dst_port");
    browser().type(" = 44");
    browser().awaitShown(".offers li");
    assertThat(browser().text(".offers")).contains("443");
    browser().type("3");
    browser().type(ESCAPE);
    browser().type(ENTER);
    awaitAddress("filter=dst_port");
    browser().click("input.filter");
    browser().run("document.querySelector('input.filter').select()");
    browser().type("src_port = htps" + ESCAPE + ENTER);
    browser().awaitShown(".filter-error");
    assertThat(browser().text(".filter-error")).contains("expected a number", "^");
    assertNoErrorsExceptRejections();
  }

  @Test
  @Order(9)
  default void aViewIsExported() throws IOException {
    open("#explore?last=5m&filter=proto%3Dtcp&measure=share", "tbody button.value");
    browser().click(".exports button");
    browser().choose("Points of the chart as CSV");
    assertThat(Files.readString(awaitFile("millrace-src_as-share-*.points.csv")))
        .startsWith("Time,Source AS,\"Rate, %\"\r\n20");
    browser().click(".exports button");
    browser().choose("Chart as PNG");
    assertThat(Files.readAllBytes(awaitFile("millrace-src_as-share-*.png")))
        .startsWith(0x89, 'P', 'N', 'G');
    browser().click(".exports button");
    browser().choose("Copy as SQL");
    browser()
        .await(
            "the SQL", "document.querySelector('.exports output').textContent.includes('SELECT')");
    String sql = browser().text(".exports output");
    browser().click(".exports button");
    browser().choose("Copy filter");
    browser()
        .await(
            "the filter", "document.querySelector('.exports output').textContent === 'proto=tcp'");
    assertThat(sql).contains("\"proto\" = 6");
    open("#sql?q=" + URLEncoder.encode(sql, UTF_8), "tbody tr");
    assertThat(browser().text("tbody")).isNotEmpty();
    assertQuiet();
  }

  /** Over plain HTTP from another machine, where browsers have no {@code navigator.clipboard}. */
  @Test
  @Order(14)
  default void aFilterIsCopiedWithoutASecureContext() {
    open("#explore?last=5m&filter=proto%3Dtcp", "tbody button.value");
    browser()
        .run(
            """
            Object.defineProperty(navigator, 'clipboard', {value: undefined});
            document.addEventListener('copy', () => {
              const area = document.activeElement;
              window.copied = area.value.slice(area.selectionStart, area.selectionEnd);
            });
            """);
    browser().click(".exports button");
    browser().choose("Copy filter");
    browser().await("what is copied", "window.copied === 'proto=tcp'");
    browser()
        .await(
            "the filter", "document.querySelector('.exports output').textContent === 'proto=tcp'");
    assertThat(browser().value("document.querySelectorAll('.unseen').length").asInt()).isZero();
    assertQuiet();
  }

  /** Only rows of years ago are estimated, so the chart gets a stub response. */
  @Test
  @Order(14)
  default void estimatesAreDrawnWithTheirError() {
    open("#explore?last=5m", ".plot canvas");
    String drawn =
        """
        const done = arguments[arguments.length - 1];
        const picture = (Plot, kind, errors) => {
          const place = document.body.appendChild(document.createElement("div"));
          const line = { values: [3e6, 1e6, 1e6], errors, total: 5e6 };
          const group = { key: ["1"], label: ["one"], ...line };
          const answer = { times: [0, 60_000, 120_000], step_seconds: 60, groups: [group], others: null, total: line,
            previous: null, complete_until: "2026-01-01T00:00:00Z" };
          new Plot(place, { onZoom() {}, onPick() {} }).draw(answer, kind, "bit/s");
          return new Promise((drawn) => requestAnimationFrame(() => {
            const canvas = place.querySelector("canvas");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            place.remove();
            drawn(data.filter((each, i) => i % 4 === 3 && each > 0).length);
          }));
        };
        import("/chart/plot.js").then(async ({ Plot }) => {
          const painted = [];
          for (const kind of ["lines", "area"]) {
            for (const errors of [[], [0, 5e5, 5e5]]) painted.push(await picture(Plot, kind, errors));
          }
          done(painted);
        }, (failure) => done(String(failure)));
        """;
    JsonNode painted = browser().answer(drawn);
    assertThat(painted.isArray()).as("%s", painted).isTrue();
    assertThat(painted.get(1).asInt()).isGreaterThan(painted.get(0).asInt());
    assertThat(painted.get(3).asInt()).isGreaterThan(painted.get(2).asInt());
    assertQuiet();
  }

  /** The median of several drawings in this browser, of new charts and of new values. */
  @Test
  @Order(16)
  default void chartsReportTheirDrawingTime() {
    open("#explore?last=5m", ".plot canvas");
    String drawn =
        """
        const done = arguments[arguments.length - 1];
        const LINES = 12;
        const ROUNDS = 21;
        const answer = (points) => {
          const times = Array.from({ length: points }, (_, i) => i * 60_000);
          const groups = Array.from({ length: LINES }, (_, g) => ({ key: [String(g)], label: ["AS " + g], errors: [], total: 1,
            values: times.map((ms, i) => 1e9 * (2 + Math.sin(i / 20 + g) + Math.random())) }));
          return { times, step_seconds: 60, groups, others: null, previous: null, complete_until: "2026-01-01T00:00:00Z",
            total: { values: [], errors: [], total: LINES } };
        };
        const frame = () => new Promise((next) => requestAnimationFrame(next));
        const median = (millis) => millis.sort((a, b) => a - b)[millis.length >> 1];
        import("/chart/plot.js").then(async ({ Plot }) => {
          const place = document.body.appendChild(document.createElement("div"));
          const told = [];
          for (const kind of ["lines", "area"]) {
            for (const points of [300, 2_000]) {
              const first = [];
              const again = [];
              for (let i = 0; i < ROUNDS; i++) {
                const plot = new Plot(place, { onZoom() {}, onPick() {} });
                for (const millis of [first, again]) {
                  const each = answer(points);
                  const began = performance.now();
                  plot.draw(each, kind, "bit/s");
                  await Promise.resolve(); // drawn in a microtask
                  const canvas = place.querySelector("canvas");
                  canvas.getContext("2d").getImageData(0, 0, 1, 1); // waits until it is painted
                  millis.push(performance.now() - began);
                  await frame();
                }
                plot.close();
              }
              told.push({ kind, points, first: median(first), again: median(again) });
            }
          }
          place.remove();
          done(told);
        }, (failure) => done(String(failure)));
        """;
    JsonNode told = browser().answer(drawn);
    assertThat(told.isArray()).as("%s", told).isTrue();
    for (JsonNode each : told) {
      System.out.printf(
          "chart of 12 %s, %d points each: %.1f ms new, %.1f ms with other values%n",
          each.path("kind").asText(),
          each.path("points").asInt(),
          each.path("first").asDouble(),
          each.path("again").asDouble());
      assertThat(each.path("first").asDouble()).isBetween(0.0, 1_000.0);
    }
    assertQuiet();
  }

  private double seconds(String hash) {
    return browser()
            .value(
                "(query => Date.parse(query.get('to')) - Date.parse(query.get('from')))(new URLSearchParams("
                    + quoted(hash.substring(hash.indexOf('?')))
                    + "))")
            .asDouble()
        / 1_000;
  }

  private static String quoted(String text) {
    return '"' + text + '"';
  }
}

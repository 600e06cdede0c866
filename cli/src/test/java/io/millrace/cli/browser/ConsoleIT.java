package io.millrace.cli.browser;

import static io.millrace.cli.browser.Browser.CONTROL;
import static io.millrace.cli.browser.Browser.DOWN;
import static io.millrace.cli.browser.Browser.ENTER;
import static io.millrace.cli.browser.Browser.ESCAPE;
import static io.millrace.cli.browser.Browser.TAB;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.console.RuntimeOptions;
import io.millrace.pipelines.hitters.HittersConfig;
import io.millrace.pipelines.hitters.HittersPipeline;
import io.millrace.server.access.AccessToken;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.testing.Await;
import io.millrace.traffic.DemoData;
import io.millrace.traffic.ExporterSockets;
import io.millrace.traffic.Pace;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.UdpSender;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import io.millrace.wire.sflow.SflowEncoder;
import io.millrace.wire.sflow.SflowLayout;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The console in a browser, before an instance with generated traffic: each page at two widths and
 * in both themes, by mouse and by keyboard. Nothing may be told to the browser's console as an
 * error, and axe finds nothing to object to. One instance and one browser for all.
 *
 * <p>With {@code -Dmillrace.screenshots=DIR} traffic is sent for some minutes first, and the
 * screenshots of the documents are written there.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsoleIT {
  private static final int WIDE = 1_400;
  private static final int NARROW = 390;
  private static final int HEIGHT = 900;
  private static final String SCREENSHOTS = System.getProperty("millrace.screenshots");
  private static final int SECONDS = SCREENSHOTS == null ? 4 : 310;
  private static final int RATE = 2_000;
  private static final boolean LONG = Boolean.getBoolean("millrace.long");
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";

  /** What axe looks for: all of it, or only what a second theme of the same page can break. */
  private static final String EVERYTHING = "{resultTypes: ['violations']}";

  private static final String COLOURS =
      "{resultTypes: ['violations'],"
          + " runOnly: {type: 'rule', values: ['color-contrast', 'link-in-text-block']}}";

  /** Addresses of pages, each with what is there when it is shown. */
  private static final Map<String, String> PAGES =
      Map.of(
          "#now?last=5m", ".lists button.value",
          "#explore?last=5m&n=5", "tbody button.value",
          "#explore?last=5m&by=src_as,dst_as&chart=sankey", ".sankey .node",
          "#as/15169?last=5m", ".lists button.value",
          "#interface/127.0.0.11/1?last=5m", ".lists button.value",
          "#port/443?last=5m", ".lists button.value",
          "#sql", "textarea",
          "#pipelines", ".graph .step",
          "#sources", "td .advice, tbody tr");

  @TempDir static Path dir;
  private MillraceConfig config;
  private Millrace millrace;
  private Browser browser;
  private String axe;

  @BeforeAll
  void start() throws IOException {
    browser = Browser.start(dir).orElse(null);
    assumeTrue(
        browser != null,
        "the console is not tested: chromium and chromedriver are missing (Debian's packages"
            + " chromium and chromium-driver)");
    MillraceConfig defaults = MillraceConfig.defaults();
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    config =
        RuntimeOptions.withBundledDatasets(
            defaults
                .withData(dir.resolve("data"))
                .with(
                    new HittersPipeline(
                        HittersConfig.defaults()
                            .withEnabled(true)
                            .withEpoch(Duration.ofSeconds(1))))
                .withSection(defaults.http().withPort(0))
                .withSection(defaults.flight().withoutListening())
                .withSection(
                    defaults.collector().withListen(loopback).withReceiveBufferBytes(4 << 20)),
            dir.resolve("datasets"));
    millrace = new Millrace(config);
    millrace.start();
    try (InputStream script = ConsoleIT.class.getResourceAsStream("/axe.min.js")) {
      axe = new String(script.readAllBytes(), UTF_8);
    }
    browser.screen(WIDE, HEIGHT, false);
  }

  @AfterAll
  void stop() {
    if (browser != null) {
      browser.close();
    }
    if (millrace != null) {
      millrace.close();
    }
  }

  private void send() throws IOException {
    TrafficGenerator generator =
        new TrafficGenerator(
            TrafficConfig.defaults(1, System.currentTimeMillis() * 1_000)
                .withSamplesPerSecond(RATE),
            DemoData.pool());
    try (ExporterSockets sockets =
        new ExporterSockets(
            generator,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), millrace.udpPort()))) {
      var unused =
          new UdpSender(generator, sockets)
              .send(
                  Pace.samplesPerSecond(RATE),
                  (long) RATE * SECONDS,
                  Long.MAX_VALUE,
                  UdpSender.Listener.NONE);
    }
    tellNames();
    assertThat(millrace.awaitDrained(Duration.ofMinutes(1))).isTrue();
  }

  /** The name and the counters of an interface, and a datagram that is cut off. */
  private void tellNames() throws IOException {
    CounterBlock counters = new CounterBlock(1);
    counters.ints(CounterColumn.IF_INDEX)[0] = 1;
    counters.longs(CounterColumn.IF_SPEED)[0] = 10_000_000_000L;
    SflowEncoder encoder = new SflowEncoder(1_500);
    encoder.begin(0, Addresses.v4Low(0x7F00000B), 9, 1, 1_000);
    encoder.counterSample(1, 0, 1);
    encoder.interfaceCounters(counters, 0);
    byte[] name = ByteBuffer.allocate(12).putInt(8).put("xe-0/0/1".getBytes(UTF_8)).array();
    encoder.record(SflowLayout.PORT_NAME, name, 0, name.length);
    byte[] whole = encoder.toBytes();
    try (DatagramSocket socket =
        new DatagramSocket(new InetSocketAddress(InetAddress.getByName("127.0.0.11"), 0))) {
      for (int length : new int[] {whole.length, whole.length - 8}) {
        socket.send(
            new DatagramPacket(
                whole,
                length,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), millrace.udpPort())));
      }
    }
  }

  private void open(String page) {
    browser.open("about:blank"); // a page that differs behind the # alone is not loaded anew
    browser.open(millrace.url() + "/" + page);
  }

  private String address() {
    return browser.value("location.hash").asText();
  }

  private void awaitAddress(String part) {
    browser.await("the address with " + part, "location.hash.includes('" + part + "')");
  }

  private void assertQuiet() {
    assertThat(browser.errors()).isEmpty();
  }

  /** Questions that were refused are told to the console by the browser itself. */
  private void assertQuietButForRefusals() {
    assertThat(browser.errors()).allMatch(error -> error.contains("/api/v1/"));
  }

  @Test
  @Order(1)
  void anEmptyInstanceSaysWhatToDo() throws IOException {
    open("#now");
    browser.awaitShown("#empty-title");
    assertThat(browser.text("main"))
        .contains("127.0.0.1:" + millrace.udpPort(), "sflow collector", "receiving on");
    assertQuiet();
    send();
    browser.await("the card is gone", "!document.getElementById('empty-title')");
  }

  @Test
  @Order(2)
  void everyPageIsShownAtEachWidthInBothThemes() {
    for (Map.Entry<String, String> page : PAGES.entrySet()) {
      boolean isOpen = false;
      for (int width : new int[] {NARROW, WIDE}) {
        for (boolean isDark : new boolean[] {false, true}) {
          if (width == NARROW && isDark && !LONG) {
            continue; // colours are looked over at one width, widths in one theme
          }
          browser.screen(width, HEIGHT, isDark);
          if (!isOpen || LONG) { // else the page that is open takes another width and theme
            open(page.getKey());
            isOpen = true;
          }
          browser.awaitShown(page.getValue());
          String where = page.getKey() + " at " + width + (isDark ? " dark" : " light");
          browser.await( // what is drawn last may still have another width
              where + " without scrolling sideways",
              "document.documentElement.scrollWidth <= " + width);
          assertThat(browser.errors()).as(where).isEmpty();
          if (width == WIDE || LONG) {
            assertThat(findings(isDark && !LONG ? COLOURS : EVERYTHING)).as(where).isEmpty();
          }
        }
      }
    }
    browser.screen(WIDE, HEIGHT, false);
  }

  private List<String> findings(String options) {
    if (!browser.value("'axe' in window").asBoolean()) {
      browser.run(axe);
    }
    JsonNode found =
        browser.answer(
            "const done = arguments[arguments.length - 1];"
                + "axe.run(document, "
                + options
                + ").then(({violations}) => done(violations.map(each =>"
                + " each.id + ': ' + each.nodes.map(node => node.html + ' ' + node.failureSummary).join(' | '))))");
    return Stream.iterate(0, i -> i < found.size(), i -> i + 1)
        .map(i -> found.get(i).asText())
        .toList();
  }

  /** Who, then from which address, on which interface, in which seconds. */
  @Test
  @Order(3)
  void fourClicksLeadFromAnAsToItsAddressAndInterface() {
    open("#now?last=5m");
    browser.awaitShown("#hitters td button.value"); // nothing moves from here on
    String first = ".lists + .lists section:nth-of-type(1) button.value";
    browser.awaitShown(first);
    browser.run("document.querySelector('" + first + "').click()");
    browser.choose("Open its page");
    awaitAddress("#as/");
    browser.awaitShown(".lists button.value");
    assertThat(browser.text("h2")).startsWith("AS ");
    browser.await(
        "its addresses",
        "document.querySelector('.lists').innerText.includes('Its addresses that send')");
    browser.await(
        "an address of it",
        "[...document.querySelectorAll('.lists section')].find(each => each.textContent.startsWith('Its addresses that send'))?.querySelector('button.value')");
    browser.run(
        "[...document.querySelectorAll('.lists section')].find(each => each.textContent.startsWith('Its addresses that send')).querySelector('button.value').focus()");
    browser.type(ENTER);
    browser.choose("Open its page");
    awaitAddress("#address/");
    browser.await(
        "first seen", "document.querySelector('.thing-head').textContent.includes('First seen')");
    browser.await(
        "the interface that it comes in by",
        "[...document.querySelectorAll('.lists section')].find(each => each.textContent.startsWith('Interfaces it comes in by'))?.querySelectorAll('button.value').length >= 2");
    assertQuiet();
  }

  @Test
  @Order(4)
  void aValueIsKeptAloneOrLeftOut() {
    open("#explore?last=5m&by=dst_port");
    browser.click("tbody button.value");
    browser.choose("Only this");
    awaitAddress("filter=dst_port");
    browser.await("one group", "document.querySelectorAll('tbody button.value').length === 1");
    browser.click("tbody button.value");
    browser.choose("By address");
    awaitAddress("by=src_addr");
    open("#now?last=5m");
    browser.awaitShown("#hitters td button.value");
    browser.run(
        "document.querySelector('#hitters td button.value').click()"); // made anew each second
    browser.choose("Only this");
    awaitAddress("#explore");
    browser.awaitShown("tbody button.value");
    open("#explore?last=5m&by=dst_port");
    browser.click("tbody button.value");
    String first = browser.text("tbody button.value");
    browser.choose("Without this");
    awaitAddress("IS+NOT+TRUE");
    browser.await(
        "another group is first",
        "document.querySelector('tbody button.value')?.textContent !== '" + first + "'");
    assertQuiet();
  }

  @Test
  @Order(5)
  void aStretchOfTheChartIsDraggedOver() {
    open("#explore?last=5m");
    browser.awaitShown(".plot canvas");
    browser.drag(".plot .u-over", 0.5, 0.9);
    awaitAddress("from=");
    browser.await(
        "the shorter time is shown",
        "document.querySelector('select[name=last]')?.value === 'fixed'");
    String shorter = address();
    assertThat(seconds(shorter)).isBetween(1.0, 150.0);
    browser.click("button[aria-label='A longer time']");
    browser.await("a longer time", "location.hash !== " + quoted(shorter));
    assertThat(seconds(address())).isGreaterThan(seconds(shorter) * 1.5);
    browser.run("history.back()");
    browser.await("the way back", "location.hash === " + quoted(shorter));
    assertQuiet();
  }

  private static String quoted(String text) {
    return '"' + text + '"';
  }

  private double seconds(String hash) {
    return browser
            .value(
                "(query => Date.parse(query.get('to')) - Date.parse(query.get('from')))(new URLSearchParams("
                    + quoted(hash.substring(hash.indexOf('?')))
                    + "))")
            .asDouble()
        / 1_000;
  }

  @Test
  @Order(6)
  void aClickOnTheChartAsksAboutTheGroupUnderIt() {
    open("#explore?last=5m");
    browser.awaitShown(".plot canvas");
    browser.drag(".plot .u-over", 0.99, 0.99);
    browser.awaitShown("#menu");
    browser.choose("Only 2"); // a day of the month begins with it or the year follows
    awaitAddress("from=");
    assertQuiet();
  }

  @Test
  @Order(7)
  void everyChartIsDrawnWithThePeriodBefore() {
    open("#explore?last=5m&by=src_as,dst_port&previous=true");
    browser.awaitShown("tbody button.value");
    for (String chart : List.of("lines", "bars", "heat", "sankey", "table", "area")) {
      browser.select("select[name=chart]", chart);
      String shown =
          switch (chart) {
            case "sankey" -> ".sankey .node";
            case "table" -> "tbody button.value";
            default -> ".plot canvas";
          };
      browser.awaitShown(shown);
    }
    browser.select("select[name=measure]", "share");
    awaitAddress("measure=share");
    browser.await(
        "shares of each step",
        "document.querySelector('.range')?.textContent.includes('on average') === false");
    browser.select("select[name=chart]", "sankey");
    browser.awaitShown(".sankey .node");
    assertThat(browser.text(".sankey")).contains(" %");
    browser.click(".sankey .node rect");
    browser.choose("Only this");
    awaitAddress("filter=src_as");
    assertQuiet();
  }

  @Test
  @Order(8)
  void aFilterIsCompletedAndItsErrorIsShownAtItsPlace() {
    open("#explore?last=5m");
    browser.awaitShown("tbody button.value");
    browser.click("input.filter");
    browser.type("dst_po");
    browser.awaitShown(".offers li");
    browser.type(DOWN);
    browser.type(ENTER);
    assertThat(browser.value("document.querySelector('input.filter').value").asText())
        .isEqualTo("dst_port");
    browser.type(" = 44");
    browser.awaitShown(".offers li");
    assertThat(browser.text(".offers")).contains("443");
    browser.type("3");
    browser.type(ESCAPE);
    browser.type(ENTER);
    awaitAddress("filter=dst_port");
    browser.click("input.filter");
    browser.run("document.querySelector('input.filter').select()");
    browser.type("src_port = htps" + ESCAPE + ENTER);
    browser.awaitShown(".filter-error");
    assertThat(browser.text(".filter-error")).contains("expected a number", "^");
    assertQuietButForRefusals();
  }

  @Test
  @Order(9)
  void aViewIsTakenAlong() throws IOException {
    open("#explore?last=5m&filter=proto%3Dtcp&measure=share");
    browser.awaitShown("tbody button.value");
    browser.click(".exports button");
    browser.choose("Table as CSV");
    awaitFile("millrace.csv");
    assertThat(Files.readString(dir.resolve("millrace.csv"))).startsWith("time,src_as,rate\r\n20");
    browser.click(".exports button");
    browser.choose("Chart as PNG");
    awaitFile("millrace.png");
    assertThat(Files.readAllBytes(dir.resolve("millrace.png"))).startsWith(0x89, 'P', 'N', 'G');
    browser.click(".exports button");
    browser.choose("Copy as SQL");
    browser.await(
        "the SQL", "document.querySelector('.exports output').textContent.includes('SELECT')");
    String sql = browser.text(".exports output");
    assertThat(sql).contains("\"proto\" = 6");
    open("#sql?q=" + URLEncoder.encode(sql, UTF_8));
    browser.awaitShown("tbody tr");
    assertThat(browser.text("tbody")).isNotEmpty();
    assertQuiet();
  }

  private static void awaitFile(String name) {
    Await.until(name, () -> Files.exists(dir.resolve(name)) && Files.size(dir.resolve(name)) > 0);
  }

  @Test
  @Order(10)
  void aQueryIsCompletedRunExplainedAndRemembered() {
    open("#sql");
    browser.awaitShown("textarea");
    browser.click("textarea");
    browser.run("document.querySelector('textarea').select()");
    browser.type(
        "SELECT time_bucket(INTERVAL 1 SECOND, time) AS t, count(*) AS n FROM flows GROUP BY ALL ORDER BY 1");
    browser.type(ESCAPE);
    browser.type("" + CONTROL + ENTER);
    browser.awaitShown("tbody tr");
    browser.awaitShown(".plot canvas");
    assertThat(browser.text("output.source")).contains("rows", " ms");
    browser.click("button.quiet");
    browser.awaitShown(".plan");
    browser.await("it is remembered", "document.querySelectorAll('option').length >= 2");
    browser.run("document.querySelector('textarea').value = 'SELECT nothing FROM flows'");
    browser.click("button:not(.quiet)[title]");
    browser.awaitShown("pre[role=alert]");
    assertThat(browser.text("pre[role=alert]")).contains("nothing", "line 1:");
    assertQuietButForRefusals();
  }

  @Test
  @Order(11)
  void whatAnsweredIsToldAndItsValuesCanBeClicked() {
    open(
        "#sql?q="
            + URLEncoder.encode(
                "SELECT exporter, in_if, in_if_name, count(*) AS n FROM flows WHERE in_if_name IS NOT NULL GROUP BY ALL",
                UTF_8));
    browser.awaitShown("tbody button.value");
    assertThat(browser.text("tbody")).contains("xe-0/0/1");
    browser.await(
        "what answered",
        "document.querySelector('output.source').textContent.includes('answered from rows')");
    browser.click("tbody td:nth-of-type(2) button.value");
    browser.choose("Open its page");
    awaitAddress("#interface/127.0.0.11/1");
    browser.awaitShown(".called");
    assertThat(browser.text(".called")).isEqualTo("xe-0/0/1 · 10.0 Gbit/s");
    browser.click(".called button.value");
    browser.choose("Only this");
    awaitAddress("filter=in_if_name");
    browser.awaitShown("tbody button.value");
    browser.select("select[name=by1]", "in_if_name");
    browser.await(
        "the one interface of this name",
        "[...document.querySelectorAll('tbody button.value')].map(each => each.textContent).join() === 'xe-0/0/1'");
    assertQuiet();
  }

  @Test
  @Order(12)
  void sourcesTellWhatIsJoinedAndWhatCouldNotBeRead() {
    Await.until(
        "the dead letter is written",
        () ->
            browser
                    .answer(
                        "const done = arguments[arguments.length - 1];"
                            + "fetch('/api/v1/dead-letters').then(each => each.json()).then(each => done(each.rows.length))")
                    .asInt()
                > 0);
    open("#sources");
    browser.click(".letter summary");
    browser.awaitShown(".letter pre mark");
    assertThat(browser.text(".letter summary")).contains("127.0.0.11", "sflow", "at byte 28");
    assertThat(browser.text(".letter pre")).startsWith("0000  00 00 00 05");
    assertThat(browser.text("main")).contains("asn", "Hit rate");
    assertThat(findings(EVERYTHING)).isEmpty();
    browser.run("document.querySelector('td button.value').click()");
    browser.choose("Open its page");
    awaitAddress("#exporter/");
    assertQuiet();
  }

  @Test
  @Order(13)
  void thePipelinesPageSaysWhatToDo() {
    open("#pipelines");
    browser.awaitShown(".todo .advice, .todo p");
    assertThat(browser.text(".todo")).startsWith("What to do");
    browser.awaitShown(".graph .step");
    assertQuiet();
  }

  /** Rows of years ago are estimated; here all rows are there, so the chart is given an answer. */
  @Test
  @Order(14)
  void estimatesAreDrawnWithTheirError() {
    open("#explore?last=5m");
    browser.awaitShown(".plot canvas");
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
    JsonNode painted = browser.answer(drawn);
    assertThat(painted.isArray()).as("%s", painted).isTrue();
    assertThat(painted.get(1).asInt()).isGreaterThan(painted.get(0).asInt());
    assertThat(painted.get(3).asInt()).isGreaterThan(painted.get(2).asInt());
    assertQuiet();
  }

  @Test
  @Order(15)
  void theKeyboardAloneIsEnough() {
    open("#now?last=5m");
    browser.awaitShown(".lists button.value");
    browser.run("document.querySelector('nav a[href=\"#explore\"]').focus()");
    browser.type(ENTER);
    awaitAddress("#explore");
    browser.awaitShown("tbody button.value");
    browser.run("document.querySelector('tbody button.value').focus()");
    browser.type(ENTER);
    browser.awaitShown("#menu");
    browser.type(ESCAPE);
    browser.await(
        "the keyboard is back where it was",
        "!document.querySelector('#menu').checkVisibility() && document.activeElement.matches('button.value')");
    browser.type("" + ENTER + DOWN);
    assertThat(browser.value("document.activeElement.textContent").asText())
        .isEqualTo("Without this");
    browser.type(ESCAPE);
    browser.run("document.querySelector('.plot').focus()");
    browser.await("the chart has the keyboard", "document.activeElement.matches('.plot')");
    browser.type("-");
    awaitAddress("from=");
    browser.run("document.querySelector('#find input').focus()");
    browser.type("AS15169" + ENTER);
    awaitAddress("#as/15169");
    browser.type(TAB);
    assertThat(browser.value("document.activeElement.id").asText()).isEqualTo("utc");
    browser.type(" ");
    browser.await(
        "times in UTC", "document.querySelector('.range')?.textContent.includes('· UTC')");
    assertQuiet();
  }

  @Test
  @Order(16)
  void thePicturesOfTheDocuments() throws IOException {
    assumeTrue(SCREENSHOTS != null, "pictures are made with -Dmillrace.screenshots=DIR");
    picture("explore", "#explore?last=5m", "tbody button.value", 1_280, 860, false);
    picture(
        "now", "#now?last=5m", ".lists section:nth-of-type(6) button.value", 1_280, 1_000, false);
    picture(
        "sankey",
        "#explore?last=5m&by=src_as,exporter,dst_as&chart=sankey&n=25",
        ".sankey .node",
        1_280,
        900,
        true);
    picture(
        "interface",
        "#interface/127.0.0.11/1?last=5m",
        ".lists section:nth-of-type(6) button.value",
        1_280,
        900,
        true);
    picture("phone", "#explore?last=5m", "tbody button.value", NARROW, 844, true);
  }

  private void picture(
      String name, String page, String shown, int width, int height, boolean isDark)
      throws IOException {
    browser.screen(width, height, isDark);
    open(page);
    browser.awaitShown(shown);
    Files.createDirectories(Path.of(SCREENSHOTS));
    Files.write(Path.of(SCREENSHOTS, name + ".png"), PalettePng.of(browser.screenshot()));
  }

  /** The last: the same page goes on before the server that comes back, and shows it the token. */
  @Test
  @Order(17)
  void aServerThatComesBackIsGoneOnWith() throws IOException {
    browser.screen(WIDE, HEIGHT, false);
    open("#now?last=5m");
    browser.awaitShown(".lists button.value");
    int port = URI.create(millrace.url()).getPort();
    millrace.close();
    browser.await("it is told", "document.getElementById('state').textContent === 'not connected'");
    millrace =
        new Millrace(
            config.withSection(config.http().withPort(port).withToken(AccessToken.of(TOKEN))));
    millrace.start();
    browser.awaitShown("#access");
    browser.click("#access-token");
    browser.type(TOKEN + ENTER);
    browser.await("it runs", "document.getElementById('state').textContent.startsWith('running')");
    browser.await(
        "no problem is told",
        "!document.querySelector('.problems').textContent.includes('does not answer')");
    browser.awaitShown(".lists button.value");
    assertThat(browser.errors()).allMatch(error -> error.contains("/api/v1/"));
  }
}

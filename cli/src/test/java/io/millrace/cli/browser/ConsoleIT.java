package io.millrace.cli.browser;

import static io.millrace.cli.browser.Browser.ENTER;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.server.access.AccessToken;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The web console of an instance with generated traffic, in a browser: each page at two widths and
 * in both themes, by mouse and by keyboard, without console errors or findings of axe. All tests
 * share one instance and one browser.
 *
 * <p>{@code -Dmillrace.screenshots=DIR} sends traffic for some minutes at the end and writes the
 * screenshots of the documentation; {@code -Dmillrace.layouts=DIR} writes each page at each width.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsoleIT implements ExploreTests, NumbersTests, PagesTests {
  private static final int NARROW = 390;
  private static final int MIDDLE = 768;

  /** Words of cells that wrap, and headings that are not aligned with their cells. */
  private static final String MISPLACED =
      """
      (() => {
        const found = [];
        for (const table of document.querySelectorAll("main table")) {
          const seen = (row) => [...(row?.cells ?? [])].filter((cell) => cell.checkVisibility());
          const row = [...table.tBodies[0].rows].find((each) => [...each.cells].every((cell) => cell.colSpan === 1));
          const heads = seen(table.tHead?.rows[0]).map((cell) => Math.round(cell.getBoundingClientRect().left));
          const cells = seen(row).map((cell) => Math.round(cell.getBoundingClientRect().left));
          if (row && heads.join() !== cells.join()) found.push(`columns ${heads} over ${cells}: ${table.tHead.textContent}`);
          const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
          for (let node = texts.nextNode(); node; node = texts.nextNode()) {
            if (!node.parentElement.checkVisibility() || node.parentElement.closest("pre, .long")) continue;
            for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{N}.:]+/gu)) {
              const range = document.createRange();
              range.setStart(node, index);
              range.setEnd(node, index + word.length);
              const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
              if (lines.size > 1) found.push(`word ${word}`);
            }
          }
        }
        return found;
      })()
      """;

  private static final String SCREENSHOTS = System.getProperty("millrace.screenshots");
  private static final String LAYOUTS = System.getProperty("millrace.layouts");
  private static final boolean LONG = Boolean.getBoolean("millrace.long");
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";

  /** Placeholder of the address that sends most. */
  private static final String ADDRESS = "ADDRESS";

  /** Paths of pages, each with an element that is visible once it is shown. */
  private static final Map<String, String> PAGES =
      Map.ofEntries(
          Map.entry("#now?last=5m", ".lists button.value"),
          Map.entry("#explore?last=5m&n=5", "tbody button.value"),
          Map.entry("#explore?last=5m&by=src_as,dst_as&chart=sankey", ".sankey .node"),
          Map.entry("#as/15169?last=5m", ".lists button.value"),
          Map.entry("#prefix/0.0.0.0%2F1?last=5m", ".lists button.value"),
          Map.entry("#address/" + ADDRESS + "?last=5m", ".lists button.value"),
          Map.entry("#domain/wikimedia.org?last=5m", ".lists button.value"),
          Map.entry("#port/443?last=5m", ".lists button.value"),
          Map.entry("#exporter/127.0.0.11?last=5m", ".lists button.value"),
          Map.entry("#interface/127.0.0.11/1?last=5m", ".lists button.value"),
          Map.entry("#sql", "textarea"),
          Map.entry("#pipelines", ".graph .step"),
          Map.entry("#sources", "td .advice, tbody tr"));

  @TempDir static Path dir;
  private Console console;

  @BeforeAll
  void start() throws IOException {
    console = Console.start(dir).orElse(null);
    assumeTrue(
        console != null,
        "the console is not tested: chromium and chromedriver are missing (Debian's packages"
            + " chromium and chromium-driver)");
  }

  @AfterAll
  void stop() {
    if (console != null) {
      console.close();
    }
  }

  @Override
  public Console console() {
    return console;
  }

  @Test
  @Order(1)
  void anEmptyInstanceShowsSetupHelp() throws IOException {
    open("#now", "#empty-title");
    assertThat(browser().text("main"))
        .contains("127.0.0.1:" + console.udpPort(), "sflow collector", "receiving on");
    assertQuiet();
    console.send(4);
    browser().await("the card is gone", "!document.getElementById('empty-title')");
  }

  @Test
  @Order(2)
  void everyPageIsShownAtEachWidthInBothThemes() throws IOException {
    String largest =
        browser()
            .answer(
                "const done = arguments[arguments.length - 1];"
                    + "fetch('/api/v1/top?by=src_addr&n=1').then(each => each.json())"
                    + ".then(each => done(each.rows[0].values[0]))")
            .asText();
    for (Map.Entry<String, String> page : PAGES.entrySet()) {
      String address = page.getKey().replace(ADDRESS, URLEncoder.encode(largest, UTF_8));
      boolean isOpen = false;
      for (int width : new int[] {NARROW, MIDDLE, Console.WIDE}) {
        for (boolean isDark : new boolean[] {false, true}) {
          if (width != Console.WIDE && isDark && !LONG) {
            continue; // colours are looked over at one width, widths in one theme
          }
          browser().screen(width, Console.HEIGHT, isDark);
          if (!isOpen || LONG) { // else the page that is open takes another width and theme
            open(address);
            isOpen = true;
          }
          browser().awaitShown(page.getValue());
          String where = address + " at " + width + (isDark ? " dark" : " light");
          browser()
              .await( // what is drawn last may still have another width
                  where + " without scrolling sideways",
                  "document.documentElement.scrollWidth <= " + width);
          assertThat(browser().errors()).as(where).isEmpty();
          assertThat(browser().value(MISPLACED.strip())).as(where).isEmpty();
          if (LAYOUTS != null && !isDark) {
            Files.createDirectories(Path.of(LAYOUTS));
            Path file = Path.of(LAYOUTS, where.replaceAll("[^A-Za-z0-9]+", "-").strip() + ".png");
            Files.write(file, browser().screenshot());
          }
          if (width == Console.WIDE || LONG) {
            assertThat(console.findings(isDark && !LONG ? Console.COLOURS : Console.EVERYTHING))
                .as(where)
                .isEmpty();
          }
        }
      }
    }
    browser().screen(Console.WIDE, Console.HEIGHT, false);
  }

  @Test
  @Order(17)
  void thePicturesOfTheDocuments() throws Exception {
    assumeTrue(SCREENSHOTS != null, "pictures are made with -Dmillrace.screenshots=DIR");
    console.amidTraffic(6, this::picturesOfBusyPages);
  }

  private void picturesOfBusyPages() throws IOException {
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
    browser().screen(width, height, isDark);
    open(page, shown);
    Files.createDirectories(Path.of(SCREENSHOTS));
    Files.write(Path.of(SCREENSHOTS, name + ".png"), PalettePng.of(browser().screenshot()));
  }

  /** Runs last: the open page continues with the restarted server, with a token. */
  @Test
  @Order(18)
  void sendingContinuesAfterAServerRestart() throws IOException {
    browser().screen(Console.WIDE, Console.HEIGHT, false);
    open("#now?last=5m", ".lists button.value");
    console.startAgain(
        AccessToken.of(TOKEN),
        () ->
            browser()
                .await(
                    "it is told",
                    "document.getElementById('state').textContent === 'not connected'"));
    browser().awaitShown("#access");
    browser().click("#access-token");
    browser().type(TOKEN + ENTER);
    browser()
        .await("it runs", "document.getElementById('state').textContent.startsWith('running')");
    browser()
        .await(
            "no problem is told",
            "!document.querySelector('.problems').textContent.includes('unreachable')");
    browser().awaitShown(".lists button.value");
    assertNoErrorsExceptRejections();
  }
}

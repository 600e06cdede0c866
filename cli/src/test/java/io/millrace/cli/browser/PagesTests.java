package io.millrace.cli.browser;

import static io.millrace.cli.browser.Browser.CONTROL;
import static io.millrace.cli.browser.Browser.DOWN;
import static io.millrace.cli.browser.Browser.ENTER;
import static io.millrace.cli.browser.Browser.ESCAPE;
import static io.millrace.cli.browser.Browser.TAB;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.Await;
import java.net.URLEncoder;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Navigation between pages, and the remaining pages. */
interface PagesTests extends ConsoleTests {
  @Test
  @Order(3)
  default void fourClicksLeadFromAnAsToItsAddressAndInterface() {
    open("#now?last=5m", "#hitters td button.value"); // nothing moves from here on
    String first = ".lists + .lists section:nth-of-type(1) button.value";
    browser().awaitShown(first);
    browser().run("document.querySelector('" + first + "').click()");
    browser().choose("Open details");
    awaitAddress("#as/");
    browser().awaitShown(".lists button.value");
    assertThat(browser().text("h2")).startsWith("AS ");
    browser()
        .await(
            "its addresses",
            "document.querySelector('.lists').innerText.includes('Sending addresses')");
    browser()
        .await(
            "an address of it",
            "[...document.querySelectorAll('.lists section')].find(each => each.textContent.startsWith('Sending addresses'))?.querySelector('button.value')");
    browser()
        .run(
            "[...document.querySelectorAll('.lists section')].find(each => each.textContent.startsWith('Sending addresses')).querySelector('button.value').focus()");
    browser().type(ENTER);
    browser().choose("Open details");
    awaitAddress("#address/");
    browser()
        .await(
            "first seen",
            "document.querySelector('.thing-head').textContent.includes('First seen')");
    browser()
        .await(
            "the ingress interface",
            "[...document.querySelectorAll('.lists section')].find(each => each.textContent.startsWith('Ingress interfaces'))?.querySelectorAll('button.value').length >= 2");
    assertQuiet();
  }

  @Test
  @Order(4)
  default void alertsAreListedAndMarkedInTheCharts() {
    open("#alerts?last=1h", "tbody td a");
    assertThat(browser().text("tbody")).contains("heavy hitter").contains("change");
    browser().click("tbody td a");
    awaitAddress("#explore?by=");
    awaitAddress("filter=");
    open("#now?last=5m", ".mark");
    assertThat(browser().value("document.querySelector('.mark').title").asText())
        .contains(": new ");
    browser().run("document.querySelector('.mark').focus()");
    browser().type(ENTER);
    browser().await("where the mark leads to", "!location.hash.startsWith('#now')");
    assertQuiet();
  }

  @Test
  @Order(5)
  default void searchSuggestsInterfacesNamesAndProtocols() {
    open("#alerts", "#find input");
    browser().run("document.querySelector('#find input').focus()");
    browser().type("xe-0/0");
    browser().awaitShown("#find .suggestions li");
    assertThat(browser().text("#find .suggestions li")).contains("xe-0/0/").contains("interface");
    browser().type("" + DOWN + ENTER);
    awaitAddress("#interface/");
    browser().run("document.querySelector('#find input').focus()");
    browser().type("udp");
    browser()
        .await(
            "a protocol",
            "document.querySelector('#find .suggestions li')?.textContent.includes('protocol 17')");
    browser().type("" + DOWN + ENTER);
    awaitAddress("#explore");
    awaitAddress("proto");
    assertQuiet();
  }

  @Test
  @Order(10)
  default void aQueryIsCompletedRunExplainedAndRemembered() {
    open("#sql", "textarea");
    browser().click("textarea");
    browser().run("document.querySelector('textarea').select()");
    browser()
        .type(
            "SELECT time_bucket(INTERVAL 1 SECOND, time) AS t, count(*) AS n FROM flows GROUP BY ALL ORDER BY 1");
    browser().type(ESCAPE);
    browser().type("" + CONTROL + ENTER);
    browser().awaitShown("tbody tr");
    browser().awaitShown(".plot canvas");
    assertThat(browser().text("output.source")).contains("rows", " ms");
    browser().click("button.quiet");
    browser().awaitShown(".plan");
    browser().await("it is remembered", "document.querySelectorAll('option').length >= 2");
    browser().run("document.querySelector('textarea').value = 'SELECT nothing FROM flows'");
    browser().click("button:not(.quiet)[title]");
    browser().awaitShown("pre[role=alert]");
    assertThat(browser().text("pre[role=alert]")).contains("nothing", "line 1:");
    assertNoErrorsExceptRejections();
  }

  @Test
  @Order(11)
  default void resultsShowTheirSourceAndClickableValues() {
    open(
        "#sql?q="
            + URLEncoder.encode(
                "SELECT exporter, in_if, in_if_name, count(*) AS n FROM flows WHERE in_if_name = 'xe-0/0/1' GROUP BY ALL ORDER BY exporter",
                UTF_8),
        "tbody button.value");
    assertThat(browser().text("tbody")).contains("xe-0/0/1");
    browser()
        .await(
            "what answered",
            "document.querySelector('output.source').textContent.includes('from rows')");
    browser().click("tbody td:nth-of-type(2) button.value");
    browser().choose("Open details");
    awaitAddress("#interface/127.0.0.11/1");
    browser().awaitShown(".called");
    assertThat(browser().text(".called")).isEqualTo("xe-0/0/1 · 10.0 Gbit/s · external");
    browser().click(".called button.value");
    browser().choose("Filter for value");
    awaitAddress("filter=in_if_name");
    browser().awaitShown("tbody button.value");
    browser().select("select[name=by1]", "in_if_name");
    browser()
        .await(
            "the one interface of this name",
            "[...document.querySelectorAll('tbody button.value')].map(each => each.textContent).join() === 'xe-0/0/1'");
    assertQuiet();
  }

  @Test
  @Order(12)
  default void anInterfaceWithoutCountersSaysSo() {
    open("#interface/127.0.0.11/1?last=5m", ".called");
    assertThat(browser().text("section[aria-label=Traffic]"))
        .contains("The interface reported no counters in this time range.");
    assertQuiet();
  }

  @Test
  @Order(12)
  default void sourcesListDataSetsAndErrors() {
    Await.until(
        "the dead letter is written",
        () ->
            browser()
                    .answer(
                        "const done = arguments[arguments.length - 1];"
                            + "fetch('/api/v1/dead-letters').then(each => each.json()).then(each => done(each.rows.length))")
                    .asInt()
                > 0);
    open("#sources");
    browser().click(".letter summary");
    browser().awaitShown(".letter pre mark");
    assertThat(browser().text(".letter summary")).contains("127.0.0.11", "sflow", "at byte 28");
    assertThat(browser().text(".letter pre")).startsWith("0000  00 00 00 05");
    assertThat(browser().text("main")).contains("asn", "Hit rate", "Gaps");
    assertThat(console().findings(Console.EVERYTHING)).isEmpty();
    browser().run("document.querySelector('td button.value').click()");
    browser().choose("Open details");
    awaitAddress("#exporter/");
    open("#sources", "td button.value");
    String column =
        "[...document.querySelectorAll('td button.value')].find(each => each.textContent === 'src_as')";
    browser().await("the columns of the AS table", column);
    browser().run(column + ".click()");
    browser().choose("Traffic without a value");
    awaitAddress("filter=src_as+IS+NULL");
    assertQuiet();
  }

  @Test
  @Order(13)
  default void thePipelinesPageSaysWhatToDo() {
    open("#pipelines", ".todo .advice, .todo p");
    assertThat(browser().text(".todo")).startsWith("Advice");
    browser().awaitShown(".graph .step");
    browser()
        .await(
            "the watermark lag of each step",
            "[...document.querySelectorAll('.graph .step')].every(each => each.textContent.includes('idle; watermark') || each.textContent.includes('watermark lag'))");
    assertQuiet();
  }

  @Test
  @Order(14)
  default void trafficIsSplitByDirection() {
    open("#now?last=5m", "#directions td button.value");
    assertThat(browser().text("#directions")).contains("in", "out", "through");
    browser().awaitShown("#directions .plot canvas");
    browser().run("document.querySelector('#directions td button.value').click()");
    browser().choose("Filter for value");
    awaitAddress("by=in_if_boundary%2Cout_if_boundary");
    awaitAddress("external");
    browser().awaitShown("tbody button.value");
    assertThat(browser().text("main .figures, tbody")).contains("external");
    assertQuiet();
  }

  @Test
  @Order(15)
  default void allActionsWorkByKeyboard() {
    open("#now?last=5m", ".lists button.value");
    browser().run("document.querySelector('nav a[href=\"#explore\"]').focus()");
    browser().type(ENTER);
    awaitAddress("#explore");
    browser().awaitShown("tbody button.value");
    browser().run("document.querySelector('tbody button.value').focus()");
    browser().type(ENTER);
    browser().awaitShown("#menu");
    browser().type(ESCAPE);
    browser()
        .await(
            "the keyboard is back where it was",
            "!document.querySelector('#menu').checkVisibility() && document.activeElement.matches('button.value')");
    browser().type("" + ENTER + DOWN);
    assertThat(browser().value("document.activeElement.textContent").asText())
        .isEqualTo("Exclude value");
    browser().type(ESCAPE);
    browser().run("document.querySelector('.plot').focus()");
    browser().await("the chart has the keyboard", "document.activeElement.matches('.plot')");
    browser().type("-");
    awaitAddress("from=");
    browser().run("document.querySelector('#find input').focus()");
    browser().type("AS15169" + ENTER);
    awaitAddress("#as/15169");
    browser().type(TAB);
    assertThat(browser().value("document.activeElement.id").asText()).isEqualTo("utc");
    browser().type(" ");
    browser()
        .await("times in UTC", "document.querySelector('.range')?.textContent.includes('· UTC')");
    assertQuiet();
  }
}

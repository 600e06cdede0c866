package io.millrace.cli.browser;

import static org.assertj.core.api.Assertions.assertThat;

/** What all tests of the console do with its one instance and one browser. */
interface ConsoleTests {
  /** The console that is tested. */
  Console console();

  default Browser browser() {
    return console().browser();
  }

  default void open(String page) {
    console().open(page);
  }

  /** Opens a page, and waits until an element is seen on it. */
  default void open(String page, String shown) {
    open(page);
    browser().awaitShown(shown);
  }

  default String address() {
    return browser().value("location.hash").asText();
  }

  default void awaitAddress(String part) {
    browser().await("the address with " + part, "location.hash.includes('" + part + "')");
  }

  default void assertQuiet() {
    assertThat(browser().errors()).isEmpty();
  }

  /** Questions that were refused are told to the console by the browser itself. */
  default void assertQuietButForRefusals() {
    assertThat(browser().errors()).allMatch(error -> error.contains("/api/v1/"));
  }
}

package io.millrace.cli.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;

/** Shared steps of all tests of the console. */
interface ConsoleTests {
  Console console();

  default Browser browser() {
    return console().browser();
  }

  default void open(String page) {
    console().open(page);
  }

  /** Opens a page, and waits until an element is visible. */
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

  /** The browser itself logs rejected requests as errors. */
  default void assertNoErrorsExceptRejections() {
    assertThat(browser().errors()).allMatch(error -> error.contains("/api/v1/"));
  }

  /** A downloaded file, once it is complete. */
  default Path awaitFile(String glob) {
    Await.until(glob, () -> found(glob) != null && Files.size(found(glob)) > 0);
    return found(glob);
  }

  private Path found(String glob) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(console().downloads(), glob)) {
      Iterator<Path> each = files.iterator();
      return each.hasNext() ? each.next() : null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

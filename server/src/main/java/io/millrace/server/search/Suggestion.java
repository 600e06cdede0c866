package io.millrace.server.search;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Something that a text may mean.
 *
 * @param kind what it is: address, prefix, as, port, protocol, exporter, interface, application, a
 *     column of names without its side (domain, dns)
 * @param text as it is called
 * @param detail what else is known of it; empty for nothing
 * @param page behind the address of the console, the page that shows it
 */
record Suggestion(String kind, String text, String detail, String page) {
  /** A page of the console about one thing. */
  static String page(String name, String... things) {
    StringBuilder page = new StringBuilder("#").append(name);
    for (String thing : things) {
      page.append('/').append(encoded(thing));
    }
    return page.toString();
  }

  /** Explore, by a column, with a condition of the filter language. */
  static String explore(String by, String filter) {
    return "#explore?by=" + encoded(by) + "&filter=" + encoded(filter);
  }

  /** A text as the filter language writes it. */
  static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  /** As the console reads it: in a path a plus is no blank. */
  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}

package io.millrace.server.search;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * An interpretation of a text.
 *
 * @param kind address, prefix, as, port, protocol, exporter, interface, application, or a column of
 *     names without src or dst (domain, dns)
 * @param text display name
 * @param detail additional information; may be empty
 * @param page fragment of the console's URL
 */
record Suggestion(String kind, String text, String detail, String page) {
  static String page(String name, String... things) {
    StringBuilder page = new StringBuilder("#").append(name);
    for (String thing : things) {
      page.append('/').append(encoded(thing));
    }
    return page.toString();
  }

  static String explore(String by, String filter) {
    return "#explore?by=" + encoded(by) + "&filter=" + encoded(filter);
  }

  static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  /** Encodes a path segment, in which a plus is not a blank. */
  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}

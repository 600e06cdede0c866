package io.millrace.lab.peers;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What nfdump prints about the files of its collectors, as a number. */
final class NfdumpStatistics {
  private static final Pattern FLOWS = Pattern.compile("(?m)^Flows: (\\d+)$");

  private NfdumpStatistics() {}

  /**
   * Records in the files.
   *
   * @param text printed by {@code nfdump -I}
   * @throws IOException if no number of flows is in the text
   */
  static long flows(String text) throws IOException {
    Matcher matcher = FLOWS.matcher(text);
    if (!matcher.find()) {
      throw new IOException("nfdump -I says no number of flows: " + text.strip());
    }
    return Long.parseLong(matcher.group(1));
  }
}

package io.millrace.lab.peers;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parser of the statistics that nfdump prints about its collectors' files. */
final class NfdumpStatistics {
  private static final Pattern FLOWS = Pattern.compile("(?m)^Flows: (\\d+)$");

  private NfdumpStatistics() {}

  /**
   * Returns the number of records in the files.
   *
   * @param text output of {@code nfdump -I}
   * @throws IOException if the text has no number of flows
   */
  static long flows(String text) throws IOException {
    Matcher matcher = FLOWS.matcher(text);
    if (!matcher.find()) {
      throw new IOException("nfdump -I printed no number of flows: " + text.strip());
    }
    return Long.parseLong(matcher.group(1));
  }
}

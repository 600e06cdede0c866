package io.millrace.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Totals reported by the exporter itself.
 *
 * @param records flow records or samples
 * @param packets packets that they represent
 * @param octets IP octets that they represent
 */
record ExporterFigures(long records, long packets, long octets) {
  private static final Pattern RECORDS =
      Pattern.compile("Flows exported: \\d+ \\((\\d+) records\\) in \\d+ packets \\(0 failures\\)");
  private static final Pattern PROTOCOL =
      Pattern.compile("(?m)^\\s*\\S+ \\(\\d+\\):\\s+(\\d+)\\s+(\\d+)\\s");

  /** Parses the statistics that softflowd prints at its end: octets and packets by protocol. */
  static ExporterFigures ofSoftflowd(String printed) {
    Matcher records = RECORDS.matcher(printed);
    if (!records.find()) {
      throw new IllegalArgumentException("softflowd says no number of records: " + printed);
    }
    long packets = 0;
    long octets = 0;
    for (Matcher line = PROTOCOL.matcher(printed); line.find(); ) {
      octets += Long.parseLong(line.group(1));
      packets += Long.parseLong(line.group(2));
    }
    return new ExporterFigures(Long.parseLong(records.group(1)), packets, octets);
  }
}

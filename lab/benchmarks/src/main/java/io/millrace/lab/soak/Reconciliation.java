package io.millrace.lab.soak;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.lab.soak.Exporters.Truth;
import io.millrace.wire.block.ExportProtocol;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The accounting at the end, when nothing is in flight: what was sent, by sender, against the
 * ledger and the table. {@link #differences} describes every difference.
 *
 * <p>Exactly, for each exporter of a protocol that numbers datagrams (sFlow, NetFlow version 9):
 *
 * <pre>
 *   sent by the exporter = sent in the ledger
 *                        = stored + lost before + lost while Millrace was down
 *                          + dropped by the kernel + dropped by us + expired
 *                                                   (malformed and in flight: none)
 * </pre>
 *
 * Datagrams in a socket's buffer or an open batch at a SIGKILL, or sent while nobody listens, are
 * in no count of the dead process; the next sequence number that arrives shows them. For each
 * exporter of a protocol that numbers records (NetFlow version 5, IPFIX):
 *
 * <pre>
 *   records sent = rows + records missing
 *                  + records of datagrams dropped by us or expired    (version 5)
 *   records sent = rows + records missing                             (IPFIX)
 * </pre>
 *
 * since the numbers of version 5 are read before the log and those of IPFIX after it. For all, the
 * rows in the table are those of the ledger, and the stored datagrams times the records in each.
 * Broken datagrams have no valid sequence numbers: the ledger may count fewer than were sent, but
 * its counts must add up.
 */
final class Reconciliation {
  private final JsonNode ledger;
  private final Map<String, Long> tableRows = new HashMap<>();
  private final List<String> differences = new ArrayList<>();
  private final Map<String, Long> totals = new HashMap<>();

  /**
   * @param ledger response of the API
   * @param rowsByExporter rows of (address, count)
   */
  Reconciliation(JsonNode ledger, JsonNode rowsByExporter) {
    this.ledger = ledger;
    rowsByExporter.forEach(row -> tableRows.put(row.get(0).asText(), row.get(1).asLong()));
    if (!ledger.path("adds_up").asBoolean()) {
      differences.add("the ledger does not add up");
    }
    for (JsonNode exporter : ledger.path("exporters")) {
      for (String part :
          List.of(
              "stored",
              "lost_before",
              "lost_while_down",
              "dropped_by_kernel",
              "dropped_by_us",
              "expired",
              "malformed",
              "in_flight")) {
        totals.merge(part, exporter.path(part).asLong(), Long::sum);
      }
    }
  }

  /** Descriptions of the differences; empty if there are none. */
  List<String> differences() {
    return List.copyOf(differences);
  }

  /** A part of the ledger, summed over all exporters. */
  long total(String part) {
    return totals.getOrDefault(part, 0L);
  }

  private void expect(String what, long expected, long actual) {
    if (expected != actual) {
      differences.add(what + ": expected " + expected + ", found " + actual);
    }
  }

  private List<JsonNode> entries(String address, String protocol) {
    List<JsonNode> found = new ArrayList<>();
    for (JsonNode exporter : ledger.path("exporters")) {
      if (exporter.path("exporter").asText().equals(address)
          && (protocol.isEmpty() || exporter.path("protocol").asText().equals(protocol))) {
        found.add(exporter);
      }
    }
    return found;
  }

  private static long parts(JsonNode entry) {
    long sum = 0;
    for (String part :
        List.of(
            "stored",
            "lost_before",
            "lost_while_down",
            "dropped_by_kernel",
            "dropped_by_us",
            "expired")) {
      sum += entry.path(part).asLong();
    }
    return sum;
  }

  /** Checks an exporter of the benchmark. */
  void exporter(Truth truth) {
    String name = truth.protocol().label() + " " + truth.address();
    List<JsonNode> entries = entries(truth.address(), truth.protocol().label());
    if (entries.size() != 1) {
      differences.add(name + ": " + entries.size() + " ledger entries, expected 1");
      return;
    }
    JsonNode entry = entries.get(0);
    long stored = entry.path("stored").asLong();
    long rows = entry.path("rows").asLong();
    expect(name + ", malformed", 0, entry.path("malformed").asLong());
    expect(name + ", in flight", 0, entry.path("in_flight").asLong());
    expect(name + ", duplicates", 0, entry.path("duplicates").asLong());
    expect(name + ", rows in the table", rows, tableRows.getOrDefault(truth.address(), 0L));
    if (truth.countsDatagrams()) {
      expect(name + ", sent", truth.datagrams(), entry.path("sent").asLong());
      expect(name + ", sum of the parts", truth.datagrams(), parts(entry));
    } else {
      long missing = entry.path("lost_records").asLong();
      boolean beforeTheLog = truth.protocol() == ExportProtocol.NETFLOW5;
      long ofOurs =
          beforeTheLog ? entry.path("dropped_by_us").asLong() + entry.path("expired").asLong() : 0;
      expect(name + ", records", truth.records(), rows + missing + ofOurs * truth.recordsEach());
    }
    long withRecords = rows / truth.recordsEach();
    expect(name + ", rows of an incomplete datagram", 0, rows % truth.recordsEach());
    long without = stored - withRecords;
    if (without < 0 || without > truth.withoutRecords()) {
      differences.add(
          name
              + ": "
              + without
              + " stored datagrams have no row, but "
              + truth.withoutRecords()
              + " without records were sent");
    }
  }

  /** Checks the datagrams with templates, which have their own address. */
  void templates(String address, long sent) {
    long known = 0;
    for (JsonNode entry : entries(address, "")) {
      known += entry.path("sent").asLong();
      expect(
          address + " domain " + entry.path("part"),
          entry.path("sent").asLong(),
          parts(entry) + entry.path("malformed").asLong());
    }
    expect(address + ", sent", sent, known);
  }

  /**
   * Checks the broken datagrams, which have their own address.
   *
   * @return number of them that the ledger does not count
   */
  long broken(String address, long sent) {
    long known = 0;
    for (JsonNode entry : entries(address, "")) {
      known +=
          entry.path("stored").asLong()
              + entry.path("malformed").asLong()
              + entry.path("dropped_by_us").asLong()
              + entry.path("expired").asLong();
      expect(address + ", in flight", 0, entry.path("in_flight").asLong());
    }
    if (known > sent) {
      differences.add(address + ": " + known + " in the ledger, " + sent + " sent");
    }
    return sent - known;
  }
}

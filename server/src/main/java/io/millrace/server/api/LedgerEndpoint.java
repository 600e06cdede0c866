package io.millrace.server.api;

import io.millrace.server.collect.Doctor;
import io.millrace.server.collect.ExporterStats;
import io.millrace.server.collect.Finding;
import io.millrace.server.collect.InterfaceCounts;
import io.millrace.server.collect.JobCounts;
import io.millrace.server.collect.LedgerText;
import io.millrace.server.collect.LossLedger;
import io.millrace.wire.block.Channel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * {@code GET /api/v1/ledger?exporter=…}: datagrams of each exporter by outcome, with findings of
 * {@link Doctor}.
 */
public final class LedgerEndpoint implements Endpoint {
  private final Supplier<LossLedger.Report> ledger;
  private final Supplier<Doctor.Facts> facts;

  /**
   * Creates the endpoint of a ledger.
   *
   * @param ledger supplies the report
   * @param facts supplies further inputs of the findings
   */
  public LedgerEndpoint(Supplier<LossLedger.Report> ledger, Supplier<Doctor.Facts> facts) {
    this.ledger = ledger;
    this.facts = facts;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    String name = exchange.parameter("exporter").orElse("");
    LossLedger.Report report = ledger.get().of(name);
    if (!name.isEmpty() && report.exporters().isEmpty()) {
      throw new ApiException(
          404, "unknown exporter " + name + "; omit the name to list all exporters");
    }
    Doctor.Facts known = facts.get();
    List<Object> exporters = new ArrayList<>();
    for (LossLedger.Entry entry : report.exporters()) {
      exporters.add(exporter(entry, known));
    }
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("exporters", exporters);
    response.put("messages", messages(report.messages()));
    response.put("interfaces", report.interfaces().stream().map(LedgerEndpoint::packets).toList());
    response.put("kernel_drops", report.kernelDrops());
    response.put("kernel_drops_open", report.kernelDropsOpen());
    response.put("adds_up", report.violations().isEmpty());
    response.put("notes", known.problems());
    response.put("doctor", LedgerText.of(report, known));
    exchange.respond(response);
  }

  private static Map<String, Object> exporter(LossLedger.Entry entry, Doctor.Facts facts) {
    ExporterStats stats = entry.collected();
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", entry.key().toString());
    map.put("exporter", entry.key().sender());
    map.put("agent", entry.key().agent());
    map.put("protocol", entry.key().protocol().label());
    map.put("port", Channel.port(entry.key().channel()));
    map.put("part", Integer.toUnsignedLong(entry.key().part()));
    map.put("adds_up", entry.addsUp());
    map.put("sent", stats.sent());
    map.put("duplicates", stats.duplicates());
    map.put("stored", entry.job().stored());
    map.put("rows", entry.job().rows());
    map.put("lost_before", stats.lostBefore());
    map.put("lost_while_down", stats.lostWhileDown());
    map.put("dropped_by_kernel", stats.droppedByKernel());
    map.put("dropped_by_us", entry.droppedByUs());
    map.put("expired", entry.expired());
    map.put("malformed", entry.job().malformed());
    map.put("in_flight", entry.inFlight());
    map.put("lost_records", entry.lostRecords());
    map.put("gaps", stats.gaps().count());
    map.put("last_gap_ms", stats.gaps().count() == 0 ? null : stats.gaps().lastMicros() / 1_000);
    map.put("templates", entry.job().records().templates());
    map.put("unsampled_rows", entry.job().records().unsampledRows());
    map.put("both_sides_rows", entry.job().records().bothSidesRows());
    map.put("doubts", entry.doubts());
    map.put("clock_skew_ms", stats.skewMicros() / 1_000);
    map.put("last_seen_ms", stats.lastSeenMicros() / 1_000);
    map.put("rejects", rejects(entry.job()));
    map.put(
        "rejected_rates",
        entry.job().rejectedRates().stream().map(LedgerEndpoint::rejectedRate).toList());
    map.put(
        "findings", Doctor.findings(entry, facts).stream().map(LedgerEndpoint::finding).toList());
    return map;
  }

  private static Map<String, Object> packets(InterfaceCounts counts) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", counts.name());
    map.put("packets", counts.passed());
    map.put("logged", counts.logged());
    map.put("dropped_by_kernel", counts.droppedByKernel());
    map.put("dropped_by_us", counts.rejected() + counts.failed());
    map.put("in_flight", counts.inFlight());
    map.put("bytes", counts.bytes());
    return map;
  }

  private static Map<String, Object> messages(JobCounts.Count count) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("rows", count.rows());
    map.put("rejects", rejects(count));
    return map;
  }

  private static Map<String, Long> rejects(JobCounts.Count counts) {
    Map<String, Long> rejects = new LinkedHashMap<>();
    counts.rejects().forEach((reason, count) -> rejects.put(reason.label(), count));
    return rejects;
  }

  private static Map<String, Object> rejectedRate(JobCounts.RejectedRate rejected) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("reason", rejected.reason().label());
    map.put("times", rejected.times());
    map.put("rate", rejected.rate());
    return map;
  }

  private static Map<String, Object> finding(Finding finding) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("stage", finding.stage().label());
    map.put("cause", finding.cause());
    map.put("datagrams", finding.datagrams());
    map.put("advice", finding.advice());
    return map;
  }
}

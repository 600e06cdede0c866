package io.millrace.server.api;

import io.millrace.server.collect.Doctor;
import io.millrace.server.collect.ExporterStats;
import io.millrace.server.collect.LossLedger;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * {@code GET /api/v1/ledger?exporter=…}: what every exporter sent and what became of it, with the
 * doctor's words on it.
 */
public final class LedgerEndpoint implements Endpoint {
  private final Supplier<LossLedger.Report> ledger;
  private final Supplier<Doctor.Facts> facts;

  /** Answers from the ledger and what else the doctor needs to know. */
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
          404, "nothing has come from " + name + "; without a name all exporters are listed");
    }
    List<Object> exporters = new ArrayList<>();
    for (LossLedger.Entry entry : report.exporters()) {
      exporters.add(exporter(entry));
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("exporters", exporters);
    answer.put("kernelDrops", report.kernelDrops());
    answer.put("addsUp", report.violations().isEmpty());
    answer.put("doctor", Doctor.text(report, facts.get()));
    exchange.answer(answer);
  }

  private static Map<String, Object> exporter(LossLedger.Entry entry) {
    ExporterStats stats = entry.collected();
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("exporter", entry.key().sender());
    map.put("agent", entry.key().agent());
    map.put("subAgent", Integer.toUnsignedLong(entry.key().subAgent()));
    map.put("sent", stats.sent());
    map.put("duplicates", stats.duplicates());
    map.put("stored", entry.job().stored());
    map.put("rows", entry.job().rows());
    map.put("lostBefore", stats.lostBefore());
    map.put("lostWhileDown", stats.lostWhileDown());
    map.put("droppedByKernel", stats.droppedByKernel());
    map.put("droppedByUs", stats.droppedByUs());
    map.put("malformed", entry.job().malformed());
    map.put("inFlight", entry.inFlight());
    map.put("addsUp", entry.addsUp());
    Map<String, Long> rejects = new LinkedHashMap<>();
    entry.job().rejects().forEach((reason, count) -> rejects.put(reason.label(), count));
    map.put("rejects", rejects);
    return map;
  }
}

package io.millrace.server.collect;

import io.millrace.server.collect.Finding.Stage;
import io.millrace.wire.block.RejectReason;
import java.util.Locale;

/**
 * Formats the ledger as text: a table for each exporter, followed by the findings of {@link
 * Doctor}. Pure functions.
 */
public final class LedgerText {
  private LedgerText() {}

  /** Formats the whole ledger; each line ends with a newline. */
  public static String of(LossLedger.Report report, Doctor.Facts facts) {
    StringBuilder text = new StringBuilder(1024);
    text.append("receiving on ").append(String.join(", ", facts.listening())).append('\n');
    for (String problem : facts.problems()) {
      text.append("! ").append(problem).append('\n');
    }
    JobCounts.Count messages = report.messages();
    boolean hasMessages = messages.rows() > 0 || !messages.rejects().isEmpty();
    if (report.exporters().isEmpty() && !hasMessages && report.interfaces().isEmpty()) {
      text.append("! no flows received yet: ")
          .append(Doctor.reachabilityAdvice(facts))
          .append('\n');
    }
    if (report.kernelDropsOpen() > 0) {
      text.append(
          line(
              "! the kernel dropped %,d more datagrams, not visible in sequence numbers yet",
              report.kernelDropsOpen()));
    }
    for (LossLedger.Entry entry : report.exporters()) {
      text.append('\n');
      append(text, entry, facts);
    }
    report.interfaces().forEach(each -> append(text, each));
    if (hasMessages) {
      text.append('\n').append(line("messages from Kafka: %,d rows", messages.rows()));
      messages
          .rejects()
          .forEach(
              (reason, count) ->
                  text.append(line("    without a row: %s (%,d)", reason.label(), count))
                      .append("      -> ")
                      .append(Doctor.advice(reason))
                      .append('\n'));
    }
    return text.toString();
  }

  private static void append(StringBuilder text, LossLedger.Entry entry, Doctor.Facts facts) {
    ExporterStats stats = entry.collected();
    long all = stats.sent() + stats.duplicates();
    text.append(line("%s: %s", entry.key(), verdict(entry, facts)));
    row(text, "sent", stats.sent(), all, "");
    if (stats.duplicates() > 0) {
      row(text, "+ duplicates", stats.duplicates(), all, "");
    }
    String rows = String.format(Locale.ROOT, " in %,d rows", entry.job().rows());
    long unsampled = entry.job().records().unsampledRows();
    if (unsampled > 0) {
      rows += String.format(Locale.ROOT, ", %,d of them counted as 1", unsampled);
    }
    row(text, "= stored", entry.job().stored(), all, rows);
    part(text, "lost before arrival", stats.lostBefore(), all);
    part(text, "lost while Millrace was down", stats.lostWhileDown(), all);
    part(text, "dropped by kernel", stats.droppedByKernel(), all);
    part(text, "dropped by collector", entry.droppedByUs(), all);
    part(text, "expired in the log", entry.expired(), all);
    part(text, "malformed", entry.job().malformed(), all);
    part(text, "in flight", entry.inFlight(), all);
    Stage stage = null;
    for (Finding finding : Doctor.findings(entry, facts)) {
      if (finding.stage() != stage) {
        stage = finding.stage();
        text.append("  ").append(stage.label()).append('\n');
      }
      text.append("    ").append(finding.cause());
      if (finding.datagrams() > 0) {
        text.append(String.format(Locale.ROOT, " (%,d)", finding.datagrams()));
      }
      text.append("\n      -> ").append(finding.advice()).append('\n');
    }
  }

  private static void append(StringBuilder text, InterfaceCounts counts) {
    long all = counts.passed();
    boolean isWell = counts.droppedByKernel() + counts.rejected() + counts.failed() == 0;
    String verdict = counts.failure().isEmpty() ? isWell ? "all well" : "losses" : "not captured";
    text.append('\n').append(line("packets of %s: %s", counts.name(), verdict));
    row(text, "passed", all, all, "");
    row(text, "= in the log", counts.logged(), all, "");
    part(text, "dropped by kernel", counts.droppedByKernel(), all);
    part(text, "dropped by collector", counts.rejected() + counts.failed(), all);
    part(text, "in flight", counts.inFlight(), all);
    if (counts.droppedByKernel() > 0) {
      text.append("  ").append(Stage.KERNEL.label()).append('\n');
      text.append(line("    ring full (%,d)", counts.droppedByKernel()));
      text.append(
              "      -> raise capture.ring for bursts; for a sustained load capture less of each packet")
          .append(" (capture.snap-length) or fewer packets (capture.filter)\n");
    }
    if (counts.rejected() + counts.failed() > 0) {
      text.append("  ").append(Stage.COLLECTOR.label()).append('\n');
      text.append(line("    log buffer full (%,d)", counts.rejected() + counts.failed()));
      text.append("      -> the log is slower than the capture: check its disk for space and")
          .append(" speed, or capture less (capture.snap-length, capture.filter)\n");
    }
  }

  private static void part(StringBuilder text, String name, long datagrams, long all) {
    if (datagrams != 0) {
      row(text, "+ " + name, datagrams, all, "");
    }
  }

  private static void row(
      StringBuilder text, String name, long datagrams, long all, String remark) {
    text.append(line("  %-30s%,14d%10s%s", name, datagrams, share(datagrams, all), remark));
  }

  private static String verdict(LossLedger.Entry entry, Doctor.Facts facts) {
    if (!entry.addsUp()) {
      return "the ledger does not add up; please report this bug";
    }
    if (entry.job().rows() == 0) {
      return entry.inFlight() > 0 ? "no rows yet" : "datagrams received, but no rows";
    }
    long lost = entry.lost() + entry.lostRecords() + entry.job().rejects(RejectReason.NO_TEMPLATE);
    if (lost > 0) {
      return "losses";
    }
    if (Doctor.isSilent(entry.collected(), facts)) {
      return "silent";
    }
    if (entry.job().records().bothSidesRows() > 0) {
      return "counted twice";
    }
    return entry.job().records().unsampledRows() > 0
        ? "sampling rate unknown, counted as 1"
        : "all well";
  }

  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values) + '\n';
  }

  private static String share(long part, long all) {
    return all == 0 ? "" : String.format(Locale.ROOT, "%.2f%%", 100.0 * part / all);
  }
}

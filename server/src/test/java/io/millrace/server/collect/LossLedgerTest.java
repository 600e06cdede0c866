package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.Frontier;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LossLedgerTest {
  private static final ExporterKey KEY =
      new ExporterKey(
          0,
          Addresses.v4Low(0xC0000201),
          0,
          Addresses.v4Low(0x0A000001),
          Channel.of(ExportProtocol.SFLOW, 0, 3));

  @Test
  void unreadDatagramsAreInFlight() {
    LossLedger.Report report = report(stats(100, 90), 80, 7);
    LossLedger.Entry entry = report.exporters().get(0);
    assertThat(entry.caughtUp()).isFalse();
    assertThat(entry.inFlight()).isEqualTo(10);
    assertThat(entry.lost()).isEqualTo(10);
    assertThat(report.violations()).isEmpty();
  }

  @Test
  void inFlightIsAViolationWhenTheJobHasCaughtUp() {
    assertThat(report(stats(100, 90), 89, 8).violations()).hasSize(1);
    assertThat(report(stats(100, 90), 90, 8).violations()).isEmpty();
  }

  @Test
  void storingMoreThanLoggedIsAViolation() {
    assertThat(report(stats(100, 90), 91, 7).violations()).hasSize(1);
  }

  @Test
  void timedOutBatchesInTheLogAreNotLost() {
    ExporterStats stats =
        new ExporterStats(
            KEY,
            100,
            0,
            0,
            0,
            0,
            0,
            100,
            0,
            0,
            0,
            0,
            30,
            0,
            0,
            70,
            1,
            2,
            0,
            0,
            ExporterStats.Gaps.NONE);
    LossLedger.Report report = report(stats, 90, 8);
    assertThat(report.violations()).isEmpty();
    assertThat(report.exporters().get(0).droppedByUs()).isEqualTo(10);
  }

  @Test
  void unreadDeletedDatagramsAreExpired() {
    LossLedger.Report report = ledger(stats(100, 90), 60, 8, 2).report();
    LossLedger.Entry entry = report.exporters().get(0);
    assertThat(entry.expired()).isEqualTo(30);
    assertThat(entry.inFlight()).isZero();
    assertThat(entry.lost()).isEqualTo(40);
    assertThat(report.violations()).isEmpty();
  }

  @Test
  void expiredDatagramsAreCountedDuringTraffic() {
    AtomicLong second = new AtomicLong();
    // 100 datagrams and one batch a second. The job finds 4 of the first 10 batches, then all, and
    // lags by a second.
    LossLedger ledger =
        new LossLedger(
            () ->
                new LedgerSnapshot(
                    List.of(stats(100 * second.get(), 100 * second.get())),
                    new Frontier(Map.of(0, second.get())),
                    0,
                    0),
            () ->
                new JobCounts.Snapshot(
                    Map.of(KEY, new JobCounts.Count(100 * (second.get() - 7), 0, 0, Map.of())),
                    new Frontier(Map.of(0, second.get() - 1)),
                    6));
    second.set(20);
    assertThat(ledger.report().exporters().get(0).expired()).isZero();
    second.set(21);
    LossLedger.Entry entry = ledger.report().exporters().get(0);
    assertThat(entry.expired()).isEqualTo(600);
    assertThat(entry.inFlight()).isEqualTo(100);
    assertThat(entry.addsUp()).isTrue();
  }

  @Test
  void violationsNameTheExporter() {
    ExporterStats wrong =
        new ExporterStats(
            KEY,
            100,
            0,
            0,
            0,
            0,
            0,
            90,
            9,
            0,
            0,
            0,
            0,
            0,
            0,
            90,
            1,
            2,
            0,
            0,
            ExporterStats.Gaps.NONE);
    assertThat(report(wrong, 90, 8).violations()).hasSize(1);
  }

  @Test
  void exporterIsFoundBySenderAgentOrName() {
    LossLedger.Report report = report(stats(1, 1), 1, 8);
    for (String name : List.of("", "192.0.2.1", "10.0.0.1", "192.0.2.1 agent 10.0.0.1/3")) {
      assertThat(report.of(name).exporters()).as(name).hasSize(1);
    }
    assertThat(report.of("192.0.2.2").exporters()).isEmpty();
  }

  /** Missing datagrams are lost before arrival, received ones are logged. */
  private static ExporterStats stats(long sent, long received) {
    return new ExporterStats(
        KEY,
        sent,
        0,
        0,
        0,
        0,
        0,
        received,
        sent - received,
        0,
        0,
        0,
        0,
        0,
        0,
        received,
        1,
        2,
        0,
        0,
        ExporterStats.Gaps.NONE);
  }

  private static LossLedger.Report report(ExporterStats stats, long stored, long covered) {
    return ledger(stats, stored, covered, 0).report();
  }

  private static LossLedger ledger(ExporterStats stats, long stored, long covered, long skipped) {
    LedgerSnapshot snapshot = new LedgerSnapshot(List.of(stats), new Frontier(Map.of(0, 8L)), 0, 0);
    JobCounts job =
        () ->
            new JobCounts.Snapshot(
                Map.of(KEY, new JobCounts.Count(stored, 0, stored, Map.of())),
                new Frontier(Map.of(0, covered)),
                skipped);
    return new LossLedger(() -> snapshot, job);
  }
}

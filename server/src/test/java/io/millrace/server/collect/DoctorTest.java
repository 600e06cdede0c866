package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.millrace.server.collect.Doctor.Facts;
import io.millrace.server.collect.JobCounts.Records;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.RejectReason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Compares with {@code doctor-*.txt} next to this class. With {@code -Dmillrace.golden=DIR}, writes
 * the files there instead.
 */
class DoctorTest {
  private static final long NOW = 2_000_000_000L;
  private static final ExporterKey EXPORTER =
      new ExporterKey(
          0,
          Addresses.v4Low(0xC0000201),
          0,
          Addresses.v4Low(0x0A000001),
          Channel.of(ExportProtocol.SFLOW, 0, 3));
  private static final ExporterKey FIVE = key(ExportProtocol.NETFLOW5, 258);
  private static final ExporterKey NINE = key(ExportProtocol.NETFLOW9, 7);
  private static final ExporterKey IPFIX = key(ExportProtocol.IPFIX, 0);
  private static final Facts FACTS =
      new Facts(NOW, List.of("0.0.0.0:6343"), 64 << 20, 64 << 20, true, List.of());

  private static ExporterKey key(ExportProtocol protocol, int part) {
    return new ExporterKey(
        0,
        Addresses.v4Low(0xC0000202),
        Addresses.NULL,
        Addresses.NULL,
        Channel.of(protocol, 50_000, part));
  }

  @Test
  void reportsNoFindings() throws IOException {
    expect("all-well", entry(stats(1_000, 0, 0, 0), count(1_000, 6_900, Map.of())), FACTS);
  }

  @Test
  void reportsWhereDatagramsAreLost() throws IOException {
    ExporterStats stats =
        new ExporterStats(
            EXPORTER,
            100_000,
            12,
            40,
            1,
            2,
            0,
            97_012,
            500,
            1_000,
            1_500,
            700,
            300,
            12,
            0,
            96_000,
            1,
            NOW,
            0,
            0,
            ExporterStats.Gaps.NONE);
    JobCounts.Count count =
        new JobCounts.Count(
            95_990,
            10,
            671_000,
            Map.of(RejectReason.BAD_SAMPLE_LENGTH, 9L, RejectReason.TRUNCATED_DATAGRAM, 1L));
    Facts small = new Facts(NOW, List.of("0.0.0.0:6343"), 64 << 20, 4 << 20, true, List.of());
    expect("loses-some", entry(stats, count), small);
  }

  @Test
  void reportsWhyDatagramsProduceNoRows() throws IOException {
    expect(
        "not-ip", entry(stats(10, 0, 0, 0), count(10, 0, Map.of(RejectReason.NOT_IP, 70L))), FACTS);
    expect("counters-only", entry(stats(10, 0, 0, 0), count(10, 0, Map.of())), FACTS);
    expect(
        "no-packet",
        entry(stats(10, 0, 0, 0), count(10, 0, Map.of(RejectReason.NO_PACKET, 70L))),
        FACTS);
  }

  @Test
  void reportsAnUnknownProtocol() throws IOException {
    ExporterStats stats =
        new ExporterStats(
            ExporterKey.unknown(0, Addresses.v4Low(0xC0000201)),
            5,
            0,
            0,
            0,
            0,
            0,
            5,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            5,
            1,
            NOW,
            0,
            0,
            ExporterStats.Gaps.NONE);
    JobCounts.Count count = new JobCounts.Count(0, 5, 0, Map.of(RejectReason.UNKNOWN_PROTOCOL, 5L));
    expect("unknown-protocol", entry(stats, count), FACTS);
  }

  @Test
  void reportsThatTheJobLags() throws IOException {
    LossLedger.Entry entry = new LossLedger.Entry(stats(10, 0, 0, 0), JobCounts.Count.ZERO, false);
    expect("job-behind", entry, FACTS);
  }

  @Test
  void reportsASilentExporterWithoutKernelCounters() throws IOException {
    Facts later =
        new Facts(
            NOW + 600_000_000L,
            List.of("0.0.0.0:6343", "0.0.0.0:2055"),
            64 << 20,
            64 << 20,
            false,
            List.of("cannot save the loss ledger: disk full; check disk space and permissions"));
    expect("silent", entry(stats(1_000, 20, 0, 0), count(980, 6_900, Map.of())), later);
  }

  @Test
  void reportsListenAddressesWithoutTraffic() throws IOException {
    golden("nothing", LedgerText.of(new LossLedger.Report(List.of(), 3, 3), FACTS));
  }

  @Test
  void reportsOutcomesOfCapturedPackets() throws IOException {
    InterfaceCounts well =
        new InterfaceCounts("eth0", 1_000_000, 409_000_000, 0, 999_000, 0, 0, "");
    InterfaceCounts flooded =
        new InterfaceCounts("eth1", 900_000, 1_000_000, 100_000, 800_000, 60_000, 40_000, "");
    InterfaceCounts away = new InterfaceCounts("eth2", 10, 640, 0, 10, 0, 0, "Network is down");
    List<InterfaceCounts> interfaces = List.of(well, flooded, away);
    golden(
        "packets",
        LedgerText.of(
            new LossLedger.Report(List.of(), JobCounts.Count.ZERO, 0, 0, interfaces), FACTS));
  }

  @Test
  void reportsALedgerThatDoesNotAddUp() throws IOException {
    expect("wrong", entry(stats(1_000, 0, 0, 0), count(999, 6_900, Map.of())), FACTS);
  }

  @Test
  void findingsAreInTheOrderOfTheStages() {
    LossLedger.Entry entry = entry(stats(1_000, 1, 1, 1), count(997, 0, Map.of()));
    assertThat(Doctor.findings(entry, FACTS))
        .extracting(Finding::stage)
        .isSorted()
        .containsExactly(Finding.Stage.values());
  }

  @Test
  void reportsMissingTemplates() throws IOException {
    expect("waits-for-template", records(NINE, 0, 0, new Records(0, 0, 12, 0, 0, 0, 0)), FACTS);
    expect(
        "no-template",
        records(
            NINE,
            0,
            6_000,
            new Records(1, 0, 30, 0, 0, 0, 0),
            Map.of(RejectReason.NO_TEMPLATE, 20L, RejectReason.TOO_MANY_TEMPLATES, 1L)),
        FACTS);
  }

  @Test
  void reportsContradictoryTemplates() throws IOException {
    expect("templates-change", records(IPFIX, 0, 6_000, new Records(2, 340, 0, 0, 0, 0, 0)), FACTS);
  }

  @Test
  void reportsUnknownSamplingRatesAndShedRows() throws IOException {
    expect(
        "unknown-sampling", records(NINE, 0, 6_000, new Records(1, 0, 0, 0, 0, 5_900, 100)), FACTS);
  }

  @Test
  void reportsLostRecords() throws IOException {
    expect("lost-records-5", records(FIVE, 25, 6_000, Records.NONE), FACTS);
    expect(
        "lost-records-ipfix", records(IPFIX, 0, 6_000, new Records(1, 0, 0, 40, 0, 0, 0)), FACTS);
  }

  @Test
  void reportsAWrongClock() throws IOException {
    Records records = new Records(1, 0, 0, 0, 0, 0, 0);
    JobCounts.Count count = new JobCounts.Count(1_000, 0, 6_000, Map.of(), records);
    expect("clock-behind", entry(stats(NINE, 0, 3_700_000_000L), count), FACTS);
    expect("clock-ahead", entry(stats(FIVE, 0, -90_000_000), count), FACTS);
    assertThat(Doctor.findings(entry(stats(NINE, 0, 9_000_000), count), FACTS)).isEmpty();
  }

  @Test
  void reportsASilentExporterOfRecords() throws IOException {
    Facts later =
        new Facts(NOW + 600_000_000L, List.of("0.0.0.0:2055"), 64 << 20, 64 << 20, true, List.of());
    expect("silent-netflow", records(FIVE, 0, 6_000, Records.NONE), later);
  }

  @Test
  void reportsMissingFlowRecords() throws IOException {
    expect("options-only", records(IPFIX, 0, 0, new Records(2, 0, 0, 0, 0, 0, 0)), FACTS);
  }

  @Test
  void reportsProtocolViolations() throws IOException {
    JobCounts.Count count =
        new JobCounts.Count(
            990,
            10,
            6_000,
            Map.of(RejectReason.BAD_SET_LENGTH, 7L, RejectReason.BAD_TEMPLATE, 3L),
            new Records(1, 0, 0, 0, 0, 0, 0));
    expect("malformed-netflow", entry(stats(NINE, 0, 0), count), FACTS);
  }

  @Test
  void reportsImpossibleNumbers() {
    JobCounts.Count count =
        count(10, 0, Map.of(RejectReason.IMPOSSIBLE_RATE, 70L, RejectReason.IMPOSSIBLE_COUNT, 1L));
    assertThat(
            LedgerText.of(
                new LossLedger.Report(List.of(entry(stats(10, 0, 0, 0), count)), 0, 0), FACTS))
        .contains("impossible-rate 70 times")
        .contains("impossible-count once");
  }

  @Test
  void reportsRejectedSamplingRates() {
    JobCounts.Count count =
        new JobCounts.Count(
            10,
            0,
            60,
            Map.of(RejectReason.BAD_SAMPLING_ALGORITHM, 3L),
            new Records(1, 0, 0, 0, 0, 60, 0, 3 * 67, 0));
    assertThat(Doctor.findings(entry(stats(NINE, 0, 0), count), FACTS))
        .extracting(Finding::cause)
        .contains("sampling rate 67 rejected 3 times: bad-sampling-algorithm");
  }

  @Test
  void reportsTrafficCountedTwice() throws IOException {
    JobCounts.Count count =
        new JobCounts.Count(1_000, 0, 6_900, Map.of(), new Records(0, 0, 0, 0, 0, 0, 0, 0, 3_400));
    expect("counted-twice", entry(stats(1_000, 0, 0, 0), count), FACTS);
  }

  @Test
  void reportsExportersCountedTogether() throws IOException {
    expect("others", records(ExporterKey.OTHERS, 0, 6_000, Records.NONE), FACTS);
    expect("others-of-sender", records(NINE.others(), 0, 6_000, Records.NONE), FACTS);
  }

  @Test
  void reportsJumpsOfSequenceNumbers() throws IOException {
    ExporterStats stats =
        new ExporterStats(
            EXPORTER,
            1_000,
            0,
            0,
            0,
            0,
            3,
            1_000,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            1_000,
            1,
            NOW,
            0,
            0,
            ExporterStats.Gaps.NONE);
    expect("leaps", entry(stats, new JobCounts.Count(1_000, 0, 6_000, Map.of())), FACTS);
  }

  @Test
  void reportsJumpsOfRecordNumbers() {
    assertThat(Doctor.findings(records(IPFIX, 0, 6_000, new Records(1, 0, 0, 0, 3, 0, 0)), FACTS))
        .extracting(Finding::cause)
        .containsExactly("sequence numbers jumped 3 times");
  }

  /** An exporter with a thousand datagrams, all stored. */
  private static LossLedger.Entry records(ExporterKey key, long lost, long rows, Records records) {
    return records(key, lost, rows, records, Map.of());
  }

  private static LossLedger.Entry records(
      ExporterKey key, long lost, long rows, Records records, Map<RejectReason, Long> rejects) {
    return entry(stats(key, lost, 0), new JobCounts.Count(1_000, 0, rows, rejects, records));
  }

  private static ExporterStats stats(ExporterKey key, long lostRecords, long skewMicros) {
    return new ExporterStats(
        key,
        1_000,
        0,
        0,
        0,
        0,
        0,
        1_000,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        1_000,
        1,
        NOW,
        lostRecords,
        skewMicros,
        ExporterStats.Gaps.NONE);
  }

  private static ExporterStats stats(long sent, long before, long kernel, long rejected) {
    long received = sent - before - kernel;
    return new ExporterStats(
        EXPORTER,
        sent,
        0,
        0,
        0,
        0,
        0,
        received,
        before,
        0,
        kernel,
        rejected,
        0,
        0,
        0,
        received - rejected,
        1,
        NOW,
        0,
        0,
        ExporterStats.Gaps.NONE);
  }

  private static JobCounts.Count count(long stored, long rows, Map<RejectReason, Long> rejects) {
    return new JobCounts.Count(stored, 0, rows, rejects);
  }

  private static LossLedger.Entry entry(ExporterStats stats, JobCounts.Count count) {
    return new LossLedger.Entry(stats, count, true);
  }

  private static void expect(String name, LossLedger.Entry entry, Facts facts) throws IOException {
    golden(name, LedgerText.of(new LossLedger.Report(List.of(entry), 0, 0), facts));
  }

  private static void golden(String name, String actual) throws IOException {
    String file = "doctor-" + name + ".txt";
    String rewrite = System.getProperty("millrace.golden");
    if (rewrite != null) {
      Files.writeString(Path.of(rewrite).resolve(file), actual);
      return;
    }
    try (InputStream expected = DoctorTest.class.getResourceAsStream(file)) {
      if (expected == null) {
        fail("no golden file %s; write it with -Dmillrace.golden=DIR", file);
      }
      assertThat(actual).isEqualTo(new String(expected.readAllBytes(), StandardCharsets.UTF_8));
    }
  }
}

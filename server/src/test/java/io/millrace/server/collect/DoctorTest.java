package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.millrace.server.collect.Doctor.Facts;
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
 * Compares with {@code doctor-*.txt} beside this class. With {@code -Dmillrace.golden=DIR} the
 * files are written there instead.
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
  private static final Facts FACTS =
      new Facts(NOW, List.of("0.0.0.0:6343"), 64 << 20, 64 << 20, true, List.of());

  @Test
  void saysThatAllIsWell() throws IOException {
    expect("all-well", entry(stats(1_000, 0, 0, 0), count(1_000, 6_900, Map.of())), FACTS);
  }

  @Test
  void saysWhereItLosesSome() throws IOException {
    ExporterStats stats =
        new ExporterStats(
            EXPORTER, 100_000, 12, 40, 1, 2, 97_012, 500, 1_000, 1_500, 700, 300, 12, 0, 96_000, 1,
            NOW, 0, 0);
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
  void saysWhyDatagramsMakeNoRows() throws IOException {
    expect(
        "not-ip", entry(stats(10, 0, 0, 0), count(10, 0, Map.of(RejectReason.NOT_IP, 70L))), FACTS);
    expect("counters-only", entry(stats(10, 0, 0, 0), count(10, 0, Map.of())), FACTS);
    expect(
        "no-packet",
        entry(stats(10, 0, 0, 0), count(10, 0, Map.of(RejectReason.NO_PACKET, 70L))),
        FACTS);
  }

  @Test
  void saysThatTheProtocolIsUnknown() throws IOException {
    ExporterStats stats =
        new ExporterStats(
            ExporterKey.unknown(0, Addresses.v4Low(0xC0000201)),
            5,
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
            0);
    JobCounts.Count count = new JobCounts.Count(0, 5, 0, Map.of(RejectReason.UNKNOWN_PROTOCOL, 5L));
    expect("unknown-protocol", entry(stats, count), FACTS);
  }

  @Test
  void saysThatTheJobIsBehind() throws IOException {
    LossLedger.Entry entry = new LossLedger.Entry(stats(10, 0, 0, 0), JobCounts.Count.ZERO, false);
    expect("job-behind", entry, FACTS);
  }

  @Test
  void saysThatAnExporterIsSilentAndThatTheKernelDoesNotTell() throws IOException {
    Facts later =
        new Facts(
            NOW + 600_000_000L,
            List.of("0.0.0.0:6343", "0.0.0.0:2055"),
            64 << 20,
            64 << 20,
            false,
            List.of("the loss ledger is not saved: disk full; make room or give access"));
    expect("silent", entry(stats(1_000, 20, 0, 0), count(980, 6_900, Map.of())), later);
  }

  @Test
  void saysHowToBeReachedWhenNothingCame() throws IOException {
    golden("nothing", Doctor.text(new LossLedger.Report(List.of(), 3, 3), FACTS));
  }

  @Test
  void saysThatTheLedgerDoesNotAddUp() throws IOException {
    expect("wrong", entry(stats(1_000, 0, 0, 0), count(999, 6_900, Map.of())), FACTS);
  }

  @Test
  void sayingIsInTheOrderOfTheWay() {
    LossLedger.Entry entry = entry(stats(1_000, 1, 1, 1), count(997, 0, Map.of()));
    assertThat(Doctor.findings(entry, FACTS))
        .extracting(Finding::stage)
        .isSorted()
        .containsExactly(Finding.Stage.values());
  }

  private static ExporterStats stats(long sent, long before, long kernel, long refused) {
    long received = sent - before - kernel;
    return new ExporterStats(
        EXPORTER,
        sent,
        0,
        0,
        0,
        0,
        received,
        before,
        0,
        kernel,
        refused,
        0,
        0,
        0,
        received - refused,
        1,
        NOW,
        0,
        0);
  }

  private static JobCounts.Count count(long stored, long rows, Map<RejectReason, Long> rejects) {
    return new JobCounts.Count(stored, 0, rows, rejects);
  }

  private static LossLedger.Entry entry(ExporterStats stats, JobCounts.Count count) {
    return new LossLedger.Entry(stats, count, true);
  }

  private static void expect(String name, LossLedger.Entry entry, Facts facts) throws IOException {
    golden(name, Doctor.text(new LossLedger.Report(List.of(entry), 0, 0), facts));
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

package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.engine.log.LogAppender;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.pcap.CaptureReader;
import io.millrace.wire.pcap.DatagramExtractor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** NetFlow and IPFIX in the ledger: missing datagrams or records by the rules of each protocol. */
class CollectorLedgerNetflowTest {
  private static final int SENDER = 0x0A000001;
  private static final int PORT = 2055;
  private static final int UPTIME = 3_600_000;
  private static final int ONE = 1;
  private static final int TWO = 2;

  private final MemoryLog log = new MemoryLog();
  private final RawBatch.Writer batch = new RawBatch.Writer(4096);

  private CollectorLedger ledger = Datagrams.ledger(100);
  private BatchCounters open = new BatchCounters();
  private long micros = 1_700_000_000_000_000L;

  @Test
  void version5CountsRecordsAndNotDatagrams() {
    receive(Datagrams.netflow5(ONE, 0, 30, UPTIME));
    receive(Datagrams.netflow5(ONE, 30, 10, UPTIME));
    receive(Datagrams.netflow5(ONE, 65, 30, UPTIME)); // 25 records in nobody knows how many
    ExporterStats stats = only();
    assertThat(stats.key().protocol()).isEqualTo(ExportProtocol.NETFLOW5);
    assertThat(stats.lostRecords()).isEqualTo(25);
    assertThat(stats.sent()).isEqualTo(3);
    assertThat(stats.missing()).isZero();
  }

  @Test
  void version5TellsALateDatagramFromADuplicate() {
    receive(Datagrams.netflow5(ONE, 0, 30, UPTIME));
    receive(Datagrams.netflow5(ONE, 60, 30, UPTIME));
    receive(Datagrams.netflow5(ONE, 0, 30, UPTIME));
    assertThat(only().lostRecords()).isEqualTo(30);
    assertThat(only().duplicates()).isEqualTo(1);
    receive(Datagrams.netflow5(ONE, 30, 30, UPTIME));
    assertThat(only().lostRecords()).isZero();
    assertThat(only().late()).isEqualTo(1);
    assertThat(only().sent()).isEqualTo(3);
    assertThat(only().received()).isEqualTo(4);
  }

  @Test
  void version5RestartsByItsUptimeAndItsNumbersWrap() {
    receive(Datagrams.netflow5(ONE, -20, 20, UPTIME));
    receive(Datagrams.netflow5(ONE, 7, 10, UPTIME));
    assertThat(only().lostRecords()).isEqualTo(7);
    assertThat(only().resets()).isZero();
    receive(Datagrams.netflow5(ONE, 0, 30, 500));
    receive(Datagrams.netflow5(ONE, 30, 30, 600));
    assertThat(only().lostRecords()).isEqualTo(7);
    assertThat(only().resets()).isEqualTo(1);
  }

  @Test
  void version5OfTwoExportersOfOneNameLosesNothing() {
    for (int turn = 0; turn < 20; turn++) {
      receive(Datagrams.netflow5(ONE, 30 * turn, 30, UPTIME + turn));
      receive(Datagrams.netflow5(ONE, 900_000 + 30 * turn, 30, 100_000 + turn));
    }
    receive(Datagrams.netflow5(ONE, 600, 30, UPTIME + 20));
    assertThat(only().lostRecords()).isZero();
    assertThat(only().doubts()).isGreaterThan(30);
  }

  /** A version 9 datagram with a number of one-byte records; the first one has their template. */
  private static ByteBuffer netflow9(int sequence, int records, int uptimeMillis) {
    int length = 20 + 12 + 4 + records;
    return ByteBuffer.allocate(length)
        .putShort((short) 9)
        .putShort((short) 1)
        .putInt(uptimeMillis)
        .putInt(0)
        .putInt(sequence)
        .putInt(ONE)
        .putInt(12)
        .putInt(256 << 16 | 1)
        .putInt(4 << 16 | 1)
        .putShort((short) 256)
        .putShort((short) (4 + records))
        .position(0);
  }

  @Test
  void version9MayCountRecords() throws IOException {
    int sequence = 0;
    for (int i = 0; i < 100; i++) {
      receive(netflow9(sequence, 10 + i % 7, UPTIME + i));
      sequence += 10 + i % 7;
      if (i == 50) {
        offer();
        restart(ledger.save());
      }
    }
    assertThat(only().missing()).isZero();
    assertThat(only().lostRecords()).isZero();
    assertThat(only().sent()).isEqualTo(100);
    assertThat(only().addsUp()).isTrue();
    receive(netflow9(sequence + 25, 10, UPTIME + 200));
    assertThat(only().lostRecords()).isEqualTo(25);
    receive(netflow9(sequence, 25, UPTIME + 199)); // late
    assertThat(only().lostRecords()).isZero();
    receive(netflow9(0, 10, 1_000)); // restarted
    assertThat(only().lostRecords()).isZero();
    assertThat(only().missing()).isZero();
    assertThat(only().resets()).isEqualTo(1);
  }

  @Test
  void version9ThatCountsDatagramsDoesSoWhateverIsLost() {
    Random random = new Random(7);
    int lost = 0;
    receive(netflow9(0, 3, UPTIME));
    int gap = 0;
    for (int i = 1; i < 3_000; i++) {
      if (i < 2_999 && random.nextInt(3) > 0) {
        gap++;
        continue;
      }
      lost += gap;
      gap = 0;
      receive(netflow9(i, 1 + random.nextInt(3), UPTIME + i));
    }
    assertThat(only().missing()).isEqualTo(lost);
    assertThat(only().lostRecords()).isZero();
    assertThat(only().addsUp()).isTrue();
  }

  @Test
  void implausibleNumbersCountNoLosses() {
    Random random = new Random(7);
    int sequence = 0;
    for (int i = 0; i < 100; i++) {
      sequence += 1_000 + random.nextInt(5_000); // bytes, say
      receive(netflow9(sequence, 1 + random.nextInt(30), UPTIME + i));
    }
    assertThat(only().missing()).isZero();
    assertThat(only().lostRecords()).isZero();
    assertThat(only().addsUp()).isTrue();
  }

  @Test
  void softflowdLosesNothingInTheCaptureOfIt() throws IOException {
    Path capture =
        Path.of(System.getProperty("millrace.shared"), "captures", "wild")
            .resolve("36-v9-sequence-counts-flows.pcap");
    assumeTrue(Files.exists(capture), "no capture at " + capture);
    DatagramExtractor extractor =
        new DatagramExtractor(
            (time, high, low, port, toPort, bytes, offset, length, truncated) ->
                receive(ByteBuffer.wrap(Arrays.copyOfRange(bytes, offset, offset + length))));
    try (InputStream in = Files.newInputStream(capture)) {
      CaptureReader packets = CaptureReader.open(in);
      while (packets.next()) {
        extractor.packet(packets);
      }
    }
    assertThat(only().received()).isGreaterThan(30);
    assertThat(only().missing()).isZero();
    assertThat(only().lostRecords()).isZero();
    assertThat(only().addsUp()).isTrue();
  }

  @Test
  void version9CountsDatagrams() {
    receive(Datagrams.netflow9(ONE, 100, UPTIME));
    receive(Datagrams.netflow9(ONE, 101, UPTIME));
    receive(Datagrams.netflow9(ONE, 105, UPTIME));
    ExporterStats stats = only();
    assertThat(stats.key().protocol()).isEqualTo(ExportProtocol.NETFLOW9);
    assertThat(stats.sent()).isEqualTo(6);
    assertThat(stats.lostBefore()).isEqualTo(3);
    assertThat(stats.lostRecords()).isZero();
  }

  @Test
  void version9TellsALateDatagramFromADuplicate() {
    receive(Datagrams.netflow9(ONE, 100, UPTIME));
    receive(Datagrams.netflow9(ONE, 103, UPTIME));
    receive(Datagrams.netflow9(ONE, 101, UPTIME));
    receive(Datagrams.netflow9(ONE, 101, UPTIME));
    ExporterStats stats = only();
    assertThat(stats.sent()).isEqualTo(4);
    assertThat(stats.late()).isEqualTo(1);
    assertThat(stats.duplicates()).isEqualTo(1);
    assertThat(stats.lostBefore()).isEqualTo(1);
  }

  @Test
  void version9RestartsByItsUptimeAndItsNumbersWrap() {
    receive(Datagrams.netflow9(ONE, -1, UPTIME));
    receive(Datagrams.netflow9(ONE, 1, UPTIME));
    assertThat(only().lostBefore()).isEqualTo(1);
    receive(Datagrams.netflow9(ONE, 1, 400));
    receive(Datagrams.netflow9(ONE, 2, 500));
    assertThat(only().resets()).isEqualTo(1);
    assertThat(only().lostBefore()).isEqualTo(1);
    assertThat(only().sent()).isEqualTo(5);
  }

  @Test
  void ipfixDatagramsAreNotCountedBySequenceNumbers() {
    receive(Datagrams.ipfix(ONE, 1_000, 0));
    receive(Datagrams.ipfix(ONE, 1_020, 0)); // 20 data records, or fewer and a gap
    receive(Datagrams.ipfix(ONE, 0, 0));
    ExporterStats stats = only();
    assertThat(stats.key().protocol()).isEqualTo(ExportProtocol.IPFIX);
    assertThat(stats.sent()).isEqualTo(3);
    assertThat(stats.missing() + stats.lostRecords() + stats.resets() + stats.strays()).isZero();
  }

  @Test
  void eachPartOfAnExporterCountsSeparately() {
    for (int part : new int[] {ONE, TWO}) {
      receive(Datagrams.netflow5(part, 1_000 * part, 10, UPTIME));
      receive(Datagrams.netflow9(part, 1_000 * part, UPTIME));
      receive(Datagrams.ipfix(part, 1_000 * part, 0));
    }
    receive(Datagrams.netflow5(TWO, 2_015, 10, UPTIME));
    receive(Datagrams.netflow9(ONE, 1_003, UPTIME));
    receive(Datagrams.netflow9(TWO, 2_001, UPTIME));
    assertThat(stats(ExportProtocol.NETFLOW5, ONE).lostRecords()).isZero();
    assertThat(stats(ExportProtocol.NETFLOW5, TWO).lostRecords()).isEqualTo(5);
    assertThat(stats(ExportProtocol.NETFLOW9, ONE).lostBefore()).isEqualTo(2);
    assertThat(stats(ExportProtocol.NETFLOW9, TWO).lostBefore()).isZero();
    assertThat(stats(ExportProtocol.IPFIX, ONE).received()).isEqualTo(1);
    assertThat(stats(ExportProtocol.IPFIX, TWO).received()).isEqualTo(1);
    assertThat(ledger.snapshot().exporters()).hasSize(6).allMatch(ExporterStats::addsUp);
  }

  @Test
  void twoExportersBehindOneAddressDifferByTheirPort() {
    receive(Datagrams.netflow9(ONE, 5, UPTIME), PORT);
    receive(Datagrams.netflow9(ONE, 900_000, UPTIME), PORT + 1);
    receive(Datagrams.netflow9(ONE, 6, UPTIME), PORT);
    receive(Datagrams.netflow9(ONE, 900_001, UPTIME), PORT + 1);
    assertThat(ledger.snapshot().exporters())
        .hasSize(2)
        .allMatch(stats -> stats.sent() == 2 && stats.strays() == 0);
    assertThat(ledger.snapshot().exporters())
        .extracting(stats -> stats.key().toString())
        .containsExactly(
            "10.0.0.1/1 netflow9 from port 2055", "10.0.0.1/1 netflow9 from port 2056");
  }

  @Test
  void skewIsTheArrivalLessTheSending() {
    int seconds = (int) (micros / 1_000_000);
    receive(Datagrams.netflow9(ONE, 1, UPTIME, seconds - 90));
    assertThat(only().skewMicros() / 1_000_000).isEqualTo(90);
    receive(Datagrams.netflow9(ONE, 2, UPTIME, seconds + 60));
    assertThat(only().skewMicros() / 1_000_000).isEqualTo(-59);
  }

  @Test
  void countsContinueAfterARestart() throws IOException {
    receive(Datagrams.netflow5(ONE, 0, 10, UPTIME));
    receive(Datagrams.netflow5(ONE, 30, 10, UPTIME));
    receive(Datagrams.netflow9(ONE, 1, UPTIME));
    receive(Datagrams.netflow9(ONE, 3, UPTIME));
    receive(Datagrams.ipfix(ONE, 5, 0));
    offer();
    byte[] saved = ledger.save();
    receive(Datagrams.netflow5(ONE, 40, 10, UPTIME)); // after the cut, in the log alone
    receive(Datagrams.netflow9(ONE, 4, UPTIME));
    offer();
    restart(saved);

    receive(Datagrams.netflow5(ONE, 10, 10, UPTIME)); // late, of the gap before the cut
    receive(Datagrams.netflow5(ONE, 65, 10, UPTIME)); // 15 lost while nobody listened
    receive(Datagrams.netflow9(ONE, 9, UPTIME)); // 5 to 8 lost while nobody listened
    receive(Datagrams.ipfix(ONE, 500, 0));
    offer();
    ExporterStats five = stats(ExportProtocol.NETFLOW5, ONE);
    assertThat(five.lostRecords()).isEqualTo(10 + 15);
    assertThat(five.late()).isEqualTo(1);
    assertThat(five.logged()).isEqualTo(5);
    ExporterStats nine = stats(ExportProtocol.NETFLOW9, ONE);
    assertThat(nine.sent()).isEqualTo(9);
    assertThat(nine.lostBefore()).isEqualTo(1);
    assertThat(nine.lostWhileDown()).isEqualTo(4);
    assertThat(stats(ExportProtocol.IPFIX, ONE).logged()).isEqualTo(2);
    assertThat(ledger.snapshot().exporters()).allMatch(ExporterStats::addsUp);
    assertThat(new LossLedger(ledger::snapshot, log::stored).report().violations()).isEmpty();
  }

  private void receive(ByteBuffer datagram) {
    receive(datagram, PORT);
  }

  private void receive(ByteBuffer datagram, int port) {
    long sender = Addresses.v4Low(SENDER);
    micros++;
    ledger.observe(open, micros, 0, sender, port, Datagrams.head(datagram));
    batch.add(micros, 0, sender, port, datagram);
    assertThat(ledger.snapshot().exporters()).allMatch(ExporterStats::addsUp);
  }

  private void offer() {
    byte[] value = batch.toBytes();
    batch.clear();
    RawBatch done = RawBatch.wrap(value, 0, 0);
    BatchCounters counters = open;
    open = new BatchCounters();
    ledger.finishBatch(counters, done.time(done.first()), done.rows(), value.length);
    log.offer(
        null,
        LogAppender.ANY_PARTITION,
        value,
        done.rows(),
        new LogAppender.Completion() {
          @Override
          public void acknowledged(int partition, long offset) {
            ledger.logged(counters, partition, offset);
          }

          @Override
          public void failed(Exception cause) {
            ledger.failed(counters);
          }
        });
  }

  private void restart(byte[] saved) throws IOException {
    ledger = Datagrams.ledger(100);
    open = new BatchCounters();
    ledger.restore(saved);
    ledger.replay(log);
  }

  private ExporterStats only() {
    assertThat(ledger.snapshot().exporters()).hasSize(1);
    return ledger.snapshot().exporters().get(0);
  }

  private ExporterStats stats(ExportProtocol protocol, int part) {
    return ledger.snapshot().exporters().stream()
        .filter(stats -> stats.key().protocol() == protocol && stats.key().part() == part)
        .findFirst()
        .orElseThrow();
  }
}

package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.LedgerQuota;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The format of saved counters is unchanged, byte for byte, and can be read. */
class LedgerGoldenTest {
  private static final String FILE = "ledger-version-1.bin";
  private static final LedgerQuota QUOTA = new LedgerQuota(2, 10, Long.MAX_VALUE);
  private static final int A = 0x0A000001;
  private static final int B = 0x0A000002;
  private static final int ENGINE = 0x0102;

  /** The ledger that the golden file has. */
  private static CollectorLedger golden() {
    CollectorLedger ledger = new CollectorLedger(QUOTA);
    BatchCounters first = new BatchCounters();
    long micros = 1_700_000_000_000_000L;
    for (int sequence : new int[] {1, 2, 5, 4, 4}) { // 3 is missing
      receive(ledger, first, micros, A, Datagrams.sflow(A, 0, sequence, 100));
    }
    for (int sequence : new int[] {1, 3}) { // of an exporter that goes to the others with that
      receive(ledger, first, micros, A, Datagrams.sflow(A, 1, sequence, 100));
    }
    receive(ledger, first, micros, A, Datagrams.sflow(A, 2, 1, 100)); // for which there is no room
    receive(ledger, first, micros, B, Datagrams.netflow5(ENGINE, 0, 30, 5_000));
    receive(ledger, first, micros, B, Datagrams.netflow5(ENGINE, 70, 30, 5_000)); // 40 are missing
    ledger.finishBatch(first, micros, 10, 1_000);
    ledger.logged(first, 1, 7);
    ledger.kernelTick(1);

    BatchCounters second = new BatchCounters();
    long later = micros + 60_000_000;
    receive(ledger, second, later, A, Datagrams.sflow(A, 0, 6, 100));
    for (int sequence : new int[] {Integer.MIN_VALUE, Integer.MIN_VALUE + 1}) { // a doubt
      receive(ledger, second, later, A, Datagrams.sflow(A, 0, sequence, 1_000_006, 100));
    }
    receive(ledger, second, later, B, Datagrams.netflow5(ENGINE, 30, 10, 5_000)); // late
    ledger.makeRoom(later);
    ledger.finishBatch(second, later, 4, 500); // in flight
    return ledger;
  }

  private static void receive(
      CollectorLedger ledger, BatchCounters batch, long micros, int sender, ByteBuffer datagram) {
    long low = Addresses.v4Low(sender);
    ledger.observe(batch, micros, 0, low, 2055, Datagrams.head(datagram));
  }

  /** Writes the golden file; argument: the folder of resources. */
  public static void main(String[] args) throws IOException {
    Files.write(Path.of(args[0], FILE), golden().save());
  }

  private static byte[] read(String name) throws IOException {
    try (InputStream golden = LedgerGoldenTest.class.getResourceAsStream(name)) {
      return golden.readAllBytes();
    }
  }

  private static ExporterStats only(CollectorLedger ledger, Predicate<ExporterKey> which) {
    return ledger.snapshot().exporters().stream()
        .filter(stats -> which.test(stats.key()))
        .reduce((one, another) -> null)
        .orElseThrow();
  }

  @Test
  void expectedTextIsUnchanged() throws IOException {
    assertThat(golden().save()).isEqualTo(read(FILE));
  }

  @Test
  void isRead() throws IOException {
    CollectorLedger ledger = new CollectorLedger(QUOTA);
    ledger.restore(read(FILE));
    assertThat(ledger.snapshot().kernelDrops()).isEqualTo(1);
    assertThat(ledger.snapshot().confirmed().next(1)).isEqualTo(8);
    assertThat(ledger.snapshot().exporters()).hasSize(3).allMatch(ExporterStats::addsUp);
    ledger.replay(Tail.EMPTY);

    ExporterStats first = only(ledger, key -> key.hasAgent());
    assertThat(first.received()).isEqualTo(8);
    assertThat(first.sent()).isEqualTo(6 + 2);
    assertThat(first.missing()).isEqualTo(1);
    assertThat(first.droppedByKernel()).isEqualTo(1);
    assertThat(first.late()).isEqualTo(1);
    assertThat(first.duplicates()).isEqualTo(1);
    assertThat(first.doubts()).isEqualTo(1);
    assertThat(first.logged()).isEqualTo(5);
    assertThat(first.lostAtStop()).isEqualTo(3);

    ExporterStats others = only(ledger, ExporterKey::isOthers);
    assertThat(others.sent()).isEqualTo(3 + 1);
    assertThat(others.missing()).isEqualTo(1);
    assertThat(others.logged()).isEqualTo(3);

    ExporterStats five = only(ledger, key -> key.protocol() == ExportProtocol.NETFLOW5);
    assertThat(five.key().part()).isEqualTo(ENGINE);
    assertThat(five.lostRecords()).isEqualTo(40 - 10);
    assertThat(five.late()).isEqualTo(1);

    // The sequence state is restored: late datagrams take losses back.
    BatchCounters batch = new BatchCounters();
    receive(ledger, batch, five.lastSeenMicros(), B, Datagrams.netflow5(ENGINE, 40, 30, 5_000));
    assertThat(only(ledger, key -> key.protocol() == ExportProtocol.NETFLOW5).lostRecords())
        .isZero();
    receive(ledger, batch, first.lastSeenMicros(), A, Datagrams.sflow(A, 0, 7, 1_000_007, 100));
    assertThat(only(ledger, key -> key.hasAgent()).doubts()).isEqualTo(2); // back where it left
  }
}

package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.engine.log.LogAppender;
import io.millrace.pulse.Pulse;
import io.millrace.testing.Await;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UdpCollectorTest {
  private static final int LENGTH = 1_100;

  @TempDir Path dir;
  private final MemoryLog log = new MemoryLog();
  private final List<DatagramChannel> senders = new ArrayList<>();
  private UdpCollector collector;

  @AfterEach
  void close() throws IOException {
    for (DatagramChannel sender : senders) {
      sender.close();
    }
    if (collector != null) {
      collector.close();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 4, 20, 100})
  void aDamagedLedgerIsRenamedAndCountsRestart(int length) throws IOException {
    start(config());
    DatagramChannel sender = sender();
    sender.write(Datagrams.sflow(1, 0, 1, LENGTH));
    Await.until("the collector", () -> log.datagrams() == 1);
    collector.close();
    Path file = dir.resolve("ledger");
    byte[] damaged = Arrays.copyOf(Files.readAllBytes(file), length);
    Files.write(file, damaged);
    start(config());
    Path aside = dir.resolve("ledger.damaged");
    assertThat(aside).hasBinaryContent(damaged);
    assertThat(collector.snapshot().exporters()).isEmpty();
    assertThat(collector.check())
        .anyMatch(
            problem ->
                problem.startsWith("the ledger was damaged: counts of datagrams before ")
                    && problem.endsWith(" are lost; delete " + aside + " to acknowledge"));
    Files.delete(aside);
    assertThat(collector.check()).noneMatch(problem -> problem.contains("damaged"));
  }

  @Test
  void datagramsAreLoggedUnchanged() throws IOException {
    start(config());
    DatagramChannel one = sender();
    DatagramChannel other = sender();
    for (int i = 0; i < 300; i++) {
      one.write(Datagrams.sflow(1, 0, i, LENGTH - i));
      other.write(Datagrams.sflow(2, 9, -150 + i, LENGTH));
    }
    other.write(Datagrams.unknown());
    Await.until("the collector", () -> log.datagrams() == 601);
    collector.close();

    assertThat(log.batches()).allMatch(RawBatch::isSound);
    Map<Integer, Integer> lengthBySequence = new HashMap<>();
    for (RawBatch batch : log.batches()) {
      ByteBuffer bytes = ByteBuffer.wrap(batch.bytes());
      int cursor = batch.first();
      for (int i = 0; i < batch.rows(); i++, cursor = batch.next(cursor)) {
        if (bytes.getInt(batch.payload(cursor) + 8) == 1) {
          assertThat(batch.senderPort(cursor)).isEqualTo(port(one));
          lengthBySequence.put(
              bytes.getInt(batch.payload(cursor) + 16), batch.payloadLength(cursor));
        }
      }
    }
    assertThat(lengthBySequence).hasSize(300).containsEntry(0, LENGTH).containsEntry(299, 801);

    LossLedger.Report report = assertAddsUp();
    assertThat(report.exporters())
        .extracting(LossLedger.Entry::inFlight, LossLedger.Entry::lost, e -> e.collected().sent())
        .containsExactlyInAnyOrder(tuple(0L, 0L, 300L), tuple(0L, 0L, 300L), tuple(0L, 1L, 1L));
  }

  /** An error of the log or a bug during an iteration. */
  @Test
  void readerContinuesAfterAnErrorAndReportsIt() throws IOException {
    AtomicInteger errors = new AtomicInteger(2);
    LogAppender broken =
        new LogAppender() {
          @Override
          public boolean offer(
              byte[] key, int partition, byte[] value, int datagrams, Completion completion) {
            if (errors.getAndDecrement() > 0) {
              throw new AssertionError("broken");
            }
            return log.offer(key, partition, value, datagrams, completion);
          }

          @Override
          public int partitions() {
            return log.partitions();
          }

          @Override
          public int maxValueBytes() {
            return log.maxValueBytes();
          }
        };
    collector = new UdpCollector(config(), dir.resolve("ledger"), broken, log);
    collector.start();
    DatagramChannel sender = sender();
    for (int i = 0; i < 100; i++) {
      sender.write(Datagrams.sflow(1, 0, i, LENGTH));
    }
    Await.until(
        "the collector",
        () -> {
          ExporterStats stats = collector.snapshot().exporters().stream().findFirst().orElse(null);
          return stats != null && stats.logged() + stats.rejected() == 100;
        });
    assertThat(log.datagrams()).isPositive();
    assertThat(collector.check()).anyMatch(problem -> problem.contains("broken"));
    assertThat(Pulse.all()).anyMatch(pulse -> pulse.name().equals("millrace-udp"));
    collector.close();
    assertAddsUp();
    assertThat(Pulse.all()).noneMatch(pulse -> pulse.name().equals("millrace-udp"));
  }

  @Test
  void severalSocketsFeedOneCollector() throws IOException {
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    start(config().withListen(loopback, loopback, loopback));
    assertThat(collector.addresses()).hasSize(3).doesNotHaveDuplicates();
    for (int i = 0; i < 3; i++) {
      sender(collector.addresses().get(i)).write(Datagrams.sflow(i, 0, 1, LENGTH));
    }
    Await.until("the collector", () -> log.datagrams() == 3);
    assertThat(collector.snapshot().exporters()).hasSize(3);
  }

  @Test
  void everyPortAcceptsEveryProtocol() throws IOException {
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    start(config().withListen(loopback, loopback));
    for (InetSocketAddress to : collector.addresses()) {
      DatagramChannel sender = sender(to);
      sender.write(Datagrams.sflow(1, 0, 1, LENGTH));
      sender.write(Datagrams.netflow5(2, 0, 30, 1_000));
      sender.write(Datagrams.netflow9(3, 1, 1_000));
      sender.write(Datagrams.ipfix(4, 0, 0));
      sender.write(Datagrams.unknown());
    }
    Await.until("the collector", () -> settled(10));
    collector.close();
    assertThat(collector.snapshot().exporters())
        .extracting(stats -> stats.key().protocol(), stats -> stats.key().part())
        .containsExactlyInAnyOrder(
            tuple(ExportProtocol.SFLOW, 0), // one agent, whatever its port
            tuple(ExportProtocol.UNKNOWN, 0),
            tuple(ExportProtocol.NETFLOW5, 2),
            tuple(ExportProtocol.NETFLOW5, 2),
            tuple(ExportProtocol.NETFLOW9, 3),
            tuple(ExportProtocol.NETFLOW9, 3),
            tuple(ExportProtocol.IPFIX, 4),
            tuple(ExportProtocol.IPFIX, 4));
    assertAddsUp();
  }

  @Test
  void datagramsWithTemplatesStayInOnePartition() throws IOException {
    start(config());
    DatagramChannel sender = sender();
    int rounds = 200;
    DatagramChannel otherPort = sender();
    for (int i = 0; i < rounds; i++) {
      sender.write(Datagrams.sflow(1, 0, i, LENGTH));
      sender.write(Datagrams.netflow9(3, i, 1_000));
      sender.write(Datagrams.ipfix(4, i, 0));
    }
    for (int domain = 100; domain < 120; domain++) {
      otherPort.write(Datagrams.netflow9(domain, 0, 1_000));
    }
    Await.until("the collector", () -> log.datagrams() == 3L * rounds + 20);
    collector.close();
    Set<Integer> ofDevice = new HashSet<>();
    for (int version : new int[] {9, 10}) {
      List<Integer> sequences = new ArrayList<>();
      Set<Integer> partitions = new HashSet<>();
      for (RawBatch batch : log.batches()) {
        ByteBuffer bytes = ByteBuffer.wrap(batch.bytes());
        int cursor = batch.first();
        for (int i = 0; i < batch.rows(); i++, cursor = batch.next(cursor)) {
          if (bytes.getShort(batch.payload(cursor)) == version) {
            if (batch.senderPort(cursor) == port(sender)) {
              sequences.add(bytes.getInt(batch.payload(cursor) + (version == 9 ? 12 : 8)));
            }
            partitions.add(batch.partition());
            ofDevice.add(batch.partition());
          }
        }
      }
      assertThat(partitions).as("partitions of version %d", version).hasSize(1);
      assertThat(sequences).hasSize(rounds).isSorted();
    }
    assertThat(ofDevice).as("partitions of a device, whatever its ports and domains").hasSize(1);
  }

  @Test
  void lingeringBatchIsWrittenWhenTrafficStops() throws IOException {
    start(config().withBatch(1 << 20, 20_000));
    sender().write(Datagrams.sflow(1, 0, 1, LENGTH));
    Await.until("the collector", () -> log.datagrams() == 1);
  }

  @Test
  void closeWritesReceivedDatagrams() throws IOException {
    start(config().withBatch(1 << 20, 1_000_000));
    DatagramChannel sender = sender();
    for (int i = 0; i < 100; i++) {
      sender.write(Datagrams.sflow(1, 0, i, LENGTH));
    }
    collector.close();
    assertThat(log.datagrams()).isEqualTo(100);
    assertThat(assertAddsUp().exporters().get(0).collected().logged()).isEqualTo(100);
    collector.close();
  }

  @Test
  void closeWaitsForTheLogToConfirm() throws Exception {
    log.feel(MemoryLog.Mood.KEEPS_SILENT);
    start(config());
    sender().write(Datagrams.sflow(1, 0, 1, LENGTH));
    Await.until("the collector", () -> log.datagrams() == 1);
    assertThat(collector.snapshot().exporters().get(0).inFlight()).isEqualTo(1);
    Thread closer =
        new Thread(
            () -> {
              try {
                collector.close();
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    closer.start();
    log.speak();
    closer.join();
    assertThat(collector.snapshot().exporters().get(0).logged()).isEqualTo(1);
  }

  @Test
  void rejectedAndFailedBatchesAreCountedAndNotKept() throws IOException {
    start(config());
    DatagramChannel sender = sender();
    int sequence = 0;
    for (MemoryLog.Mood mood :
        List.of(MemoryLog.Mood.REJECTS, MemoryLog.Mood.FAILS, MemoryLog.Mood.TAKES)) {
      log.feel(mood);
      for (int i = 0; i < 200; i++) {
        sender.write(Datagrams.sflow(1, 0, sequence++, LENGTH));
      }
      int sent = sequence;
      Await.until("the collector", () -> settled(sent));
    }
    collector.close();
    ExporterStats stats = assertAddsUp().exporters().get(0).collected();
    assertThat(stats.sent()).isEqualTo(600);
    assertThat(stats.rejected()).isEqualTo(200);
    assertThat(stats.failed()).isEqualTo(200);
    assertThat(stats.logged()).isEqualTo(200).isEqualTo(log.datagrams());
  }

  @Test
  void kernelDropsOfAStalledReaderAreAttributed() throws IOException {
    CountDownLatch stalled = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    ArrivalClock clock =
        () -> {
          stalled.countDown();
          try {
            release.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return ArrivalClock.SYSTEM.micros();
        };
    collector =
        new UdpCollector(
            config().withReceiveBufferBytes(1 << 16),
            Long.MAX_VALUE,
            dir.resolve("ledger"),
            log,
            log,
            clock,
            new KernelDrops());
    collector.start();
    DatagramChannel one = sender();
    DatagramChannel two = sender();
    one.write(Datagrams.sflow(1, 0, 0, LENGTH));
    two.write(Datagrams.sflow(2, 0, 0, LENGTH));
    Await.until("the collector", () -> stalled.getCount() == 0);
    for (int i = 1; i <= 1_500; i++) {
      one.write(Datagrams.sflow(1, 0, i, LENGTH));
      if (i <= 500) {
        two.write(Datagrams.sflow(2, 0, i, LENGTH));
      }
    }
    long before = log.datagrams();
    release.countDown();
    Await.until("the collector", () -> log.datagrams() > before && settled(log.datagrams()));
    one.write(Datagrams.sflow(1, 0, 1_501, LENGTH)); // shows what was missing
    two.write(Datagrams.sflow(2, 0, 501, LENGTH));
    Await.until("the collector", () -> sent() == 1_502 + 502);
    collector.close();

    LossLedger.Report report = assertAddsUp();
    long missing = 0;
    long byKernel = 0;
    for (LossLedger.Entry entry : report.exporters()) {
      missing += entry.collected().missing();
      byKernel += entry.collected().droppedByKernel();
      assertThat(entry.collected().missing()).isPositive();
    }
    assumeThat(collector.countsKernelDrops()).as("this system tells kernel drops").isTrue();
    assertThat(byKernel).isEqualTo(missing).isEqualTo(report.kernelDrops());
    assertThat(report.kernelDropsOpen()).isZero();
  }

  @Test
  void countsContinueAfterARestart() throws IOException {
    start(config());
    DatagramChannel sender = sender();
    sender.write(Datagrams.sflow(1, 0, 1, LENGTH));
    sender.write(Datagrams.sflow(1, 0, 3, LENGTH));
    Await.until("the collector", () -> settled(2));
    collector.close();

    start(config());
    sender = sender();
    sender.write(Datagrams.sflow(1, 0, 10, LENGTH));
    Await.until("the collector", () -> settled(3));
    collector.close();
    ExporterStats stats = assertAddsUp().exporters().get(0).collected();
    assertThat(stats.sent()).isEqualTo(10);
    assertThat(stats.lostBefore()).isEqualTo(1);
    assertThat(stats.lostWhileDown()).isEqualTo(6);
    assertThat(stats.logged()).isEqualTo(3);
  }

  @Test
  void startsFromTheStateOfAKilledProcess() throws IOException {
    start(config());
    DatagramChannel sender = sender();
    Path file = dir.resolve("ledger");
    byte[] atStart = Files.readAllBytes(file);
    for (int i = 1; i <= 50; i++) {
      sender.write(Datagrams.sflow(1, 0, i, LENGTH));
    }
    Await.until("the collector", () -> settled(50));
    collector.close();
    Files.write(file, atStart); // as if killed before the first save

    start(config());
    sender().write(Datagrams.sflow(1, 0, 61, LENGTH));
    Await.until("the collector", () -> settled(51));
    collector.close();
    ExporterStats stats = assertAddsUp().exporters().get(0).collected();
    assertThat(stats.sent()).isEqualTo(61);
    assertThat(stats.lostWhileDown()).isEqualTo(10);
  }

  @Test
  void savesItsCountsWhileItRuns() throws IOException {
    start(config());
    byte[] atStart = Files.readAllBytes(dir.resolve("ledger"));
    sender().write(Datagrams.sflow(1, 0, 1, LENGTH));
    Await.until(
        "the collector", () -> !java.util.Arrays.equals(atStart, read(dir.resolve("ledger"))));
  }

  @Test
  void reportsASmallerReceiveBuffer() throws IOException {
    start(config().withReceiveBufferBytes(1 << 30));
    assumeThat(collector.receiveBufferBytes()).as("buffer given").isLessThan(1 << 30);
    assertThat(collector.check()).hasSize(1).first().asString().contains("net.core.rmem_max");
  }

  @Test
  void reportsWhichAddressIsInUse() throws IOException {
    start(config());
    InetSocketAddress taken = collector.addresses().get(0);
    UdpCollector second =
        new UdpCollector(config().withListen(taken), dir.resolve("second"), log, Tail.EMPTY);
    assertThatThrownBy(second::start)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("127.0.0.1:" + taken.getPort());
  }

  private CollectorConfig config() {
    return new CollectorConfig(
        List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
        4 << 20,
        1,
        8 << 10,
        1_000,
        300,
        100,
        100,
        List.of(),
        20,
        20_000);
  }

  private void start(CollectorConfig config) throws IOException {
    collector = new UdpCollector(config, dir.resolve("ledger"), log, log);
    collector.start();
  }

  private DatagramChannel sender() throws IOException {
    return sender(collector.addresses().get(0));
  }

  private DatagramChannel sender(InetSocketAddress to) throws IOException {
    DatagramChannel sender = DatagramChannel.open(StandardProtocolFamily.INET);
    sender.connect(to);
    senders.add(sender);
    return sender;
  }

  private static int port(DatagramChannel channel) throws IOException {
    return ((InetSocketAddress) channel.getLocalAddress()).getPort();
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private boolean settled(long received) {
    return collector.snapshot().exporters().stream()
            .mapToLong(stats -> stats.inFlight() > 0 ? Long.MIN_VALUE : stats.received())
            .reduce(0, (a, b) -> Math.min(a, b) < 0 ? -1 : a + b)
        == received;
  }

  private long sent() {
    return collector.snapshot().exporters().stream().mapToLong(ExporterStats::sent).sum();
  }

  private LossLedger.Report assertAddsUp() {
    LossLedger.Report report = new LossLedger(collector::snapshot, log::stored).report();
    assertThat(report.violations()).isEmpty();
    assertThat(report.exporters()).allMatch(LossLedger.Entry::caughtUp);
    return report;
  }
}

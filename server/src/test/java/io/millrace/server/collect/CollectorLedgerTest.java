package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.engine.log.LogAppender;
import io.millrace.server.collect.BatchCounters.BatchId;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.LedgerQuota;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CollectorLedgerTest {
  private static final int A = 0x0A000001;
  private static final int B = 0x0A000002;

  private CollectorLedger ledger = Datagrams.ledger(100);
  private final RawBatch.Writer batch = new RawBatch.Writer(4096);
  private BatchCounters open = new BatchCounters();
  private long micros = 1_000_000;

  @Test
  void batchOutcomesAreCountedForTheirExporters() {
    receive(A, 1);
    receive(B, 7);
    receive(A, 2);
    BatchCounters first = finish();
    receive(B, 8);
    BatchCounters second = finish();
    receive(A, 3);
    BatchCounters third = finish();
    ledger.logged(first, 0, 0);
    ledger.rejected(second);
    ledger.failed(third);
    assertThat(stats(A).logged()).isEqualTo(2);
    assertThat(stats(A).failed()).isEqualTo(1);
    assertThat(stats(B).logged()).isEqualTo(1);
    assertThat(stats(B).rejected()).isEqualTo(1);
    assertAddsUp();
  }

  @Test
  void kernelDropsAreSpreadInProportionToTheGaps() {
    receive(A, 1);
    receive(B, 1);
    receive(A, 32); // 30 missing
    receive(B, 12); // 10 missing
    ledger.kernelTick(20);
    assertThat(stats(A).droppedByKernel()).isEqualTo(15);
    assertThat(stats(B).droppedByKernel()).isEqualTo(5);
    assertThat(stats(A).lostBefore()).isEqualTo(15);
    assertThat(stats(B).lostBefore()).isEqualTo(5);
    assertAddsUp();
  }

  @Test
  void kernelDropsWaitForTheDatagramThatShowsTheGap() {
    receive(A, 1);
    ledger.kernelTick(7);
    assertThat(ledger.snapshot().kernelDropsOpen()).isEqualTo(7);
    receive(A, 12); // 10 missing
    ledger.kernelTick(0);
    assertThat(stats(A).droppedByKernel()).isEqualTo(7);
    assertThat(ledger.snapshot().kernelDropsOpen()).isZero();
    assertAddsUp();
  }

  @Test
  void gapsAreShownBeforeTheirKernelDrops() {
    receive(A, 1);
    receive(A, 12); // 10 missing
    ledger.kernelTick(0);
    ledger.kernelTick(4);
    assertThat(stats(A).droppedByKernel()).isEqualTo(4);
    ledger.kernelTick(4); // too late for that gap
    assertThat(stats(A).droppedByKernel()).isEqualTo(4);
    assertAddsUp();
  }

  @Test
  void gapsAreCountedWithTheNextArrival() {
    receive(A, 1);
    assertThat(stats(A).gaps()).isEqualTo(ExporterStats.Gaps.NONE);
    receive(A, 4);
    receive(A, 3); // late
    receive(A, 9);
    long last = micros;
    receive(A, 10);
    ledger.kernelTick(2);
    assertThat(stats(A).gaps()).isEqualTo(new ExporterStats.Gaps(2, last));
    assertAddsUp();
  }

  @Test
  void lateDatagramWasNotDroppedByTheKernel() {
    receive(A, 1);
    receive(A, 4);
    ledger.kernelTick(2);
    receive(A, 3);
    assertThat(stats(A).droppedByKernel()).isEqualTo(1);
    assertThat(stats(A).missing()).isEqualTo(1);
    assertAddsUp();
  }

  @Test
  void unknownProtocolIsCountedBySender() {
    observe(A, Datagrams.unknown());
    ExporterStats stats = ledger.snapshot().exporters().get(0);
    assertThat(stats.key().hasAgent()).isFalse();
    assertThat(stats.sent()).isEqualTo(1);
    assertThat(stats.key()).hasToString("10.0.0.1");
    assertAddsUp();
  }

  @Test
  void ipv6AgentIsRead() {
    observe(A, Datagrams.sflowFromIpv6(0x20010DB8L << 32, 9, 44));
    assertThat(ledger.snapshot().exporters().get(0).key())
        .hasToString("10.0.0.1 agent 2001:db8::9");
  }

  @Test
  void exportersBeyondTheLimitAreCountedTogether() {
    ledger = Datagrams.ledger(2);
    for (int i = 0; i < 10; i++) {
      receive(A + i, 5 * i);
    }
    assertThat(ledger.snapshot().exporters()).hasSize(3);
    ExporterStats others = ledger.snapshot().exporters().get(2);
    assertThat(others.key()).hasToString("others");
    assertThat(others.sent()).isEqualTo(8);
    assertAddsUp();
  }

  @Test
  void othersOfTheJobAddUpToTheOthersOfTheCollector() throws IOException {
    ledger = Datagrams.ledger(2);
    MemoryLog log = new MemoryLog();
    for (int i = 0; i < 10; i++) {
      receive(A + i, 1);
      observe(A + i, Datagrams.unknown()); // of senders of their own, and malformed
    }
    offer(log);
    LossLedger.Report report = new LossLedger(ledger::snapshot, log::stored).report();
    assertThat(report.violations()).isEmpty();
    assertThat(report.exporters()).hasSize(3);
    LossLedger.Entry others = report.of("others").exporters().get(0);
    assertThat(others.job().stored()).isEqualTo(9);
    assertThat(others.job().malformed()).isEqualTo(9);
    assertThat(others.inFlight()).isZero();
    assertThat(report.exporters().stream().mapToLong(entry -> entry.job().datagrams()).sum())
        .isEqualTo(20);
  }

  @Test
  void exporterThatLeavesTheOthersKeepsItsCountsThere() throws IOException {
    ledger = Datagrams.ledger(1);
    MemoryLog log = new MemoryLog();
    receive(A, 1);
    receive(B, 1);
    receive(B, 2);
    offer(log);
    byte[] saved = ledger.save();
    ledger = Datagrams.ledger(100); // a higher bound
    open = new BatchCounters();
    ledger.restore(saved);
    ledger.replay(log);
    receive(B, 3);
    offer(log);
    LossLedger.Report report = new LossLedger(ledger::snapshot, log::stored).report();
    assertThat(report.violations()).isEmpty();
    assertThat(report.exporters())
        .extracting(entry -> entry.key().toString(), entry -> entry.job().stored())
        .containsExactly(tuple("10.0.0.1", 1L), tuple("10.0.0.2", 1L), tuple("others", 2L));
  }

  private static final LedgerQuota SMALL = new LedgerQuota(20, 50, 3_600_000_000L);

  /** Receives a datagram from each of a range of sub-agents of a sender. */
  private void receiveOf(int sender, int from, int to) {
    for (int part = from; part < to; part++) {
      observe(sender, Datagrams.sflow(sender, part, 1, 60));
    }
  }

  private long named(String others) {
    return ledger.snapshot().exporters().stream()
        .filter(stats -> stats.key().toString().equals(others))
        .mapToLong(ExporterStats::sent)
        .sum();
  }

  private void passSeconds(long seconds) {
    micros += seconds * 1_000_000;
    ledger.makeRoom(micros);
  }

  @Test
  void senderOfManyAgentsUsesItsOwnQuota() {
    ledger = new CollectorLedger(SMALL);
    receiveOf(B, 0, 1_000);
    receive(A, 1);
    assertThat(ledger.snapshot().exporters()).hasSize(20 + 1 + 1);
    assertThat(named("10.0.0.2 others")).isEqualTo(980);
    assertThat(stats(A).sent()).isEqualTo(1);
    assertAddsUp();
  }

  @Test
  void idleForgedSendersAreMerged() {
    ledger = new CollectorLedger(SMALL);
    for (int sender = 0; sender < 1_000; sender++) {
      receive(0x0B000000 + sender, 1);
    }
    assertThat(ledger.snapshot().exporters()).hasSize(51);
    receive(A, 1); // there is no room yet
    assertThat(named("others")).isEqualTo(951);
    passSeconds(60);
    receive(A, 2);
    assertThat(named("10.0.0.1")).isEqualTo(1);
    assertThat(ledger.snapshot().exporters().stream().mapToLong(ExporterStats::sent).sum())
        .isEqualTo(1_002);
    assertAddsUp();
  }

  @Test
  void longSeenExportersArePreferredToNewOnes() {
    ledger = new CollectorLedger(SMALL);
    receive(B, 1);
    passSeconds(700);
    receive(B, 2);
    for (int round = 0; round < 20; round++) {
      for (int sender = 0; sender < 100; sender++) {
        receive(0x0B000000 + round * 100 + sender, 1);
      }
      receiveOf(B, 1_000 + round * 100, 1_100 + round * 100);
      passSeconds(31);
    }
    receive(B, 4);
    assertThat(stats(B).sent()).isEqualTo(4);
    assertThat(stats(B).missing()).isEqualTo(1);
    assertThat(ledger.snapshot().exporters().size()).isLessThanOrEqualTo(2 * SMALL.inAll());
    assertAddsUp();
  }

  @Test
  void knownSendersAreCountedIndividually() {
    ledger =
        new CollectorLedger(
            new LedgerQuota(
                SMALL.perSender(),
                SMALL.inAll(),
                SMALL.keepMicros(),
                Set.of(LedgerQuota.Sender.of(0, Addresses.v4Low(A)))));
    for (int sender = 0; sender < 1_000; sender++) {
      receive(0x0B000000 + sender, 1);
    }
    receive(A, 1);
    assertThat(stats(A).sent()).isEqualTo(1);
    passSeconds(3_000);
    assertThat(stats(A).sent()).isEqualTo(1);
  }

  @Test
  void sendersWithFewExportersAreCountedIndividually() {
    ledger = new CollectorLedger(SMALL);
    for (int sender = 0; sender < 3; sender++) {
      receiveOf(0x0B000000 + sender, 0, 20);
    }
    receive(A, 1);
    assertThat(stats(A).sent()).isEqualTo(1);
  }

  @Test
  void addressesOfOneIpv6NetworkAreOneSender() {
    ledger = new CollectorLedger(SMALL);
    for (int host = 0; host < 100; host++) {
      micros++;
      ByteBuffer datagram = Datagrams.sflow(A, host, 1, 60);
      ledger.observe(open, micros, 0xFE80L << 48, host, 1, Datagrams.head(datagram));
    }
    assertThat(named("fe80::/64 others")).isEqualTo(80);
  }

  /** Datagrams in flight of an exporter that is merged count for the others, also after a kill. */
  @Test
  void othersAddUpWithBatchesInFlight() throws IOException {
    ledger = new CollectorLedger(SMALL);
    MemoryLog log = new MemoryLog();
    log.feel(MemoryLog.Mood.KEEPS_SILENT);
    receiveOf(B, 0, 30);
    offer(log);
    passSeconds(60);
    assertThat(named("10.0.0.2 others")).isGreaterThan(10);
    assertAddsUp();
    byte[] saved = ledger.save();
    ledger = new CollectorLedger(SMALL);
    open = new BatchCounters();
    ledger.restore(saved);
    ledger.replay(log);
    log.feel(MemoryLog.Mood.TAKES);
    receiveOf(B, 0, 30);
    offer(log);
    LossLedger.Report report = new LossLedger(ledger::snapshot, log::stored).report();
    assertThat(report.violations()).isEmpty();
    assertThat(report.exporters().stream().mapToLong(LossLedger.Entry::inFlight).sum()).isZero();
    assertThat(report.exporters().stream().mapToLong(e -> e.job().datagrams()).sum()).isEqualTo(60);
  }

  @Test
  void countsContinueAfterAKillWithAnotherLog() throws IOException {
    MemoryLog first = new MemoryLog();
    for (int i = 1; i <= 30; i++) {
      receive(A, i);
      offer(first);
    }
    byte[] saved = ledger.save();

    MemoryLog another = new MemoryLog(); // in which the same offsets come again
    ledger = Datagrams.ledger(100);
    open = new BatchCounters();
    ledger.restore(saved);
    ledger.replay(another);
    receive(A, 31);
    offer(another);
    saved = ledger.save();
    receive(A, 32);
    receive(A, 33);
    offer(another); // after the save

    ledger = Datagrams.ledger(100);
    open = new BatchCounters();
    ledger.restore(saved);
    ledger.replay(another);
    receive(A, 34);
    assertThat(stats(A).logged()).isEqualTo(33);
    assertThat(stats(A).lostWhileDown()).isZero();
    assertAddsUp();
  }

  @Test
  void countsContinueAfterAKillWithTheLog() throws IOException {
    MemoryLog log = new MemoryLog();
    receive(A, 1);
    receive(B, 1);
    offer(log); // confirmed before the save
    log.feel(MemoryLog.Mood.KEEPS_SILENT);
    receive(A, 2);
    offer(log); // in the log, and not known at the save
    log.feel(MemoryLog.Mood.FORGETS);
    receive(A, 3);
    receive(B, 2);
    offer(log); // in flight at the save, and never in the log
    byte[] saved = ledger.save();
    log.feel(MemoryLog.Mood.TAKES);
    receive(A, 4);
    receive(A, 6);
    offer(log); // after the save, in the log
    log.feel(MemoryLog.Mood.FORGETS);
    receive(A, 7);
    offer(log); // after the save, not in the log

    ledger = Datagrams.ledger(100);
    open = new BatchCounters();
    ledger.restore(saved);
    ledger.replay(log);
    assertThat(stats(A).received()).isEqualTo(5);
    assertThat(stats(A).logged()).isEqualTo(4);
    assertThat(stats(A).lostAtStop()).isEqualTo(1);
    assertThat(stats(A).lostBefore()).isZero(); // 5 may have been in a buffer of the process
    assertThat(stats(A).lostWhileDown()).isEqualTo(1);
    assertThat(stats(B).lostAtStop()).isEqualTo(1);
    assertAddsUp();

    receive(A, 10); // 7 was read and forgotten, 8 and 9 came to nobody
    receive(A, 12);
    assertThat(stats(A).sent()).isEqualTo(12);
    assertThat(stats(A).lostWhileDown()).isEqualTo(1 + 3);
    assertThat(stats(A).lostBefore()).isEqualTo(1);
    log.feel(MemoryLog.Mood.TAKES);
    offer(log);
    LossLedger.Report report = new LossLedger(ledger::snapshot, log::stored).report();
    assertThat(report.violations()).isEmpty();
    assertThat(report.exporters()).allMatch(entry -> entry.inFlight() == 0);
  }

  @Test
  void secondRestartWithoutTrafficChangesNothing() throws IOException {
    MemoryLog log = new MemoryLog();
    receive(A, 1);
    receive(A, 3);
    offer(log);
    LedgerSnapshot before = ledger.snapshot();
    for (int i = 0; i < 2; i++) {
      byte[] saved = ledger.save();
      ledger = Datagrams.ledger(100);
      open = new BatchCounters();
      ledger.restore(saved);
      ledger.replay(log);
    }
    assertThat(ledger.snapshot().exporters())
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("gaps") // since the start
        .isEqualTo(before.exporters());
    assertThat(ledger.snapshot().confirmed()).isEqualTo(before.confirmed());
  }

  @Test
  void rejectsInvalidState() {
    assertThatThrownBy(() -> ledger.restore(new byte[64]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not a ledger");
    byte[] half = java.util.Arrays.copyOf(ledger.save(), 10);
    assertThatThrownBy(() -> Datagrams.ledger(1).restore(half)).isInstanceOf(IOException.class);
  }

  private void receive(int sender, int sequence) {
    observe(sender, Datagrams.sflow(sender, 0, sequence, 60));
  }

  private void observe(int sender, ByteBuffer datagram) {
    micros++;
    ledger.observe(open, micros, 0, Addresses.v4Low(sender), 1, Datagrams.head(datagram));
    batch.add(micros, 0, Addresses.v4Low(sender), 1, datagram);
  }

  private BatchCounters finish() {
    RawBatch done = RawBatch.wrap(batch.toBytes(), 0, 0);
    batch.clear();
    BatchCounters counters = open;
    open = new BatchCounters();
    ledger.finishBatch(counters, done.time(done.first()), done.rows(), done.length());
    return counters;
  }

  private void offer(MemoryLog log) {
    byte[] value = batch.toBytes();
    BatchCounters counters = finish();
    BatchId id = counters.id();
    log.offer(
        null,
        LogAppender.ANY_PARTITION,
        value,
        id.datagrams(),
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

  private ExporterStats stats(int sender) {
    return ledger.snapshot().exporters().stream()
        .filter(stats -> stats.key().senderLow() == Addresses.v4Low(sender))
        .findFirst()
        .orElseThrow();
  }

  private void assertAddsUp() {
    assertThat(ledger.snapshot().exporters()).allMatch(ExporterStats::addsUp);
  }
}

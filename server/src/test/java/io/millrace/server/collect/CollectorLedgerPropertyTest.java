package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.log.LogAppender;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.BeforeTry;

/**
 * For any order of losses, rejections, saves and kills, the ledger adds up and has the sent
 * datagrams.
 */
class CollectorLedgerPropertyTest {
  private static final int EXPORTERS = 3;

  private final RawBatch.Writer batch = new RawBatch.Writer(1 << 16);
  private BatchCounters open = new BatchCounters();
  private MemoryLog log;
  private CollectorLedger ledger;
  private long[] sent;
  private byte[] saved;
  private long micros;

  @BeforeTry
  void startWithNothing() {
    batch.clear();
    log = new MemoryLog();
    ledger = Datagrams.ledger(100);
    open = new BatchCounters();
    sent = new long[EXPORTERS];
  }

  @Property(tries = 300)
  void alwaysAddsUp(
      @ForAll long seed, @ForAll @IntRange(max = 400) int steps, @ForAll boolean repeats)
      throws IOException {
    Random random = new Random(seed);
    MemoryLog.Mood[] moods = MemoryLog.Mood.values();
    for (int i = 0; i < EXPORTERS; i++) {
      receive(i); // the ledger counts from the first datagram that it or the log remembers
    }
    offer();
    save();
    for (int step = 0; step < steps; step++) {
      switch (random.nextInt(12)) {
        case 0 -> sent[random.nextInt(EXPORTERS)] += 1 + random.nextInt(20); // lost on the way
        case 1 -> observe(random.nextInt(EXPORTERS), repeats ? random.nextInt(5) : -1);
        case 2 -> offer();
        case 3 -> log.feel(moods[random.nextInt(moods.length)]);
        case 4 -> ledger.kernelTick(random.nextInt(10));
        case 5 -> log.speak();
        case 6 -> {
          offer();
          save();
        }
        case 7 -> {
          if (random.nextInt(4) == 0) {
            killAndStart();
          }
        }
        default -> receive(random.nextInt(EXPORTERS));
      }
      assertThat(ledger.snapshot().exporters()).allMatch(ExporterStats::addsUp);
    }
    killAndStart();
    log.feel(MemoryLog.Mood.TAKES);
    for (int i = 0; i < EXPORTERS; i++) {
      receive(i);
    }
    offer();

    LossLedger.Report report = new LossLedger(ledger::snapshot, log::stored).report();
    assertThat(report.violations()).isEmpty();
    assertThat(report.exporters()).hasSize(EXPORTERS).allMatch(entry -> entry.inFlight() == 0);
    for (LossLedger.Entry entry : report.exporters()) {
      int exporter = (int) (entry.key().agentLow() & 0xFF);
      ExporterStats stats = entry.collected();
      assertThat(stats.sent()).isEqualTo(sent[exporter]);
      assertThat(stats.resets() + stats.strays()).isZero();
      if (!repeats) {
        assertThat(stats.duplicates() + stats.late()).isZero();
      }
    }
  }

  private void receive(int exporter) {
    sent[exporter]++;
    observe(exporter, 0);
  }

  /**
   * Observes the newest datagram (0) or an earlier one, which may have arrived already; none for
   * -1.
   */
  private void observe(int exporter, int behind) {
    int sequence = behind < 0 ? 0 : (int) (sent[exporter] - behind);
    if (sequence < 1) {
      return;
    }
    ByteBuffer datagram = Datagrams.sflow(exporter, 0, sequence, 60);
    long sender = Addresses.v4Low(0x0A000000 | exporter);
    micros++;
    ledger.observe(open, micros, 0, sender, 1, Datagrams.head(datagram));
    batch.add(micros, 0, sender, 1, datagram);
  }

  private void offer() {
    if (batch.count() == 0) {
      return;
    }
    byte[] value = batch.toBytes();
    RawBatch done = RawBatch.wrap(value, 0, 0);
    CollectorLedger owner = ledger; // a late answer is for the process that asked
    BatchCounters counters = open;
    open = new BatchCounters();
    owner.finishBatch(counters, done.time(done.first()), done.rows(), value.length);
    boolean taken =
        log.offer(
            null,
            LogAppender.ANY_PARTITION,
            value,
            done.rows(),
            new LogAppender.Completion() {
              @Override
              public void acknowledged(int partition, long offset) {
                owner.logged(counters, partition, offset);
              }

              @Override
              public void failed(Exception cause) {
                owner.failed(counters);
              }
            });
    if (!taken) {
      owner.rejected(counters);
    }
    batch.clear();
  }

  private void save() {
    saved = ledger.save();
  }

  private void killAndStart() throws IOException {
    batch.clear();
    ledger = Datagrams.ledger(100);
    open = new BatchCounters();
    ledger.restore(saved);
    ledger.replay(log);
    save();
  }
}

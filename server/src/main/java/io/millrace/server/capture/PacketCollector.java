package io.millrace.server.capture;

import io.millrace.pulse.Pulse;
import io.millrace.server.collect.BatchLog;
import io.millrace.server.collect.InterfaceCounts;
import io.millrace.wire.block.PacketBlock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Captures the packets of one interface and hands them to the log in blocks.
 *
 * <p>Nothing queues without limit: what the log refuses is dropped and counted, and while we are
 * held up the kernel drops what its ring has no room for, and says how much. An interface that goes
 * down or away is looked for every second. Started and closed once; the counts are thread-safe.
 */
public final class PacketCollector implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PacketCollector.class);
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(1);
  private static final int BLOCK_BYTES = 256 << 10;
  private static final int WAIT_MILLIS = 100;
  private static final int RETRY_MILLIS = 1_000;

  private final String name;
  private final CaptureConfig config;
  private final BatchLog log;
  private final PacketBlock.Writer writer = new PacketBlock.Writer();
  private final CountDownLatch closing = new CountDownLatch(1);
  private Thread thread;
  private PacketRing ring; // null while the interface is away

  private final AtomicLong received = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong drops = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final LongAdder logged = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private volatile String failure = "";

  /**
   * A collector that is not started.
   *
   * @param name of the interface
   * @param log takes the blocks
   */
  public PacketCollector(String name, CaptureConfig config, BatchLog log) {
    this.name = name;
    this.config = config;
    this.log = log;
  }

  /**
   * Looks whether packets of the interfaces can be captured; leaves nothing open.
   *
   * @throws IOException if not: one line that says what to do
   */
  public static void check(CaptureConfig config) throws IOException {
    PacketRing.check(config);
  }

  /**
   * Captures from now on.
   *
   * @throws IOException if it cannot; one line that says what to do
   */
  public void start() throws IOException {
    ring = new PacketRing(name, config);
    thread = Pulse.thread("millrace-packets-" + name, LONGEST_SILENCE, this::run);
    thread.start();
  }

  private void run(Pulse pulse) {
    try {
      while (closing.getCount() > 0) {
        pulse.beat();
        capture(WAIT_MILLIS);
      }
      capture(2 * config.lingerMillis()); // what has come is given to us by then
    } finally {
      closeRing();
    }
  }

  private void capture(int waitMillis) {
    try {
      if (ring == null) {
        ring = new PacketRing(name, config);
        failure = "";
      }
      if (ring.await(waitMillis)) {
        readBlock();
      }
      drops.addAndGet(ring.newDrops());
    } catch (IOException e) {
      if (failure.isEmpty()) {
        LOG.warn("{}; looked for every second", e.getMessage());
      }
      failure = e.getMessage();
      closeRing();
      awaitRetry();
    }
  }

  private void readBlock() {
    boolean hasMore = true;
    while (hasMore) {
      hasMore = ring.next(writer);
      if (!hasMore || writer.length() >= BLOCK_BYTES) {
        handOver();
      }
    }
  }

  private void handOver() {
    if (writer.rows() == 0) {
      return;
    }
    PacketBlock block = writer.toBlock();
    writer.clear();
    int packets = block.rows();
    received.addAndGet(packets);
    bytes.addAndGet(block.wireBytes());
    // One partition: the packets of a flow stay in order, and its parts are read together.
    int partition = Math.floorMod(name.hashCode(), log.partitions());
    if (!log.offer(block.bytes(), packets, partition, new Fate(packets))) {
      refused.addAndGet(packets);
    }
  }

  /** Of the packets of one block. */
  private final class Fate implements BatchLog.Completion {
    private final int packets;

    Fate(int packets) {
      this.packets = packets;
    }

    @Override
    public void logged(int partition, long offset) {
      logged.add(packets);
    }

    @Override
    public void failed(Exception cause) {
      failed.add(packets);
    }
  }

  private void closeRing() {
    if (ring != null) {
      drops.addAndGet(ring.newDrops());
      ring.close();
      ring = null;
    }
  }

  private void awaitRetry() {
    try {
      var unused = closing.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closing.countDown();
    }
  }

  /** What became of the packets so far. */
  public InterfaceCounts counts() {
    long told = logged.sum(); // in front of what was received before
    long lost = failed.sum();
    long turnedAway = refused.get();
    return new InterfaceCounts(
        name, received.get(), bytes.get(), drops.get(), told, turnedAway, lost, failure);
  }

  /** Captures no more; what was read is on its way into the log. */
  @Override
  public void close() throws IOException {
    closing.countDown();
    if (thread == null) {
      return;
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the capture of " + name + " ends", e);
    }
  }
}

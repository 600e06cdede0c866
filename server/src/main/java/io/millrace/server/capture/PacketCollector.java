package io.millrace.server.capture;

import io.millrace.engine.log.LogAppender;
import io.millrace.pulse.Pulse;
import io.millrace.server.collect.InterfaceCounts;
import io.millrace.wire.block.PacketBlock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Captures packets of interfaces and writes them to one partition of the log, in blocks, in time
 * order. So readers get the packets of a flow in order, even if its two directions use different
 * interfaces.
 *
 * <p>The next packet is the earliest available. While an interface has no packet, packets of others
 * wait for as long as the kernel may delay an earlier packet of the idle interface: three times the
 * linger.
 *
 * <p>Queues are bounded: blocks that the log rejects are dropped and counted, and the kernel drops
 * and counts packets when a ring is full. An interface that is down is retried every second without
 * delaying the others. Start once, close once. The counters are thread-safe.
 */
public final class PacketCollector implements AutoCloseable {
  private static final Duration STALL_TIMEOUT = Duration.ofMinutes(1);
  private static final int BLOCK_BYTES = 256 << 10;
  private static final int WAIT_MILLIS = 100;
  private static final int LINGERS = 3;

  private final String name;
  private final List<CapturedInterface> interfaces;
  private final PacketSource.Opener opener;
  private final long settleMicros;
  private final LogAppender log;
  private final LongSupplier clock;
  private final PacketBlock.Writer writer = new PacketBlock.Writer();
  private final CountDownLatch closing = new CountDownLatch(1);

  private int[] taken;

  private final long[] takenBytes;
  private Thread thread;

  /**
   * Creates a collector without starting it.
   *
   * @param names names of the interfaces, at least one
   * @param log destination of the blocks
   */
  public PacketCollector(List<String> names, CaptureConfig config, LogAppender log) {
    this(
        names,
        config.lingerMillis(),
        log,
        PacketRing.opener(config),
        () -> System.currentTimeMillis() * 1_000);
  }

  PacketCollector(
      List<String> names,
      int lingerMillis,
      LogAppender log,
      PacketSource.Opener opener,
      LongSupplier clock) {
    name = String.join("-", names);
    interfaces = names.stream().map(each -> new CapturedInterface(each, opener)).toList();
    this.opener = opener;
    this.log = log;
    this.clock = clock;
    settleMicros = 1_000L * LINGERS * lingerMillis;
    taken = new int[names.size()];
    takenBytes = new long[names.size()];
  }

  /**
   * Checks that packets of the interfaces can be captured.
   *
   * @throws IOException if they cannot; the message is one line with a remedy
   */
  public static void check(CaptureConfig config) throws IOException {
    PacketRing.check(config);
  }

  /**
   * Starts capture.
   *
   * @throws IOException if the start fails; the message is one line with a remedy
   */
  public void start() throws IOException {
    try {
      for (CapturedInterface each : interfaces) {
        each.open();
      }
    } catch (IOException e) {
      interfaces.forEach(CapturedInterface::close);
      throw e;
    }
    thread = Pulse.thread("millrace-packets-" + name, STALL_TIMEOUT, this::run);
    thread.start();
  }

  private void run(Pulse pulse) {
    try {
      while (closing.getCount() > 0) {
        pulse.beat();
        capture(WAIT_MILLIS);
      }
      // after this wait the kernel has handed over earlier packets
      long end = System.nanoTime() + 2 * settleMicros * 1_000;
      while (System.nanoTime() - end < 0) {
        capture((int) (settleMicros / 1_000 / LINGERS));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      interfaces.forEach(CapturedInterface::close);
    }
  }

  private void capture(int mostMillis) throws InterruptedException {
    long nowMicros = clock.getAsLong(); // read before checking which interfaces are idle
    long nanos = System.nanoTime();
    int next = next(nanos);
    while (next >= 0 && isDue(interfaces.get(next), nowMicros) && writer.length() < BLOCK_BYTES) {
      take(next);
      next = next(nanos);
    }
    if (writer.rows() == 0) {
      long left = next < 0 ? Long.MAX_VALUE : leftMicros(interfaces.get(next), nowMicros);
      await((int) Math.min(mostMillis, left / 1_000 + 1));
    } else {
      handOver();
    }
    interfaces.forEach(CapturedInterface::countDrops);
  }

  private int next(long nanos) {
    int earliest = -1;
    long micros = Long.MAX_VALUE;
    for (int i = 0; i < interfaces.size(); i++) {
      CapturedInterface each = interfaces.get(i);
      each.sample(nanos);
      if (each.nextMicros() != PacketSource.NONE && each.nextMicros() < micros) {
        earliest = i;
        micros = each.nextMicros();
      }
    }
    return earliest;
  }

  private boolean isDue(CapturedInterface next, long nowMicros) {
    if (leftMicros(next, nowMicros) <= 0) {
      return true;
    }
    for (int i = 0; i < interfaces.size(); i++) {
      if (interfaces.get(i).isSilent()) {
        return false;
      }
    }
    return true;
  }

  /** Remaining wait of a packet; 0 if the clock was set back since its capture. */
  private long leftMicros(CapturedInterface next, long nowMicros) {
    long left = next.nextMicros() + settleMicros - nowMicros;
    return left > 2 * settleMicros ? 0 : left;
  }

  private void take(int next) {
    takenBytes[next] += interfaces.get(next).next(writer);
    taken[next]++;
  }

  private void await(int millis) throws InterruptedException {
    List<PacketSource> silent =
        interfaces.stream()
            .filter(CapturedInterface::isSilent)
            .map(CapturedInterface::source)
            .toList();
    if (silent.isEmpty()) {
      var unused = closing.await(millis, TimeUnit.MILLISECONDS);
    } else {
      opener.await(silent, millis);
    }
  }

  private void handOver() {
    PacketBlock block = writer.toBlock();
    writer.clear();
    int[] packets = taken;
    taken = new int[packets.length];
    for (int i = 0; i < packets.length; i++) {
      interfaces.get(i).received(packets[i], takenBytes[i]);
      takenBytes[i] = 0;
    }
    int partition = Math.floorMod(name.hashCode(), log.partitions());
    if (!log.offer(null, partition, block.bytes(), block.rows(), new Fate(packets))) {
      for (int i = 0; i < packets.length; i++) {
        interfaces.get(i).rejected(packets[i]);
      }
    }
  }

  private final class Fate implements LogAppender.Completion {
    private final int[] packets;

    Fate(int[] packets) {
      this.packets = packets;
    }

    @Override
    public void acknowledged(int partition, long offset) {
      for (int i = 0; i < packets.length; i++) {
        interfaces.get(i).logged(packets[i]);
      }
    }

    @Override
    public void failed(Exception cause) {
      for (int i = 0; i < packets.length; i++) {
        interfaces.get(i).failed(packets[i]);
      }
    }
  }

  /** Current counters by interface. */
  public List<InterfaceCounts> counts() {
    return interfaces.stream().map(CapturedInterface::counts).toList();
  }

  /** Stops capture; writes packets that were already read. */
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
      throw new IOException("interrupted while stopping the capture of " + name + "", e);
    }
  }
}

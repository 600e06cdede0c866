package io.millrace.server.capture;

import io.millrace.server.collect.InterfaceCounts;
import io.millrace.wire.block.PacketBlock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An interface of a {@link PacketCollector}: its packet source, which is missing while the
 * interface is down, and its counters. Used by the collector's thread; the counters are
 * thread-safe.
 */
final class CapturedInterface {
  private static final Logger LOG = LoggerFactory.getLogger(CapturedInterface.class);
  private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

  private final String name;
  private final PacketSource.Opener opener;
  private PacketSource source; // null while the interface is down
  private long retryNanos;
  private long nextMicros = PacketSource.NONE;

  private final AtomicLong received = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong drops = new AtomicLong();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder logged = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private volatile String failure = "";

  CapturedInterface(String name, PacketSource.Opener opener) {
    this.name = name;
    this.opener = opener;
  }

  void open() throws IOException {
    source = opener.open(name);
  }

  void sample(long nanos) {
    try {
      if (source == null && nanos - retryNanos >= 0) {
        open();
        failure = "";
      }
      if (source != null && nextMicros == PacketSource.NONE) {
        nextMicros = source.nextMicros();
      }
    } catch (IOException e) {
      if (failure.isEmpty()) {
        LOG.warn("{}; retrying every second", e.getMessage());
      }
      failure = e.getMessage();
      close();
      retryNanos = nanos + RETRY_NANOS;
    }
  }

  /** Packet source; null while the interface is down. */
  PacketSource source() {
    return source;
  }

  boolean isSilent() {
    return source != null && nextMicros == PacketSource.NONE;
  }

  long nextMicros() {
    return nextMicros;
  }

  long next(PacketBlock.Writer to) {
    nextMicros = PacketSource.NONE;
    return source.next(to);
  }

  void countDrops() {
    if (source != null) {
      drops.addAndGet(source.newDrops());
    }
  }

  void received(int packets, long onWire) {
    received.addAndGet(packets);
    bytes.addAndGet(onWire);
  }

  void rejected(int packets) {
    rejected.add(packets);
  }

  void logged(int packets) {
    logged.add(packets);
  }

  void failed(int packets) {
    failed.add(packets);
  }

  InterfaceCounts counts() {
    long settled = logged.sum(); // read before received
    long lost = failed.sum();
    long turnedAway = rejected.sum();
    return new InterfaceCounts(
        name, received.get(), bytes.get(), drops.get(), settled, turnedAway, lost, failure);
  }

  void close() {
    if (source != null) {
      countDrops();
      source.close();
      source = null;
      nextMicros = PacketSource.NONE;
    }
  }
}

package io.millrace.server.collect;

import io.millrace.server.collect.BatchCounters.BatchId;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LedgerQuota;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.export.DatagramHead;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Collector's part of the loss ledger: counts the datagrams of each exporter and the outcome of
 * each batch.
 *
 * <p>The saved state is a consistent cut: the counts of all datagrams up to a moment, the confirmed
 * offsets of the log, and the batches in flight. At the next start, {@link #replay} reads the log
 * from these offsets: a batch in flight that it finds was logged, any other batch was received
 * after the cut and is counted. So the sums survive a SIGKILL without a disk write for each batch.
 *
 * <p>Not thread-safe: owned by one thread.
 */
final class CollectorLedger {
  private static final int FAMILY = ('M' << 24) | ('R' << 16) | ('L' << 8);
  private static final int VERSION = 1;

  /** Number of ticks after which kernel drops without a matching gap are discarded. */
  private static final int MAX_CARRY_TICKS = 60;

  private final ExporterSet exporters;
  private final Set<BatchCounters> inFlight = new HashSet<>();
  private final TreeMap<Integer, Long> confirmed = new TreeMap<>();
  private Set<BatchId> unsettled =
      new HashSet<>(); // in flight in the saved state, until replay ends
  private final DatagramHead head = new DatagramHead();
  private Exporter last; // cache: consecutive datagrams often have the same exporter

  private long kernelDrops;
  private long carriedDrops; // kernel drops without a matching gap so far
  private int carriedTicks;

  CollectorLedger(LedgerQuota quota) {
    exporters = new ExporterSet(quota);
  }

  void observe(
      BatchCounters batch,
      long micros,
      long senderHigh,
      long senderLow,
      int senderPort,
      DatagramHead head) {
    Exporter exporter = count(micros, senderHigh, senderLow, senderPort, head, false);
    batch.add(exporter);
    exporter.offered(1);
  }

  private Exporter count(
      long micros,
      long senderHigh,
      long senderLow,
      int senderPort,
      DatagramHead head,
      boolean wasKilled) {
    long channel = head.channel(senderPort);
    Exporter exporter = last;
    if (exporter == null || !isOf(exporter.key, senderHigh, senderLow, channel, head)) {
      exporter = exporters.of(key(senderHigh, senderLow, channel, head));
      last = exporter;
    }
    exporter.observe(micros, head, wasKilled);
    return exporter;
  }

  private static boolean isOf(
      ExporterKey key, long senderHigh, long senderLow, long channel, DatagramHead head) {
    return key.senderLow() == senderLow
        && key.senderHigh() == senderHigh
        && key.channel() == channel
        && key.agentLow() == head.agentLow()
        && key.agentHigh() == head.agentHigh();
  }

  private static ExporterKey key(long senderHigh, long senderLow, long channel, DatagramHead head) {
    return new ExporterKey(senderHigh, senderLow, head.agentHigh(), head.agentLow(), channel);
  }

  void makeRoom(long nowMicros) {
    if (exporters.makeRoom(nowMicros)) {
      last = null;
    }
  }

  void finishBatch(BatchCounters counters, long firstMicros, int datagrams, int length) {
    counters.finish(new BatchId(firstMicros, datagrams, length));
    inFlight.add(counters);
  }

  void logged(BatchCounters counters, int partition, long offset) {
    inFlight.remove(counters);
    confirmed.merge(partition, offset + 1, Math::max);
    counters.settle(Exporter::logged);
  }

  void rejected(BatchCounters counters) {
    inFlight.remove(counters);
    counters.settle(Exporter::rejected);
  }

  void failed(BatchCounters counters) {
    inFlight.remove(counters);
    counters.settle(Exporter::failed);
  }

  int batchesInFlight() {
    return inFlight.size();
  }

  /**
   * Attributes kernel drops to the gaps of this and the previous tick, in proportion to them and at
   * most as many. A drop appears as a gap only with the next datagram, so drops without a gap are
   * carried over.
   *
   * @param drops drops of all sockets since the last tick
   */
  void kernelTick(long drops) {
    kernelDrops += drops;
    carriedDrops += drops;
    carriedTicks = drops > 0 ? 0 : carriedTicks + 1;
    if (carriedTicks > MAX_CARRY_TICKS) {
      carriedDrops = 0;
    }
    long gaps = 0;
    for (Exporter exporter : exporters.all()) {
      gaps += exporter.openGaps();
    }
    long toSpread = Math.min(carriedDrops, gaps);
    carriedDrops -= toSpread;
    for (Exporter exporter : exporters.all()) {
      long own = exporter.openGaps();
      if (own > 0 && toSpread > 0) {
        // Each share is computed from the remainder, so that the integers add up exactly.
        long share = Math.min(own, Math.round((double) toSpread * own / gaps));
        share = Math.max(share, toSpread - (gaps - own));
        exporter.takeKernelDrops(share);
        toSpread -= share;
        gaps -= own;
      }
      exporter.age();
    }
  }

  LedgerSnapshot snapshot() {
    List<ExporterStats> stats = new ArrayList<>(exporters.all().size());
    for (Exporter exporter : exporters.all()) {
      stats.add(exporter.stats());
    }
    return new LedgerSnapshot(stats, new Frontier(confirmed), kernelDrops, carriedDrops);
  }

  byte[] save() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(64 + 512 * exporters.all().size());
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      out.writeInt(FAMILY | VERSION);
      out.writeLong(kernelDrops);
      out.writeInt(confirmed.size());
      for (Map.Entry<Integer, Long> next : confirmed.entrySet()) {
        out.writeInt(next.getKey());
        out.writeLong(next.getValue());
      }
      out.writeInt(inFlight.size());
      for (BatchCounters counters : inFlight) {
        out.writeLong(counters.id().firstMicros());
        out.writeInt(counters.id().datagrams());
        out.writeInt(counters.id().length());
      }
      out.writeInt(exporters.all().size());
      for (Exporter exporter : exporters.all()) {
        ExporterKey key = exporter.key;
        out.writeLong(key.senderHigh());
        out.writeLong(key.senderLow());
        out.writeLong(key.agentHigh());
        out.writeLong(key.agentLow());
        out.writeLong(key.channel());
        exporter.snapshot(out);
      }
    } catch (IOException e) {
      throw new AssertionError("in-memory stream", e);
    }
    return bytes.toByteArray();
  }

  /** Restores a saved state; call {@link #replay} next. */
  void restore(byte[] state) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(state));
    int magic = in.readInt();
    if (magic != (FAMILY | VERSION)) {
      throw new IOException(
          String.format(
              "not a ledger of this release: magic number %08x, expected %08x",
              magic, FAMILY | VERSION));
    }
    kernelDrops = in.readLong();
    for (int i = in.readInt(); i > 0; i--) {
      confirmed.put(in.readInt(), in.readLong());
    }
    for (int i = in.readInt(); i > 0; i--) {
      unsettled.add(new BatchId(in.readLong(), in.readInt(), in.readInt()));
    }
    for (int i = in.readInt(); i > 0; i--) {
      ExporterKey key =
          new ExporterKey(
              in.readLong(), in.readLong(), in.readLong(), in.readLong(), in.readLong());
      Exporter exporter = new Exporter(key);
      exporter.restore(in);
      exporters.add(exporter);
    }
  }

  void replay(Tail tail) throws IOException {
    confirmed.putAll(tail.within(new Frontier(confirmed)).next());
    tail.read(new Frontier(confirmed), this::replay);
    unsettled = new HashSet<>();
    for (Exporter exporter : exporters.all()) {
      exporter.resume();
    }
  }

  private void replay(RawBatch batch) {
    confirmed.merge(batch.partition(), batch.offset() + 1, Math::max);
    if (!batch.isSound() || batch.rows() == 0 || batch.isMessages()) {
      return; // flows from external topics
    }
    BatchId id = new BatchId(batch.time(batch.first()), batch.rows(), batch.length());
    boolean counted = unsettled.remove(id);
    byte[] bytes = batch.bytes();
    int cursor = batch.first();
    for (int i = 0; i < batch.rows(); i++, cursor = batch.next(cursor)) {
      long high = batch.senderHigh(cursor);
      long low = batch.senderLow(cursor);
      int port = batch.senderPort(cursor);
      head.read(bytes, batch.payload(cursor), batch.payloadLength(cursor));
      if (counted) {
        exporters.holder(key(high, low, head.channel(port), head)).logged(1);
      } else {
        count(batch.time(cursor), high, low, port, head, true).loggedUnseen();
      }
    }
  }
}

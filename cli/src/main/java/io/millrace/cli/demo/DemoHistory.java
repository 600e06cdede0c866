package io.millrace.cli.demo;

import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.traffic.DatagramSource;
import io.millrace.traffic.ExportDatagram;
import io.millrace.traffic.RecordTraffic;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.model.AddressPool;
import io.millrace.traffic.model.DayRhythm;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.netflow.NetflowLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The days before a demo as its traffic would have been, so that there is something to compare
 * with. It goes the way of all traffic but for the collector, with the stamps of the past: into the
 * log, behind what comes live, and from there through the job.
 *
 * <p>One sample stands for very many of those that are sent live, so curves of less than some hours
 * are ragged but for the last ones, which are finer. Steps that go by event time, such as hitters,
 * find it too late and leave it out.
 */
final class DemoHistory {
  /** A week, and the one before it. */
  static final Duration LENGTH = Duration.ofDays(15);

  /** What is looked at most, at a resolution of minutes. */
  private static final Duration RECENT = Duration.ofHours(2);

  /** Samples of the live traffic for which one stands, before that and in it. */
  private static final int COARSER = 80_000;

  private static final int RECENT_COARSER = 400;

  /** Slow enough that what comes live is stored meanwhile. */
  private static final long PAUSE_NANOS = 20_000_000;

  private static final int BATCH_BYTES = 256 << 10;

  /** From which the collector gets nothing: its ledger counts what is live. */
  private static final int FIRST_PORT = 4_740;

  /** Records are read with the templates that come before them in the same partition. */
  private static final byte[] LOG_KEY = {1};

  private final List<HistoryPart> parts;
  private final long startNanos = System.nanoTime();
  private volatile boolean isStopped;
  private final AtomicLong samples = new AtomicLong();
  private volatile double seconds;

  /**
   * Of a demo that begins now.
   *
   * @param rate samples a second of the demo
   */
  DemoHistory(long seed, int rate, AddressPool pool) {
    long nowMicros = System.currentTimeMillis() * 1_000;
    long recentMicros = nowMicros - RECENT.toNanos() / 1_000;
    parts =
        List.of(
            part(seed, rate, pool, recentMicros, nowMicros, RECENT_COARSER),
            part(seed, rate, pool, nowMicros - LENGTH.toNanos() / 1_000, recentMicros, COARSER));
  }

  /**
   * A part of the past.
   *
   * @param records its traffic: each stands for many packets, as no sampling rate does
   * @param endMicros where it ends, microseconds since the epoch
   */
  private record HistoryPart(DatagramSource records, long endMicros) {}

  private static HistoryPart part(
      long seed, int rate, AddressPool pool, long startMicros, long endMicros, int coarser) {
    TrafficConfig traffic =
        TrafficConfig.defaults(seed, startMicros)
            .withSamplesPerSecond((double) rate / coarser / DayRhythm.factor(endMicros))
            .withAttacks(List.of());
    TrafficGenerator samples = new TrafficGenerator(traffic, pool);
    DatagramSource records =
        new RecordTraffic(
            samples, NetflowLayout.VERSION_IPFIX, traffic.exporters().samplingRate(), coarser);
    return new HistoryPart(records, endMicros);
  }

  /** Ends {@link #write} early. */
  void stop() {
    isStopped = true;
  }

  boolean isStopped() {
    return isStopped;
  }

  /** Writes all of it, the recent part first; returns when the log has it. */
  void write(String bootstrapServers) {
    try (LogWriter log =
        new LogWriter(bootstrapServers, FlowsPipeline.TOPIC, LogConfig.defaults())) {
      for (int i = 0; i < parts.size(); i++) {
        write(parts.get(i), FIRST_PORT + i, log);
      }
      log.flush();
    }
    seconds = (System.nanoTime() - startNanos) / 1e9;
  }

  private void write(HistoryPart part, int port, LogWriter log) {
    DatagramSource records = part.records;
    long endMicros = part.endMicros;
    ExportDatagram datagram = new ExportDatagram();
    RawBatch.Writer batch = RawBatch.Writer.inOrder();
    records.next(datagram);
    while (datagram.timeMicros() < endMicros && !isStopped) {
      batch.add(
          datagram.timeMicros(),
          0,
          Addresses.v4Low(records.exporterAddress(datagram.exporter())),
          port,
          datagram.bytes(),
          datagram.offset(),
          datagram.length());
      samples.addAndGet(datagram.samples());
      records.next(datagram);
      if (batch.length() >= BATCH_BYTES || datagram.timeMicros() >= endMicros) {
        byte[] value = batch.toBytes();
        while (!log.offer(LOG_KEY, value, batch.count()) && !isStopped) {
          LockSupport.parkNanos(PAUSE_NANOS); // what comes live goes first
        }
        batch.clear();
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** How many have been written so far. */
  long samples() {
    return samples.get();
  }

  /** How far it is. */
  String text() {
    return seconds == 0
        ? "%,d samples of the %d days before are being loaded"
            .formatted(samples.get(), LENGTH.toDays())
        : "%,d samples of the %d days before, loaded within %.1f s"
            .formatted(samples.get(), LENGTH.toDays(), seconds);
  }
}

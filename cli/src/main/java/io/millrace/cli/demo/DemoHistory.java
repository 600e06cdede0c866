package io.millrace.cli.demo;

import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogWriter;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.traffic.ExportDatagram;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.model.AddressPool;
import io.millrace.traffic.model.DayRhythm;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.packet.BigEndian;
import io.millrace.wire.sflow.SflowLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The days before a demo as its traffic would have been, so that there is something to compare
 * with. It goes the way of all traffic but for the collector, with the stamps of the past: into the
 * log, behind what comes live, and from there through the job.
 *
 * <p>One sample stands for very many of those that are sent live, so curves of less than some hours
 * are ragged. Steps that go by event time, such as hitters, find it too late and leave it out.
 */
final class DemoHistory {
  /** A week, and the one before it. */
  static final Duration LENGTH = Duration.ofDays(15);

  /** Before the demo: steps that go by event time would take rows of this hour for late ones. */
  private static final Duration GAP = Duration.ofMinutes(65);

  /** Samples of the live traffic for which one stands. */
  private static final int COARSER = 80_000;

  /** Slow enough that what comes live is stored meanwhile. */
  private static final long PAUSE_NANOS = 20_000_000;

  private static final int BATCH_BYTES = 256 << 10;
  private static final int SOURCE_PORT = 6343;

  /** A part of each switch of which the collector knows nothing: its ledger counts what is live. */
  private static final int SUB_AGENT = 1;

  private static final int SUB_AGENT_OFFSET = SflowLayout.HEADER_LENGTH_IPV4 - 16;

  private final TrafficGenerator generator;
  private final long endMicros;
  private final long startNanos = System.nanoTime();
  private volatile boolean isStopped;
  private volatile long samples;
  private volatile double seconds;

  /**
   * Of a demo that begins now.
   *
   * @param rate samples a second of the demo
   */
  DemoHistory(long seed, int rate, AddressPool pool) {
    long nowMicros = System.currentTimeMillis() * 1_000;
    long startMicros = nowMicros - LENGTH.toNanos() / 1_000;
    endMicros = nowMicros - GAP.toNanos() / 1_000;
    TrafficConfig.Exporters live = TrafficConfig.Exporters.DEFAULT;
    TrafficConfig.Exporters coarse =
        new TrafficConfig.Exporters(
            live.count(),
            live.firstAddress(),
            live.portsPerSwitch(),
            live.samplingRate() * COARSER,
            1, // else those of some minutes would have one stamp
            live.maxDatagramBytes(),
            live.headerBytes(),
            false,
            0);
    generator =
        new TrafficGenerator(
            TrafficConfig.defaults(seed, startMicros)
                .withSamplesPerSecond((double) rate / COARSER / DayRhythm.factor(endMicros))
                .withExporters(coarse)
                .withAttacks(List.of()),
            pool);
  }

  /** Ends {@link #write} early. */
  void stop() {
    isStopped = true;
  }

  boolean isStopped() {
    return isStopped;
  }

  /** Writes all of it; returns when the log has it. */
  void write(String bootstrapServers) {
    long written = 0;
    ExportDatagram datagram = new ExportDatagram();
    RawBatch.Writer batch = new RawBatch.Writer(BATCH_BYTES + 2_048);
    try (LogWriter log =
        new LogWriter(bootstrapServers, FlowsPipeline.TOPIC, LogConfig.defaults())) {
      generator.next(datagram);
      while (datagram.timeMicros() < endMicros && !isStopped) {
        BigEndian.put32(datagram.bytes(), datagram.offset() + SUB_AGENT_OFFSET, SUB_AGENT);
        batch.add(
            datagram.timeMicros(),
            0,
            Addresses.v4Low(generator.exporterAddress(datagram.exporter())),
            SOURCE_PORT,
            datagram.bytes(),
            datagram.offset(),
            datagram.length());
        written += datagram.samples();
        generator.next(datagram);
        if (batch.length() >= BATCH_BYTES || datagram.timeMicros() >= endMicros) {
          byte[] value = batch.toBytes();
          while (!log.offer(null, value, batch.count()) && !isStopped) {
            LockSupport.parkNanos(PAUSE_NANOS); // what comes live goes first
          }
          batch.clear();
          samples = written;
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
      log.flush();
    }
    seconds = (System.nanoTime() - startNanos) / 1e9;
  }

  /** How many have been written so far. */
  long samples() {
    return samples;
  }

  /** How far it is. */
  String text() {
    return seconds == 0
        ? "%,d samples of the %d days before are being loaded".formatted(samples, LENGTH.toDays())
        : "%,d samples of the %d days before, loaded within %.1f s"
            .formatted(samples, LENGTH.toDays(), seconds);
  }
}

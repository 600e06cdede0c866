package io.millrace.cli.demo;

import io.millrace.pipelines.imports.ImportOptions;
import io.millrace.server.imports.FileImports;
import io.millrace.store.Store;
import io.millrace.traffic.DatagramSource;
import io.millrace.traffic.ExportDatagram;
import io.millrace.traffic.RecordTraffic;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.model.AddressPool;
import io.millrace.traffic.model.DayRhythm;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.netflow.NetflowLayout;
import io.millrace.wire.pcap.CaptureWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Synthetic history. It is imported as old captures are, so it causes no alerts. */
final class DemoHistory {
  static final Duration LENGTH = Duration.ofDays(15);

  private static final Duration RECENT = Duration.ofHours(2);

  /** Number of live samples that one sample of the older part represents. */
  private static final int COARSER = 80_000;

  private static final int RECENT_COARSER = 400;
  private static final int PORT = 4_739;

  private final List<HistoryPart> parts;
  private final long startNanos = System.nanoTime();
  private volatile boolean isStopped;
  private final AtomicLong samples = new AtomicLong();
  private volatile double seconds;

  DemoHistory(long seed, int rate, AddressPool pool) {
    long nowMicros = System.currentTimeMillis() * 1_000;
    long recentMicros = nowMicros - RECENT.toNanos() / 1_000;
    parts =
        List.of(
            part(seed, rate, pool, recentMicros, nowMicros, RECENT_COARSER),
            part(seed, rate, pool, nowMicros - LENGTH.toNanos() / 1_000, recentMicros, COARSER));
  }

  /** Flow records are used because their weights exceed any sampling rate. */
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

  void stop() {
    isStopped = true;
  }

  boolean isStopped() {
    return isStopped;
  }

  /** Imports the history, recent part first; returns when all is uploaded. */
  void write(Path directory, FileImports imports) throws IOException {
    for (HistoryPart part : parts) {
      Path capture = Files.createTempFile(directory, "history", ".pcap");
      try {
        long written = write(part, capture);
        if (isStopped) {
          return;
        }
        try (InputStream body = Files.newInputStream(capture)) {
          var unused =
              imports.upload(
                  Store.FLOWS, "history", ImportOptions.NONE, "", Files.size(capture), body);
        }
        samples.addAndGet(written);
      } finally {
        Files.delete(capture);
      }
    }
    seconds = (System.nanoTime() - startNanos) / 1e9;
  }

  private long write(HistoryPart part, Path file) throws IOException {
    DatagramSource records = part.records;
    ExportDatagram datagram = new ExportDatagram();
    long written = 0;
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      CaptureWriter capture = new CaptureWriter(out, CaptureWriter.NO_MTU);
      records.next(datagram);
      while (datagram.timeMicros() < part.endMicros && !isStopped) {
        long exporter = Addresses.v4Low(records.exporterAddress(datagram.exporter()));
        capture.datagram(
            datagram.timeMicros(),
            0,
            exporter,
            PORT,
            0,
            exporter,
            PORT,
            datagram.bytes(),
            datagram.offset(),
            datagram.length());
        written += datagram.samples();
        records.next(datagram);
      }
    }
    return written;
  }

  long samples() {
    return samples.get();
  }

  String text() {
    return seconds == 0
        ? "generating the preceding %d days".formatted(LENGTH.toDays())
        : "%,d samples of the preceding %d days, generated in %.1f s"
            .formatted(samples.get(), LENGTH.toDays(), seconds);
  }
}

package io.millrace.cli.capture;

import io.millrace.analytics.packets.PacketSums;
import io.millrace.cli.console.Progress;
import io.millrace.cli.print.RowPrinter;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.pcap.CaptureReader;
import io.millrace.wire.pcap.PacketBlocks;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

final class CaptureCounts {
  private static final int BLOCK_BYTES = 1 << 20;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final PacketSums sums;

  CaptureCounts(IpLayer layer) {
    sums = new PacketSums(layer, false);
  }

  void read(Path file, Progress progress) throws IOException {
    long size = Files.size(file);
    long packets = 0;
    long bytes = 0;
    try (InputStream in = Files.newInputStream(file)) {
      PacketBlocks blocks = new PacketBlocks(CaptureReader.open(in), BLOCK_BYTES, Long.MAX_VALUE);
      for (PacketBlock block = blocks.next(); block != null; block = blocks.next()) {
        sums.add(block);
        packets += block.rows();
        bytes += block.length();
        progress.update(packets, Math.min(bytes, size), size);
      }
    }
  }

  boolean isEmpty() {
    return sums.countRows() == 0;
  }

  List<String> remarks() {
    return sums.rejects().lines();
  }

  /** Prints a row for each second and protocol, non-IP packets first. */
  void print(RowPrinter printer) {
    printer.header(
        List.of(
            new RowPrinter.Column("time", false),
            new RowPrinter.Column("proto", true),
            new RowPrinter.Column("packets", true),
            new RowPrinter.Column("bytes", true)));
    TableBlock rows = sums.counts();
    IntStream.range(0, rows.rows())
        .boxed()
        .sorted(
            Comparator.<Integer>comparingLong(row -> rows.longs(0)[row])
                .thenComparing(row -> rows.longs(1)[row]))
        .forEach(row -> printer.row(cells(rows, row)));
    printer.end();
  }

  private static String[] cells(TableBlock rows, int row) {
    long protocol = rows.longs(1)[row];
    return new String[] {
      TIME.format(Instant.ofEpochSecond(Math.floorDiv(rows.longs(0)[row], 1_000_000L))),
      protocol == TableBlock.NULL ? null : Long.toString(protocol),
      Long.toString(rows.longs(2)[row]),
      Long.toString(rows.longs(3)[row])
    };
  }
}

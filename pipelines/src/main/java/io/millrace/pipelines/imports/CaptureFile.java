package io.millrace.pipelines.imports;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.pipelines.flows.FlowDecoder;
import io.millrace.pipelines.flows.FlowsConfig;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.export.DatagramHead;
import io.millrace.wire.packet.PacketReject;
import io.millrace.wire.pcap.CaptureException;
import io.millrace.wire.pcap.CaptureReader;
import io.millrace.wire.pcap.DatagramExtractor;
import io.millrace.wire.pcap.PacketRows;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * A capture file: its export datagrams, decoded like live ones, or, if it has none, its packets.
 */
final class CaptureFile implements FlowFile {
  private static final int BATCH_BYTES = 128 << 10;
  private static final int PACKETS = 4_096;

  private final CountingInput in;
  private final CaptureReader capture;
  private final boolean hasDatagrams;
  private final FlowDecoder decoder;
  private final DatagramExtractor extractor;
  private final PacketRows packets;
  private final RawBatch.Writer batch = RawBatch.Writer.inOrder();
  private final Rejections rejections = new Rejections();
  private CaptureException damage;
  private boolean ended;

  private CaptureFile(CountingInput in, FlowsConfig config, boolean hasDatagrams)
      throws IOException {
    this.in = in;
    this.hasDatagrams = hasDatagrams;
    capture = CaptureReader.open(in);
    decoder = new FlowDecoder(config.withMaxRowsPerSecond(0), 1); // no load shedding for files
    decoder.open(AnalyzerContext.alone());
    extractor =
        new DatagramExtractor(
            (time, high, low, port, toPort, bytes, offset, length, truncated) ->
                batch.add(time, high, low, port, bytes, offset, length));
    packets = new PacketRows(config.layer());
  }

  static CaptureFile open(Path file, FlowsConfig config) throws IOException {
    boolean hasDatagrams = hasDatagrams(file);
    CountingInput in = new CountingInput(Files.newInputStream(file));
    try {
      return new CaptureFile(in, config, hasDatagrams);
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  private static boolean hasDatagrams(Path file) throws IOException {
    boolean[] found = {false};
    DatagramExtractor probe =
        new DatagramExtractor(
            (time, high, low, port, toPort, bytes, offset, length, truncated) ->
                found[0] |= DatagramHead.looksWhole(bytes, offset, length));
    try (InputStream in = Files.newInputStream(file)) {
      CaptureReader capture = CaptureReader.open(in);
      while (!found[0] && capture.next()) {
        probe.packet(capture);
      }
    } catch (CaptureException e) {
      return found[0]; // the damage is reported again when the capture is decoded
    }
    return found[0];
  }

  @Override
  public String format() {
    return "capture";
  }

  @Override
  public boolean next(int partition, long offset, Consumer<FlowBlock> out) throws IOException {
    if (damage != null) {
      throw damage;
    }
    return !ended
        && (hasDatagrams ? datagrams(partition, offset, out) : packets(partition, offset, out));
  }

  /**
   * Advances to the next packet. Damage ends the capture, and is reported after the preceding data
   * was emitted.
   */
  private boolean advance() throws IOException {
    try {
      return capture.next();
    } catch (CaptureException e) {
      damage = e;
      return false;
    }
  }

  private boolean datagrams(int partition, long offset, Consumer<FlowBlock> out)
      throws IOException {
    batch.clear();
    while (batch.length() < BATCH_BYTES) {
      if (!advance()) {
        ended = true;
        rejections.add("datagrams of which fragments are missing", extractor.incompleteDatagrams());
        rejections.add("packets with damaged headers", extractor.malformedPackets());
        break;
      }
      extractor.packet(capture);
    }
    if (batch.count() == 0) {
      return damage == null ? false : next(partition, offset, out);
    }
    decoder.process(
        RawBatch.wrap(batch.toBytes(), partition, offset),
        new Emitter<FlowBlock>() {
          @Override
          public void emit(FlowBlock block) {
            count(block.counters());
            if (block.rows() > 0) {
              out.accept(block);
            }
          }

          @Override
          public <B extends Block> void emit(Output<B> output, B block) {
            // ignored: counters and names of interfaces describe the present
          }
        });
    return true;
  }

  private void count(ExporterCounters counters) {
    for (int exporter = 0; exporter < counters.size(); exporter++) {
      for (RejectReason reason : RejectReason.values()) {
        rejections.add(
            reason.label(),
            counters.count(exporter, ExporterCounters.FIRST_REASON + reason.ordinal()));
      }
    }
  }

  private boolean packets(int partition, long offset, Consumer<FlowBlock> out) throws IOException {
    FlowBlock block = new FlowBlock(PACKETS);
    block.logPosition(partition, offset);
    int read = 0;
    while (read < PACKETS && advance()) {
      read++;
      packets.add(capture, block);
    }
    ended = read < PACKETS;
    if (ended) {
      for (PacketReject reason : PacketReject.values()) {
        if (reason != PacketReject.BAD_TUNNEL) { // such a packet has a row with its outer addresses
          rejections.add(reason.label(), packets.rejects().count(reason));
        }
      }
    }
    if (block.rows() > 0) {
      out.accept(block);
    }
    return read > 0 || (damage != null && next(partition, offset, out));
  }

  @Override
  public Rejections rejections() {
    return rejections;
  }

  @Override
  public long position() {
    return in.position();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}

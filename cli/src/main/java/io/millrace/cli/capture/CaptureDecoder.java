package io.millrace.cli.capture;

import static io.millrace.wire.packet.BigEndian.u16;

import io.millrace.cli.console.Progress;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.NameSink;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.export.DatagramHead;
import io.millrace.wire.nat.NatEvents;
import io.millrace.wire.netflow.NetflowConfig;
import io.millrace.wire.netflow.NetflowDecoder;
import io.millrace.wire.netflow.Observations;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.pcap.CaptureException;
import io.millrace.wire.pcap.CaptureReader;
import io.millrace.wire.pcap.DatagramExtractor;
import io.millrace.wire.pcap.PacketRows;
import io.millrace.wire.sflow.Discards;
import io.millrace.wire.sflow.SflowDecoder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Decodes one capture into flow blocks, and counts skipped input. Used once, by one thread. */
final class CaptureDecoder {
  private static final int ROWS_A_BLOCK = 1024;

  private static final Optional<DecodeCommand.As> EXPORT = Optional.empty();

  private static final Set<Integer> EXPORT_PORTS = Set.of(2055, 2056, 4739, 6343, 9995, 9996);

  private final Path file;
  private final Consumer<FlowBlock> out;
  private final Consumer<TableBlock> othersOut;
  private final FlowBlock block = new FlowBlock(ROWS_A_BLOCK);
  private final DatagramHead head = new DatagramHead();
  private final PacketRows packets;
  private final SflowDecoder sflow;
  private final NetflowDecoder netflow;
  private final Map<RejectReason, Long> rejects = new EnumMap<>(RejectReason.class);
  private final TableBlock events = new TableBlock(NatEvents.SCHEMA, 16);
  private final TableBlock discards = new TableBlock(Discards.SCHEMA, 16);
  private final Observations observed =
      new Observations() {
        @Override
        public void reject(RejectReason reason, int where) {
          rejects.merge(reason, 1L, Long::sum);
        }

        @Override
        public TableBlock natEvents() {
          return events;
        }
      };
  private final CounterBlock counters = new CounterBlock(16);
  private Optional<DecodeCommand.As> selected = EXPORT;
  private String choice = "";
  private long counterSamples;
  private long natEvents;
  private long discardedPackets;
  private long notDecodable;
  private DatagramExtractor extractor;

  /** Blocks are reused: consumers must copy them. */
  CaptureDecoder(
      Path file, IpLayer layer, Consumer<FlowBlock> out, Consumer<TableBlock> othersOut) {
    this.file = file;
    this.out = out;
    this.othersOut = othersOut;
    packets = new PacketRows(layer);
    sflow = new SflowDecoder(layer);
    netflow = new NetflowDecoder(NetflowConfig.DEFAULT.withLayer(layer));
  }

  void decode(Optional<DecodeCommand.As> as, Progress progress) throws IOException {
    selected = as.isPresent() ? as : recognise();
    try (InputStream in = Files.newInputStream(file)) {
      CaptureReader capture = CaptureReader.open(in);
      if (selected.equals(Optional.of(DecodeCommand.As.PACKETS))) {
        packets(capture, progress);
      } else {
        datagrams(capture, progress);
      }
    } finally {
      flush();
    }
  }

  /**
   * Detects the content by the first valid export datagram. If all are malformed, they must be most
   * of the capture.
   */
  private Optional<DecodeCommand.As> recognise() throws IOException {
    boolean[] isWhole = {false};
    long[] broken = {0};
    DatagramExtractor probe =
        new DatagramExtractor(
            (time, high, low, port, toPort, bytes, offset, length, truncated) -> {
              isWhole[0] |= DatagramHead.looksWhole(bytes, offset, length);
              broken[0] += isBroken(bytes, offset, length, toPort) ? 1 : 0;
            });
    long packets = 0;
    try (InputStream in = Files.newInputStream(file)) {
      CaptureReader capture = CaptureReader.open(in);
      while (!isWhole[0] && capture.next()) {
        packets++;
        probe.packet(capture);
      }
    } catch (CaptureException e) {
      // decode() reports the same damage
    }
    if (isWhole[0]) {
      return EXPORT;
    }
    boolean isExport = 2 * broken[0] > packets;
    if (broken[0] > 0) {
      choice =
          isExport
              ? "read as export datagrams, none of which is complete; --as packets reads packets"
              : "read as packets; the capture may hold export datagrams, none of which is complete ("
                  + broken[0]
                  + "); --as netflow or --as sflow reads these";
    }
    return isExport ? EXPORT : Optional.of(DecodeCommand.As.PACKETS);
  }

  private static boolean isBroken(byte[] bytes, int offset, int length, int toPort) {
    return DatagramHead.looksBroken(bytes, offset, length)
        || (EXPORT_PORTS.contains(toPort) && length >= 2 && isVersion(u16(bytes, offset)));
  }

  private static boolean isVersion(int first) {
    return first == 0 || first == 5 || first == 9 || first == 10;
  }

  private void datagrams(CaptureReader capture, Progress progress) throws IOException {
    long size = Files.size(file);
    long bytesRead = 0;
    extractor =
        new DatagramExtractor(
            (time, high, low, port, toPort, bytes, offset, length, truncated) ->
                datagram(time, high, low, port, bytes, offset, length));
    while (capture.next()) {
      extractor.packet(capture);
      bytesRead += capture.length();
      progress.update(capture.frame(), bytesRead, size);
    }
  }

  private void datagram(
      long time, long high, long low, int port, byte[] bytes, int offset, int length) {
    switch (head.read(bytes, offset, length)) {
      case UNKNOWN, GOFLOW2 -> notDecodable++;
      case SFLOW -> {
        if (isSelected(DecodeCommand.As.SFLOW)) {
          counters.rows(0);
          sflow.decode(
              bytes,
              offset,
              length,
              time,
              high,
              low,
              block,
              counters,
              discards,
              observed,
              NameSink.NONE);
          counterSamples += counters.rows();
        }
      }
      case NETFLOW5, NETFLOW9, IPFIX -> {
        if (isSelected(DecodeCommand.As.NETFLOW)) {
          netflow.decode(bytes, offset, length, time, high, low, port, block, observed);
        }
      }
    }
    if (Math.max(block.rows(), events.rows() + discards.rows()) >= ROWS_A_BLOCK) {
      flush();
    }
  }

  private boolean isSelected(DecodeCommand.As kind) {
    if (selected.isEmpty() || selected.get() == kind) {
      return true;
    }
    notDecodable++;
    return false;
  }

  private void packets(CaptureReader capture, Progress progress) throws IOException {
    long size = Files.size(file);
    long bytesRead = 0;
    while (capture.next()) {
      packets.add(capture, block);
      if (block.rows() >= ROWS_A_BLOCK) {
        flush();
      }
      bytesRead += capture.length();
      progress.update(capture.frame(), bytesRead, size);
    }
  }

  private void flush() {
    out.accept(block);
    block.clear();
    natEvents += events.rows();
    othersOut.accept(events);
    events.clear();
    discardedPackets += discards.rows();
    othersOut.accept(discards);
    discards.clear();
  }

  /** Skipped input, one line per cause; {@code requested} is null if the content was detected. */
  List<String> remarks(DecodeCommand.As requested) {
    List<String> remarks = new ArrayList<>(packets.rejects().lines());
    if (!choice.isEmpty()) {
      remarks.add(choice);
    }
    rejects.forEach((reason, count) -> remarks.add(count + " × " + reason.label()));
    if (netflow.heldBytes() > 0) {
      remarks.add(netflow.heldBytes() + " bytes of records whose template is not in the capture");
    }
    if (natEvents > 0 && requested != DecodeCommand.As.EVENTS) {
      remarks.add(natEvents + " NAT events are not flows; --as events prints them");
    }
    if (discardedPackets > 0 && requested != DecodeCommand.As.DISCARDS) {
      remarks.add(discardedPackets + " discarded packets are not flows; --as discards prints them");
    }
    if (counterSamples > 0) {
      remarks.add(counterSamples + " interface counter samples are not flows");
    }
    if (notDecodable > 0) {
      remarks.add(notDecodable + " datagrams of unsupported protocols");
    }
    if (extractor != null) {
      add(remarks, extractor.truncatedDatagrams(), "datagrams truncated in the capture");
      add(remarks, extractor.incompleteDatagrams(), "datagrams with missing fragments");
      add(remarks, extractor.contradictoryDatagrams(), "datagrams with contradictory fragments");
      add(remarks, extractor.malformedPackets(), "packets with truncated or invalid headers");
    }
    return remarks;
  }

  private static void add(List<String> remarks, long count, String what) {
    if (count > 0) {
      remarks.add(count + " " + what);
    }
  }
}

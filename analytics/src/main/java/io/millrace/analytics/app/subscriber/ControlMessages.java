package io.millrace.analytics.app.subscriber;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.GtpControl;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketHeaders;
import java.util.List;

/**
 * Forwards packets, and emits those of GTP's control plane to {@link #CONTROL}, each twice: for its
 * sending and its receiving node ({@link #BY_NODE}).
 *
 * <p>A packet in that output starts with its IP header; its interface number identifies the node it
 * is for.
 */
public final class ControlMessages implements Analyzer<PacketBlock, PacketBlock> {
  /** Control-plane messages. */
  public static final Output<PacketBlock> CONTROL = new Output<>("control", PacketBlock.class);

  private static final int RAW_IP = 101;
  private static final int SENDERS = 0;
  private static final int RECEIVERS = 1;

  /** Key by the node's address. */
  public static final RowKeys<PacketBlock> BY_NODE =
      (block, hashes) -> {
        PacketHeaders headers = new PacketHeaders();
        for (int row = 0; row < block.rows(); row++) {
          int length = block.end(row) - block.start(row);
          boolean isIp =
              headers.read(LinkType.RAW_IP, block.bytes(), block.start(row), length, length);
          hashes[row] =
              !isIp
                  ? 0
                  : isSenders(block, row)
                      ? Hash.of(headers.srcHigh(), headers.srcLow())
                      : Hash.of(headers.dstHigh(), headers.dstLow());
        }
      };

  private final PacketHeaders headers = new PacketHeaders();
  private final PacketBlock.Writer writer = new PacketBlock.Writer();

  public ControlMessages() {}

  /** Whether the row is for the sending node rather than the receiving one. */
  public static boolean isSenders(PacketBlock control, int row) {
    return control.interfaceNumber(row) == SENDERS;
  }

  @Override
  public List<Output<?>> outputs() {
    return List.of(CONTROL);
  }

  @Override
  public void process(PacketBlock block, Emitter<PacketBlock> out) {
    for (int row = 0; row < block.rows(); row++) {
      int length = block.end(row) - block.start(row);
      LinkType link = LinkType.of(block.linkNumber(row));
      if (headers.read(link, block.bytes(), block.start(row), length, length)
          && GtpControl.isControl(headers)) {
        add(block.time(row), SENDERS);
        add(block.time(row), RECEIVERS);
      }
    }
    if (writer.rows() > 0) {
      out.emit(CONTROL, writer.toBlock());
      writer.clear();
    }
    out.emit(block);
  }

  private void add(long time, int node) {
    int length = headers.end() - headers.ip();
    writer.add(time, RAW_IP, node, length, headers.bytes(), headers.ip(), length);
  }
}

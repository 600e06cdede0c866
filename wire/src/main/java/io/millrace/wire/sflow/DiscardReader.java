package io.millrace.wire.sflow;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.u32;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.packet.IpLayer;
import java.util.HexFormat;

/**
 * Reads notifications of discarded packets: decodes each into a scratch row of flows, and copies
 * from there.
 */
final class DiscardReader {
  private static final int TIME = Discards.SCHEMA.indexOf("time");
  private static final int EXPORTER = Discards.SCHEMA.indexOf("exporter");
  private static final int AGENT = Discards.SCHEMA.indexOf("agent");
  private static final int SUB_AGENT = Discards.SCHEMA.indexOf("sub_agent");
  private static final int IN_IF = Discards.SCHEMA.indexOf("in_if");
  private static final int OUT_IF = Discards.SCHEMA.indexOf("out_if");
  private static final int REASON = Discards.SCHEMA.indexOf("reason");
  private static final int REASON_CODE = Discards.SCHEMA.indexOf("reason_code");
  private static final int DETAIL = Discards.SCHEMA.indexOf("detail");
  private static final int DROPS = Discards.SCHEMA.indexOf("drops");
  private static final int FRAME_LENGTH = Discards.SCHEMA.indexOf("frame_length");
  private static final int ETHER_TYPE = Discards.SCHEMA.indexOf("ether_type");
  private static final int VLAN = Discards.SCHEMA.indexOf("vlan");
  private static final int SRC_MAC = Discards.SCHEMA.indexOf("src_mac");
  private static final int DST_MAC = Discards.SCHEMA.indexOf("dst_mac");
  private static final int SRC_ADDR = Discards.SCHEMA.indexOf("src_addr");
  private static final int DST_ADDR = Discards.SCHEMA.indexOf("dst_addr");
  private static final int PROTO = Discards.SCHEMA.indexOf("proto");
  private static final int SRC_PORT = Discards.SCHEMA.indexOf("src_port");
  private static final int DST_PORT = Discards.SCHEMA.indexOf("dst_port");
  private static final int TCP_FLAGS = Discards.SCHEMA.indexOf("tcp_flags");

  private static final HexFormat MAC = HexFormat.ofDelimiter(":");
  private static final int MAC_LENGTH = 6;

  private final FlowBlock packet = new FlowBlock(1);
  private final FlowSampleReader records;
  private byte[] bytes;
  private int off;
  private long timeMicros;
  private long exporterHigh;
  private long exporterLow;
  private TableBlock out;

  DiscardReader(IpLayer layer) {
    records = new FlowSampleReader(layer, true);
  }

  void begin(
      byte[] bytes, int off, long timeMicros, long exporterHigh, long exporterLow, TableBlock out) {
    this.bytes = bytes;
    this.off = off;
    this.timeMicros = timeMicros;
    this.exporterHigh = exporterHigh;
    this.exporterLow = exporterLow;
    this.out = out;
    records.begin(packet);
  }

  /**
   * Reads a sample; returns null if it is entirely valid. Columns of an unreadable packet are null.
   */
  RejectReason read(int at, int end) {
    if (end - at < SflowLayout.DISCARDED_PACKET_LENGTH) {
      return RejectReason.BAD_SAMPLE_LENGTH;
    }
    boolean hasPacket =
        records.readPacket(
            bytes,
            at + SflowLayout.DISCARDED_PACKET_LENGTH,
            end,
            i32(bytes, at + SflowLayout.DISCARDED_RECORDS_OFFSET));
    out.reserve(1);
    int row = out.rows();
    out.longs(TIME)[row] = timeMicros;
    out.addressHigh(EXPORTER)[row] = exporterHigh;
    out.addressLow(EXPORTER)[row] = exporterLow;
    out.addressHigh(AGENT)[row] = SflowHeader.agentHigh(bytes, off);
    out.addressLow(AGENT)[row] = SflowHeader.agentLow(bytes, off);
    out.longs(SUB_AGENT)[row] = Integer.toUnsignedLong(SflowHeader.subAgent(bytes, off));
    out.longs(IN_IF)[row] = known(i32(bytes, at + SflowLayout.DISCARDED_INPUT_OFFSET));
    out.longs(OUT_IF)[row] = known(i32(bytes, at + SflowLayout.DISCARDED_OUTPUT_OFFSET));
    int reason = i32(bytes, at + SflowLayout.DISCARDED_REASON_OFFSET);
    out.texts(REASON).add(Discards.reason(reason));
    out.longs(REASON_CODE)[row] = Integer.toUnsignedLong(reason);
    String detail = records.detail(bytes);
    out.texts(DETAIL).add(detail.isEmpty() ? null : detail);
    out.longs(DROPS)[row] = u32(bytes, at + SflowLayout.DISCARDED_DROPS_OFFSET);
    out.longs(FRAME_LENGTH)[row] = records.frameLength(bytes);
    mac(SRC_MAC, FlowColumn.SRC_MAC, hasPacket);
    mac(DST_MAC, FlowColumn.DST_MAC, hasPacket);
    number(ETHER_TYPE, FlowColumn.ETHER_TYPE, hasPacket);
    number(VLAN, FlowColumn.SRC_VLAN, hasPacket);
    address(SRC_ADDR, FlowColumn.SRC_ADDR, hasPacket);
    address(DST_ADDR, FlowColumn.DST_ADDR, hasPacket);
    number(PROTO, FlowColumn.PROTO, hasPacket);
    number(SRC_PORT, FlowColumn.SRC_PORT, hasPacket);
    number(DST_PORT, FlowColumn.DST_PORT, hasPacket);
    number(TCP_FLAGS, FlowColumn.TCP_FLAGS, hasPacket);
    out.rows(row + 1);
    packet.nullOptional(0, 1);
    return records.badRecordAt() < 0 ? null : RejectReason.BAD_RECORD_LENGTH;
  }

  private static long known(int index) {
    return index == 0 ? TableBlock.NULL : Integer.toUnsignedLong(index);
  }

  private void number(int to, FlowColumn from, boolean hasPacket) {
    int value = hasPacket && packet.has(from) ? packet.ints(from)[0] : FlowBlock.NULL;
    out.longs(to)[out.rows()] =
        value == FlowBlock.NULL ? TableBlock.NULL : Integer.toUnsignedLong(value);
  }

  private void address(int to, FlowColumn from, boolean hasPacket) {
    out.addressHigh(to)[out.rows()] = hasPacket ? packet.addressHigh(from)[0] : Addresses.NULL;
    out.addressLow(to)[out.rows()] = hasPacket ? packet.addressLow(from)[0] : Addresses.NULL;
  }

  private void mac(int to, FlowColumn from, boolean hasPacket) {
    long value = hasPacket && packet.has(from) ? packet.longs(from)[0] : FlowBlock.NULL;
    if (value == FlowBlock.NULL) {
      out.texts(to).add(null);
      return;
    }
    byte[] address = new byte[MAC_LENGTH];
    for (int i = 0; i < MAC_LENGTH; i++) {
      address[i] = (byte) (value >>> (Byte.SIZE * (MAC_LENGTH - 1 - i)));
    }
    out.texts(to).add(MAC.formatHex(address));
  }
}

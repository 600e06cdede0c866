package io.millrace.wire.sflow;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.sflow.SflowLayout.TAG_LENGTH;
import static io.millrace.wire.sflow.SflowLayout.padded;

import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import io.millrace.wire.block.NameKind;
import io.millrace.wire.block.NameSink;
import io.millrace.wire.block.NameText;
import io.millrace.wire.block.RejectReason;

/** Reads generic interface counters to rows, and names of ports and hosts. */
final class CounterSampleReader {
  private byte[] bytes;
  private int off;
  private long timeMicros;
  private long exporterHigh;
  private long exporterLow;
  private CounterBlock out;
  private NameSink names;

  void begin(
      byte[] bytes,
      int off,
      long timeMicros,
      long exporterHigh,
      long exporterLow,
      CounterBlock out,
      NameSink names) {
    this.bytes = bytes;
    this.off = off;
    this.timeMicros = timeMicros;
    this.exporterHigh = exporterHigh;
    this.exporterLow = exporterLow;
    this.out = out;
    this.names = names;
  }

  /**
   * Reads a sample; returns null if valid. After a record with an invalid length, the remaining
   * records are lost.
   */
  RejectReason read(int at, int end, boolean expanded) {
    int fixedLength =
        expanded ? SflowLayout.EXPANDED_COUNTER_SAMPLE_LENGTH : SflowLayout.COUNTER_SAMPLE_LENGTH;
    if (end - at < fixedLength) {
      return RejectReason.BAD_SAMPLE_LENGTH;
    }
    int source = i32(bytes, at + SflowLayout.SOURCE_ID_OFFSET);
    int sourceType = expanded ? source : source >>> SflowLayout.SOURCE_INDEX_BITS;
    int sourceIndex =
        expanded
            ? i32(bytes, at + SflowLayout.SOURCE_INDEX_OFFSET)
            : source & SflowLayout.SOURCE_INDEX_MASK;
    int records = i32(bytes, at + fixedLength - 4);
    RejectReason reason = null;
    at += fixedLength;
    for (; records != 0; records--) {
      int body = at + TAG_LENGTH;
      int length = body > end ? -1 : i32(bytes, at + SflowLayout.LENGTH_OFFSET);
      if (length < 0 || length > end - body) {
        return RejectReason.BAD_RECORD_LENGTH;
      }
      if (i32(bytes, at) != SflowLayout.INTERFACE_COUNTERS) {
        name(i32(bytes, at), body, length, sourceType, sourceIndex);
      } else if (length >= SflowLayout.INTERFACE_COUNTERS_LENGTH) {
        append(body, sourceType, sourceIndex);
      } else {
        reason = RejectReason.BAD_RECORD_LENGTH;
      }
      at = Math.min(end, body + padded(length));
    }
    return reason;
  }

  private void name(int format, int at, int length, int sourceType, int sourceIndex) {
    boolean isHost = format == SflowLayout.HOST_DESCRIPTION;
    boolean isPort = format == SflowLayout.PORT_NAME && sourceType == 0;
    if ((!isHost && !isPort) || length < SflowLayout.TEXT_LENGTH) {
      return;
    }
    int text = i32(bytes, at);
    if (text <= 0 || text > length - SflowLayout.TEXT_LENGTH) {
      return;
    }
    String name = NameText.of(bytes, at + SflowLayout.TEXT_LENGTH, text);
    if (!name.isEmpty()) {
      names.name(
          isHost ? NameKind.EXPORTER : NameKind.INTERFACE, isHost ? 0 : sourceIndex, name, "");
    }
  }

  private void append(int at, int sourceType, int sourceIndex) {
    out.reserve(1);
    int row = out.rows();
    out.longs(CounterColumn.TIME)[row] = timeMicros;
    out.addressHigh(CounterColumn.EXPORTER)[row] = exporterHigh;
    out.addressLow(CounterColumn.EXPORTER)[row] = exporterLow;
    out.addressHigh(CounterColumn.AGENT)[row] = SflowHeader.agentHigh(bytes, off);
    out.addressLow(CounterColumn.AGENT)[row] = SflowHeader.agentLow(bytes, off);
    out.ints(CounterColumn.SUB_AGENT)[row] = SflowHeader.subAgent(bytes, off);
    out.ints(CounterColumn.SOURCE_TYPE)[row] = sourceType;
    out.ints(CounterColumn.SOURCE_INDEX)[row] = sourceIndex;
    InterfaceCounters.read(bytes, at, out, row);
    out.rows(row + 1);
  }
}

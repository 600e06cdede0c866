package io.millrace.wire.goflow2;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.message.FlowEncoder;
import io.millrace.wire.message.JoinedTexts;
import io.millrace.wire.message.MessageBuffer;
import io.millrace.wire.message.OutputColumn;
import io.millrace.wire.message.OutputColumns;
import io.millrace.wire.message.RowValues;
import io.millrace.wire.message.Varint;
import io.millrace.wire.packet.BigEndian;
import java.util.List;

/**
 * Encoder of rows as {@code flowpb.FlowMessage}, with or without a length prefix. As in protobuf,
 * numbers that are 0 are not written. Columns that GoFlow2 lacks have field numbers from 2000,
 * which its readers skip.
 *
 * <p>Bytes touched per row: about 90 of columns, 80 to 200 written.
 */
public final class FlowMessageEncoder implements FlowEncoder {
  /** Bytes reserved for a length prefix, at most 2²⁸ − 1, which is known only after the row. */
  private static final int LENGTH_ROOM = 4;

  private static final int MAX_FIELD_BYTES = 2 * Varint.MAX_LENGTH + 16;

  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;

  private final boolean isDelimited;
  private final RowValues values;
  private final int[] tags;
  private final int[] columns;
  private final int[] otherwise;
  private final int[] scales;
  private final OutputColumn.Kind[] kinds;
  private final int srcPort;
  private final int dstPort;
  private final int labels;
  private int[] protocols;

  /**
   * An encoder of these columns.
   *
   * @param isDelimited whether each row has a length prefix, so that a message may hold many;
   *     otherwise each row is a message
   */
  public FlowMessageEncoder(OutputColumns outputColumns, boolean isDelimited) {
    this.isDelimited = isDelimited;
    values = new RowValues(outputColumns);
    List<FlowMessageFields.Field> fields = FlowMessageFields.of(outputColumns);
    int count = fields.size();
    tags = new int[count];
    columns = new int[count];
    otherwise = new int[count];
    scales = new int[count];
    kinds = new OutputColumn.Kind[count];
    int src = -1;
    int dst = -1;
    int mpls = -1;
    for (int f = 0; f < count; f++) {
      FlowMessageFields.Field field = fields.get(f);
      kinds[f] = outputColumns.list().get(field.column()).kind();
      boolean hasLength =
          kinds[f] == OutputColumn.Kind.ADDRESS
              || kinds[f] == OutputColumn.Kind.TEXT
              || field.number() == FlowMessageLayout.MPLS_LABEL;
      tags[f] =
          field.number() << 3
              | (hasLength ? FlowMessageLayout.BYTES_TYPE : FlowMessageLayout.VARINT);
      columns[f] = field.column();
      otherwise[f] = field.otherwise();
      scales[f] = field.scale();
      src = field.number() == FlowMessageLayout.SRC_PORT ? f : src;
      dst = field.number() == FlowMessageLayout.DST_PORT ? f : dst;
      mpls = field.number() == FlowMessageLayout.MPLS_LABEL ? f : mpls;
    }
    srcPort = src;
    dstPort = dst;
    labels = mpls;
  }

  @Override
  public void begin(FlowBlock block, JoinedTexts texts) {
    values.bind(block, texts);
    protocols = block.ints(FlowColumn.PROTO);
  }

  @Override
  public void encode(int from, int to, MessageBuffer out) {
    for (int row = from; row < to; row++) {
      row(row, out);
    }
  }

  private void row(int row, MessageBuffer out) {
    byte[] b = out.reserve(LENGTH_ROOM + tags.length * MAX_FIELD_BYTES + texts(row));
    int start = out.length();
    int body = start + (isDelimited ? LENGTH_ROOM : 0);
    int at = body;
    boolean icmp = protocols[row] == ICMP || protocols[row] == ICMPV6;
    for (int f = 0; f < tags.length; f++) {
      int c = columns[f];
      if (values.isNull(c, row)) {
        c = otherwise[f];
        if (c < 0 || values.isNull(c, row)) {
          continue;
        }
      }
      switch (kinds[f]) {
        case ADDRESS -> at = address(b, at, tags[f], values.number(c, row), values.low(c, row));
        case TEXT -> {
          int length = values.textLength(c, row);
          at = Varint.put(b, Varint.put(b, at, tags[f]), length);
          System.arraycopy(values.textBytes(c), values.textStart(c, row), b, at, length);
          at += length;
        }
        default -> {
          long value = values.number(c, row) * scales[f];
          if (value != 0) {
            at = Varint.put(b, at, icmp ? icmpTag(f) : tags[f]);
            at = f == labels ? Varint.put(b, at, Varint.length(value)) : at;
            at = Varint.put(b, at, value);
          }
        }
      }
    }
    out.length(isDelimited ? delimited(b, start, body, at) : at);
  }

  private int icmpTag(int f) {
    if (f == srcPort) {
      return FlowMessageLayout.ICMP_TYPE << 3;
    }
    return f == dstPort ? FlowMessageLayout.ICMP_CODE << 3 : tags[f];
  }

  private static int address(byte[] b, int from, int tag, long high, long low) {
    int at = Varint.put(b, from, tag);
    if (Addresses.isV4(high, low)) {
      b[at] = FlowMessageLayout.IPV4_LENGTH;
      BigEndian.put32(b, at + 1, (int) low);
      return at + 1 + FlowMessageLayout.IPV4_LENGTH;
    }
    b[at] = FlowMessageLayout.IPV6_LENGTH;
    BigEndian.put64(b, at + 1, high);
    BigEndian.put64(b, at + 1 + Long.BYTES, low);
    return at + 1 + FlowMessageLayout.IPV6_LENGTH;
  }

  private static int delimited(byte[] b, int start, int body, int end) {
    int length = end - body;
    int afterLength = Varint.put(b, start, length);
    System.arraycopy(b, body, b, afterLength, length);
    return afterLength + length;
  }

  private int texts(int row) {
    int bytes = 0;
    for (int f = 0; f < kinds.length; f++) {
      if (kinds[f] == OutputColumn.Kind.TEXT && !values.isNull(columns[f], row)) {
        bytes += values.textLength(columns[f], row);
      }
    }
    return bytes;
  }
}

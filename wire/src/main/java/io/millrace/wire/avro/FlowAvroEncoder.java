package io.millrace.wire.avro;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.message.Ascii;
import io.millrace.wire.message.FlowEncoder;
import io.millrace.wire.message.JoinedTexts;
import io.millrace.wire.message.MessageBuffer;
import io.millrace.wire.message.OutputColumn;
import io.millrace.wire.message.OutputColumns;
import io.millrace.wire.message.RowValues;
import io.millrace.wire.message.Varint;
import java.util.List;

/**
 * Writes each row in Avro's single-object encoding:
 *
 * <pre>
 *   0    1    2                        10
 *   +----+----+------------------------+------------------------------+
 *   | C3 | 01 | fingerprint, 8 bytes   | fields in the schema's order |
 *   +----+----+------------------------+------------------------------+
 * </pre>
 *
 * The fingerprint is little-endian. A nullable field is the branch of its union (0: null) and the
 * value; numbers are zigzag varints, texts a length and UTF-8.
 */
public final class FlowAvroEncoder implements FlowEncoder {
  private static final int HEADER_LENGTH = 10;
  private static final int NULL_BRANCH = 0;
  private static final int VALUE_BRANCH = 1 << 1;

  private final RowValues values;
  private final OutputColumn.Kind[] kinds;
  private final boolean[] required;
  private final byte[] header = new byte[HEADER_LENGTH];
  private final byte[] text = new byte[Ascii.MAX_LENGTH];

  /** An encoder of these columns. */
  public FlowAvroEncoder(OutputColumns columns) {
    values = new RowValues(columns);
    List<OutputColumn> list = columns.list();
    kinds = new OutputColumn.Kind[list.size()];
    required = new boolean[list.size()];
    for (int c = 0; c < list.size(); c++) {
      kinds[c] = list.get(c).kind();
      required[c] = list.get(c).isRequired();
    }
    header[0] = (byte) 0xC3;
    header[1] = 1;
    long fingerprint = new FlowAvroSchema(columns).fingerprint();
    for (int i = 0; i < Long.BYTES; i++) {
      header[2 + i] = (byte) (fingerprint >>> (8 * i));
    }
  }

  @Override
  public void begin(FlowBlock block, JoinedTexts texts) {
    values.bind(block, texts);
  }

  @Override
  public void encode(int from, int to, MessageBuffer out) {
    for (int row = from; row < to; row++) {
      row(row, out);
    }
  }

  private void row(int row, MessageBuffer out) {
    RowValues v = values;
    byte[] b = out.reserve(HEADER_LENGTH + kinds.length * (Ascii.MAX_LENGTH + 2) + texts(row));
    int at = out.length();
    System.arraycopy(header, 0, b, at, HEADER_LENGTH);
    at += HEADER_LENGTH;
    for (int c = 0; c < kinds.length; c++) {
      if (!required[c]) {
        boolean isNull = v.isNull(c, row);
        b[at++] = (byte) (isNull ? NULL_BRANCH : VALUE_BRANCH);
        if (isNull) {
          continue;
        }
      }
      switch (kinds[c]) {
        case TIME, SMALL, NUMBER, LONG -> at = Varint.putSigned(b, at, v.number(c, row));
        case MAC -> at = string(b, at, text, 0, Ascii.mac(text, 0, v.number(c, row)));
        case ADDRESS ->
            at = string(b, at, text, 0, Ascii.address(text, 0, v.number(c, row), v.low(c, row)));
        case TEXT -> at = string(b, at, v.textBytes(c), v.textStart(c, row), v.textLength(c, row));
      }
    }
    out.length(at);
  }

  private int texts(int row) {
    int bytes = 0;
    for (int c = 0; c < kinds.length; c++) {
      if (kinds[c] == OutputColumn.Kind.TEXT && !values.isNull(c, row)) {
        bytes += values.textLength(c, row);
      }
    }
    return bytes;
  }

  private static int string(byte[] b, int from, byte[] source, int start, int length) {
    int at = Varint.putSigned(b, from, length);
    System.arraycopy(source, start, b, at, length);
    return at + length;
  }
}

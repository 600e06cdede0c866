package io.millrace.wire.json;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.message.Ascii;
import io.millrace.wire.message.FlowEncoder;
import io.millrace.wire.message.JoinedTexts;
import io.millrace.wire.message.MessageBuffer;
import io.millrace.wire.message.OutputColumn;
import io.millrace.wire.message.OutputColumns;
import io.millrace.wire.message.RowValues;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Encoder of rows as JSON objects (RFC 8259), each followed by a line feed; a message may have any
 * number of them. Times are microseconds since the epoch, addresses text; null columns are omitted.
 *
 * <p>Bytes touched per row: about 90 of columns, 300 to 500 written.
 */
public final class FlowJsonEncoder implements FlowEncoder {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int MAX_BYTES_A_CHARACTER = 6; // a control character: \u001f

  private final RowValues values;
  private final OutputColumn.Kind[] kinds;
  private final byte[][] keys;
  private final int fixedBytes;

  /** An encoder of these columns. */
  public FlowJsonEncoder(OutputColumns columns) {
    values = new RowValues(columns);
    List<OutputColumn> list = columns.list();
    kinds = new OutputColumn.Kind[list.size()];
    keys = new byte[list.size()][];
    int bytes = 4;
    for (int c = 0; c < list.size(); c++) {
      kinds[c] = list.get(c).kind();
      keys[c] = ("\"" + list.get(c).name() + "\":").getBytes(StandardCharsets.UTF_8);
      bytes += keys[c].length + Ascii.MAX_LENGTH + 3;
    }
    fixedBytes = bytes;
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
    byte[] b = out.reserve(fixedBytes + textBytes(row));
    int at = out.length();
    b[at++] = '{';
    for (int c = 0; c < keys.length; c++) {
      if (v.isNull(c, row)) {
        continue;
      }
      byte[] key = keys[c];
      System.arraycopy(key, 0, b, at, key.length);
      at += key.length;
      switch (kinds[c]) {
        case TIME, SMALL, NUMBER, LONG -> at = Ascii.decimal(b, at, v.number(c, row));
        case MAC -> {
          b[at] = '"';
          at = Ascii.mac(b, at + 1, v.number(c, row));
          b[at++] = '"';
        }
        case ADDRESS -> {
          b[at] = '"';
          at = Ascii.address(b, at + 1, v.number(c, row), v.low(c, row));
          b[at++] = '"';
        }
        case TEXT -> at = text(b, at, v.textBytes(c), v.textStart(c, row), v.textLength(c, row));
      }
      b[at++] = ',';
    }
    at -= b[at - 1] == ',' ? 1 : 0;
    b[at++] = '}';
    b[at++] = '\n';
    out.length(at);
  }

  private int textBytes(int row) {
    int bytes = 0;
    for (int c = 0; c < kinds.length; c++) {
      if (kinds[c] == OutputColumn.Kind.TEXT && !values.isNull(c, row)) {
        bytes += MAX_BYTES_A_CHARACTER * values.textLength(c, row);
      }
    }
    return bytes;
  }

  private static int text(byte[] b, int from, byte[] source, int start, int length) {
    int at = from;
    b[at++] = '"';
    for (int i = start; i < start + length; i++) {
      byte character = source[i];
      if (character == '"' || character == '\\') {
        b[at++] = '\\';
        b[at++] = character;
      } else if (character >= 0 && character < ' ') {
        b[at++] = '\\';
        b[at++] = 'u';
        b[at++] = '0';
        b[at++] = '0';
        b[at++] = HEX[character >> 4];
        b[at++] = HEX[character & 15];
      } else {
        b[at++] = character;
      }
    }
    b[at++] = '"';
    return at;
  }
}

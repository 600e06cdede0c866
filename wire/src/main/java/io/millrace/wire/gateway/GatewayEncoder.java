package io.millrace.wire.gateway;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.block.Texts;
import io.millrace.wire.record.AvroContainer;
import io.millrace.wire.record.Varints;
import java.nio.charset.StandardCharsets;

/**
 * Encoder of gateway records, for gateways and for the log. Appends to a buffer of the caller.
 * Stateless.
 */
public final class GatewayEncoder {
  private static final byte[] ID = ascii("{\"gateway_id\":\"");
  private static final byte[] DATE = ascii("\",\"date\":");
  private static final byte[] TX = ascii(",\"ipTx\":");
  private static final byte[] RX = ascii(",\"ipRx\":");
  private static final byte[][] FORMS = forms();
  private static final byte[] END = ascii("}");
  private static final byte[] HEX = ascii("0123456789abcdef");

  private static final int MARKER = 0x01C3;

  private GatewayEncoder() {}

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[][] forms() {
    byte[][] forms = new byte[GatewayForm.ALL.size() + 1][];
    for (GatewayForm form : GatewayForm.ALL) {
      forms[form.code()] = ascii(",\"form\":\"" + form.label() + "\"");
    }
    return forms;
  }

  /**
   * Appends a row as a JSON object on one line, without a line feed.
   *
   * @param withForm whether the object has its form; otherwise the path must
   */
  public static void json(GatewayBlock block, int row, boolean withForm, BlockBuffer out) {
    put(ID, out);
    putEscaped(block.gateways(), row, out);
    put(DATE, out);
    putNumber(block.time()[row] / GatewayRules.MICROS, out);
    put(TX, out);
    putNumber(block.tx()[row], out);
    put(RX, out);
    putNumber(block.rx()[row], out);
    if (withForm) {
      put(FORMS[block.form()[row]], out);
    }
    put(END, out);
  }

  private static void put(byte[] bytes, BlockBuffer out) {
    out.put(bytes, 0, bytes.length);
  }

  private static void putEscaped(Texts texts, int row, BlockBuffer out) {
    byte[] bytes = texts.bytes();
    int start = texts.start(row);
    int end = start + texts.length(row);
    int run = start;
    for (int i = start; i < end; i++) {
      byte b = bytes[i];
      if (b == '"' || b == '\\' || (b >= 0 && b < ' ')) {
        out.put(bytes, run, i - run);
        out.putByte('\\');
        if (b < ' ') {
          out.putByte('u');
          out.putByte('0');
          out.putByte('0');
          out.putByte(HEX[b >> 4]);
          out.putByte(HEX[b & 15]);
        } else {
          out.putByte(b);
        }
        run = i + 1;
      }
    }
    out.put(bytes, run, end - run);
  }

  private static void putNumber(long value, BlockBuffer out) {
    long power = 1;
    while (value / power >= 10) {
      power *= 10;
    }
    for (; power > 0; power /= 10) {
      out.putByte('0' + (int) (value / power % 10));
    }
  }

  /** Appends a row as a datum of the current schema, without a header. */
  public static void datum(GatewayBlock block, int row, BlockBuffer out) {
    Texts texts = block.gateways();
    int length = texts.length(row);
    Varints.put(length, out);
    out.put(texts.bytes(), texts.start(row), length);
    Varints.put(block.time()[row] / GatewayRules.MICROS, out);
    Varints.put(block.tx()[row], out);
    Varints.put(block.rx()[row], out);
    Varints.put(block.form()[row], out);
  }

  /** Appends a row in single-object encoding: a header with the schema's fingerprint, a datum. */
  public static void singleObject(GatewayBlock block, int row, BlockBuffer out) {
    out.putShort(MARKER);
    out.putLong(GatewaySchema.fingerprint());
    datum(block, row, out);
  }

  /**
   * Appends all rows as an object container file of one uncompressed block.
   *
   * @param sync 16 random bytes by which readers find block boundaries
   */
  public static void container(GatewayBlock block, byte[] sync, BlockBuffer out) {
    put(AvroContainer.header(GatewaySchema.text(), sync), out);
    if (block.rows() > 0) {
      BlockBuffer data = new BlockBuffer(block.rows() * 32);
      for (int row = 0; row < block.rows(); row++) {
        datum(block, row, data);
      }
      Varints.put(block.rows(), out);
      Varints.put(data.length(), out);
      out.put(data.bytes(), 0, data.length());
      put(sync, out);
    }
  }
}

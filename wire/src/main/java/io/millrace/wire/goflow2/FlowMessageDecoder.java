package io.millrace.wire.goflow2;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.i64;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.Rejects;
import java.util.Arrays;

/**
 * Decoder of GoFlow2's messages: each flow with an address is a row of a {@link FlowBlock}.
 * Messages are protobuf, or one or more JSON objects, detected by their first bytes.
 *
 * <p>The fields of a message come in any order, so they are first stored by number and then written
 * to columns: a message is read completely before it becomes a row or a reject. Unknown fields are
 * skipped. Each length is checked against its enclosing length, and each iteration consumes bytes.
 *
 * <p>Bytes touched: the message once (90 to 150 bytes), the numbers by field twice (1 KiB, in the
 * first cache), about 150 bytes of columns. One decoder belongs to one thread; it keeps no state
 * between messages.
 */
public final class FlowMessageDecoder {
  private final long[] numbers = new long[FlowMessageLayout.FIELDS];
  private final long[] addressHigh = new long[FlowMessageLayout.FIELDS];
  private final long[] addressLow = new long[FlowMessageLayout.FIELDS];
  private final FlowMessageColumns columns = new FlowMessageColumns();
  private final FlowMessageJson json = new FlowMessageJson();

  /** Offset after the last varint; −1 if that was unterminated. */
  private int next;

  /**
   * Appends the rows of a message; never throws.
   *
   * <p>Every column of a row is filled, except optional ones that the message lacks. {@code
   * logIndex} is the row's number in the block.
   *
   * @param buf holds the message
   * @param off where it starts
   * @param len its length in bytes
   * @param timeMicros arrival of messages that have none
   * @param out receives the row
   * @param rejects receives the reason if there is no row
   * @return whether there is a row; JSON may give several
   */
  public boolean decode(
      byte[] buf, int off, int len, long timeMicros, FlowBlock out, Rejects rejects) {
    if (FlowMessageJson.begins(buf, off, len)) {
      return decodeJson(buf, off, len, timeMicros, out, rejects) > 0;
    }
    int bad = read(buf, off, off + len);
    if (bad >= 0) {
      rejects.reject(RejectReason.BAD_MESSAGE, bad - off);
      return false;
    }
    return row(timeMicros, out, rejects);
  }

  private int decodeJson(
      byte[] buf, int off, int len, long timeMicros, FlowBlock out, Rejects rejects) {
    int rows = 0;
    json.wrap(buf, off, len);
    do {
      Arrays.fill(numbers, 0);
      clearAddresses();
      if (!json.take(numbers, addressHigh, addressLow)) {
        rejects.reject(RejectReason.BAD_MESSAGE, json.at() - off);
        break;
      }
      rows += row(timeMicros, out, rejects) ? 1 : 0;
    } while (json.hasNext());
    return rows;
  }

  private boolean row(long timeMicros, FlowBlock out, Rejects rejects) {
    if (isNoAddress(FlowMessageLayout.SRC_ADDR) && isNoAddress(FlowMessageLayout.DST_ADDR)) {
      rejects.reject(RejectReason.NOT_IP, 0);
      return false;
    }
    return columns.append(numbers, addressHigh, addressLow, timeMicros, out, rejects);
  }

  private boolean isNoAddress(int field) {
    return Addresses.isNull(addressHigh[field], addressLow[field]);
  }

  /**
   * Appends the rows of any number of messages, each preceded by its length as a varint. If a
   * length exceeds the end, earlier messages are kept and the rest is one reject.
   *
   * @return number of rows
   */
  public int decodeDelimited(
      byte[] buf, int off, int len, long timeMicros, FlowBlock out, Rejects rejects) {
    if (FlowMessageJson.begins(buf, off, len)) {
      return decodeJson(buf, off, len, timeMicros, out, rejects);
    }
    int end = off + len;
    int at = off;
    int rows = 0;
    while (at < end) {
      long length = varint(buf, at, end);
      if (next < 0 || length < 0 || length > end - next) {
        rejects.reject(RejectReason.BAD_MESSAGE, at - off);
        break;
      }
      int body = next;
      at = body + (int) length;
      rows += decode(buf, body, (int) length, timeMicros, out, rejects) ? 1 : 0;
    }
    return rows;
  }

  /** Stores the fields by number; returns the offset of a fault, −1 if there is none. */
  private int read(byte[] buf, int off, int end) {
    long[] values = numbers;
    Arrays.fill(values, 0);
    clearAddresses();
    int at = off;
    while (at < end) {
      int start = at;
      long tag = varint(buf, at, end);
      at = next;
      if (at < 0 || tag >>> 3 == 0 || tag >>> 32 != 0) {
        return start;
      }
      int field = (int) (tag >>> 3);
      switch ((int) tag & 7) {
        case FlowMessageLayout.VARINT -> {
          long value = varint(buf, at, end);
          at = next;
          if (at < 0) {
            return start;
          }
          // The first label is on top of the stack; of another repeated field, the last value is
          // used.
          if (field < FlowMessageLayout.FIELDS
              && (field != FlowMessageLayout.MPLS_LABEL || values[field] == 0)) {
            values[field] = value;
          }
        }
        case FlowMessageLayout.BYTES_TYPE -> {
          long length = varint(buf, at, end);
          at = next;
          if (at < 0 || length < 0 || length > end - at) {
            return start;
          }
          if (!bytes(buf, at, (int) length, field)) {
            return start;
          }
          at += (int) length;
        }
        case FlowMessageLayout.FIXED64 -> at += Long.BYTES;
        case FlowMessageLayout.FIXED32 -> at += Integer.BYTES;
        default -> {
          return start;
        }
      }
      if (at > end) {
        return start;
      }
    }
    return -1;
  }

  private void clearAddresses() {
    clearAddress(FlowMessageLayout.SRC_ADDR);
    clearAddress(FlowMessageLayout.DST_ADDR);
    clearAddress(FlowMessageLayout.SAMPLER_ADDRESS);
    clearAddress(FlowMessageLayout.NEXT_HOP);
    clearAddress(FlowMessageLayout.BGP_NEXT_HOP);
  }

  private void clearAddress(int field) {
    addressHigh[field] = Addresses.NULL;
    addressLow[field] = Addresses.NULL;
  }

  private boolean bytes(byte[] buf, int at, int length, int field) {
    switch (field) {
      case FlowMessageLayout.SRC_ADDR,
          FlowMessageLayout.DST_ADDR,
          FlowMessageLayout.SAMPLER_ADDRESS,
          FlowMessageLayout.NEXT_HOP,
          FlowMessageLayout.BGP_NEXT_HOP -> {
        if (length == FlowMessageLayout.IPV4_LENGTH) {
          addressHigh[field] = 0;
          addressLow[field] = Addresses.v4Low(i32(buf, at));
        } else if (length == FlowMessageLayout.IPV6_LENGTH) {
          addressHigh[field] = i64(buf, at);
          addressLow[field] = i64(buf, at + Long.BYTES);
        } else {
          return length == 0;
        }
        return true;
      }
      case FlowMessageLayout.MPLS_LABEL -> {
        if (length > 0 && numbers[field] == 0) {
          numbers[field] = varint(buf, at, at + length);
          return next >= 0;
        }
        return true;
      }
      default -> {
        return true;
      }
    }
  }

  private long varint(byte[] buf, int at, int end) {
    if (at < end && buf[at] >= 0) {
      next = at + 1;
      return buf[at];
    }
    int last = Math.min(end, at + FlowMessageLayout.MAX_VARINT_LENGTH);
    long value = 0;
    for (int i = at, shift = 0; i < last; i++, shift += 7) {
      byte b = buf[i];
      value |= (b & 0x7FL) << shift;
      if (b >= 0) {
        next = i + 1;
        return value;
      }
    }
    next = -1;
    return 0;
  }
}

package io.millrace.wire.packet;

import static io.millrace.wire.packet.BigEndian.i32;
import static io.millrace.wire.packet.BigEndian.i64;
import static io.millrace.wire.packet.BigEndian.u16;
import static io.millrace.wire.packet.BigEndian.u8;

import io.millrace.wire.block.Addresses;

abstract sealed class GtpMessage permits GtpControl {
  static final int PLMN_LENGTH = 3;

  private static final int MAX_TUNNELS = 16;
  private static final int VERSION_1_ACCEPTED = 128;
  private static final int VERSION_2_ACCEPTED = 16;
  private static final int VERSION_2_LAST_ACCEPTED = 63;

  byte[] bytes = {};
  GtpControl.Kind kind;
  int version;
  long tunnelId;
  int sequence;
  int cause;
  int next;
  boolean isBroken;
  String imsi;
  String msisdn;
  String network;
  int area;
  long cell;
  long controlId;
  long controlHigh;
  long controlLow;

  long addressHigh;

  long addressLow;

  private int tunnels;
  private final long[] tunnelIds = new long[MAX_TUNNELS];
  private final long[] highs = new long[MAX_TUNNELS];
  private final long[] lows = new long[MAX_TUNNELS];

  final void clear(byte[] datagram) {
    bytes = datagram;
    kind = null;
    imsi = null;
    msisdn = null;
    network = null;
    cause = -1;
    area = -1;
    cell = -1;
    sequence = -1;
    tunnelId = -1;
    controlId = -1;
    tunnels = 0;
    next = -1;
    isBroken = false;
  }

  final void address(int at, boolean isV6) {
    addressHigh = isV6 ? i64(bytes, at) : 0;
    addressLow = isV6 ? i64(bytes, at + 8) : Addresses.v4Low(i32(bytes, at));
  }

  /**
   * Takes the first tunnel from that index as the control tunnel, and drops the others after it.
   */
  final void takeAsControl(int first) {
    controlId = tunnelIds[first];
    controlHigh = highs[first];
    controlLow = lows[first];
    tunnels = first;
  }

  final void tunnel(long id) {
    if (tunnels < MAX_TUNNELS) {
      tunnelIds[tunnels] = id;
      highs[tunnels] = addressHigh;
      lows[tunnels] = addressLow;
      tunnels++;
    }
  }

  final void place(int at, long cellNumber) {
    network = plmn(at);
    area = u16(bytes, at + PLMN_LENGTH);
    cell = cellNumber;
  }

  /** Country and network: digits 2 1, 6 3, 5 4 in half bytes; the sixth is 15 if absent. */
  final String plmn(int at) {
    int first = u8(bytes, at);
    int second = u8(bytes, at + 1);
    int third = u8(bytes, at + 2);
    StringBuilder text = new StringBuilder(7);
    text.append(digit(first)).append(digit(first >>> 4)).append(digit(second)).append('-');
    text.append(digit(third)).append(digit(third >>> 4));
    if (second >>> 4 != 15) {
      text.append(digit(second >>> 4));
    }
    return text.toString();
  }

  private static char digit(int halfByte) {
    return Character.forDigit(halfByte & 15, 16);
  }

  /** Digits in half bytes, the lower first, terminated by 15. Null if there are none. */
  final String digits(int at, int length) {
    StringBuilder text = new StringBuilder(16);
    for (int i = 0; i < Math.min(length, 16) * 2; i++) {
      int halfByte = (u8(bytes, at + i / 2) >>> (i % 2 * 4)) & 15;
      if (halfByte > 9) {
        break;
      }
      text.append(digit(halfByte));
    }
    return text.isEmpty() ? null : text.toString();
  }

  /** Type of the message. */
  public GtpControl.Kind kind() {
    return kind;
  }

  /** 1 or 2. */
  public int version() {
    return version;
  }

  /** The receiver's control tunnel id, 0 in the first request; −1 if absent. */
  public long tunnelId() {
    return tunnelId;
  }

  /** Number that links a response to its request, among the messages of two peers; −1 if absent. */
  public int sequence() {
    return sequence;
  }

  /** Whether a response accepts the request. */
  public boolean isAccepted() {
    return version == 1
        ? cause >= VERSION_1_ACCEPTED && cause < VERSION_1_ACCEPTED + 64
        : cause >= VERSION_2_ACCEPTED && cause <= VERSION_2_LAST_ACCEPTED;
  }

  /** The subscriber's identity, up to 15 digits. */
  public String imsi() {
    return imsi;
  }

  /** The subscriber's telephone number with country code, up to 15 digits. */
  public String msisdn() {
    return msisdn;
  }

  /** Country and network of the location, as {@code 262-01}. */
  public String network() {
    return network;
  }

  /**
   * Location, routeing or tracking area, 0 to 65,535; the tracking area if the message has both.
   */
  public int area() {
    return area;
  }

  /** Cell or service area, 0 to 2²⁸−1. */
  public long cell() {
    return cell;
  }

  /** The sender's control tunnel id for this subscriber; −1 if absent. */
  public long controlId() {
    return controlId;
  }

  /** Upper half of the address of {@link #controlId}. */
  public long controlHigh() {
    return controlHigh;
  }

  /** Lower half of that address. */
  public long controlLow() {
    return controlLow;
  }

  /** Number of the sender's tunnels for the subscriber's packets. */
  public int tunnels() {
    return tunnels;
  }

  /** Tunnel id in packets to {@link #addressLow its address}. */
  public long tunnelId(int tunnel) {
    return tunnelIds[tunnel];
  }

  /** Upper half of the tunnel endpoint's address, as {@link Addresses}. */
  public long addressHigh(int tunnel) {
    return highs[tunnel];
  }

  /** Lower half of that address. */
  public long addressLow(int tunnel) {
    return lows[tunnel];
  }

  /**
   * Whether it is truncated, or no message of version 1 or 2; values before the fault are valid.
   */
  public boolean isBroken() {
    return isBroken;
  }

  /** Offset of the next message in the datagram; −1 if there is none. */
  public int next() {
    return next;
  }
}

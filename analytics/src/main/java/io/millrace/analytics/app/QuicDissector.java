package io.millrace.analytics.app;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.BitSet;

/**
 * QUIC (RFC 9000): the client's first packets are decrypted, their CRYPTO frames reassembled, and
 * the ClientHello read from them. Also supports Google's earlier QUIC, which has a plain
 * ClientHello.
 *
 * <pre>
 *   long header:  1 1 type ….  version (4)  length, id of destination  length, id of source
 *                 token (varint + n)  length (varint)  number (1 to 4)  payload
 * </pre>
 */
final class QuicDissector implements Dissector {
  private static final int MAX_CLIENT_HELLO = 16_384;
  private static final int CRYPTO = 6;

  /** Frame type of CRYPTO in Google's versions before the standard. */
  private static final int GOOGLE_CRYPTO = 8;

  private static final int V2 = 0x6B3343CF;

  private final TlsNames names;

  QuicDissector(TlsNames names) {
    this.names = names;
  }

  private static final class CryptoStream {
    byte[] bytes = new byte[2048];
    final BitSet received = new BitSet();
    QuicKeys keys;
    byte[] connection;

    void put(byte[] from, int at, long place, long count) {
      if (place + count > MAX_CLIENT_HELLO) {
        return;
      }
      int end = (int) (place + count);
      if (end > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
      }
      System.arraycopy(from, at, bytes, (int) place, (int) count);
      received.set((int) place, end);
    }

    int inOrder() {
      return received.nextClearBit(0);
    }
  }

  @Override
  public Result dissect(AppFlow flow, Payload payload) {
    if (payload.isTcp) {
      return Result.NO;
    }
    int first = payload.u8(0);
    long version = payload.u32(1);
    if ((first & 0x80) != 0 && version >= 0 && isKnown((int) version)) {
      return isPlain((int) version) ? plain(flow, payload) : packets(flow, payload, (int) version);
    }
    if ((first & 0x80) == 0 && (first & 0x08) != 0 && hasPlainVersion(payload)) {
      return plain(flow, payload);
    }
    boolean isQuic = flow.appProtocol().equals("QUIC");
    return isQuic ? Result.MORE : Result.NO;
  }

  private static boolean isKnown(int version) {
    return QuicKeys.salt(version).length > 0
        || isPlain(version)
        || version >>> 8 == 0xFF0000
        || (version & 0x0F0F0F0F) == 0x0A0A0A0A;
  }

  /** Q043 to Q046 have Google's own ClientHello instead of TLS. */
  private static boolean isPlain(int version) {
    return version >>> 8 == 0x513034 || version >>> 8 == 0x513033;
  }

  private static boolean hasPlainVersion(Payload payload) {
    return payload.u8(9) == 'Q'
        && payload.u8(10) == '0'
        && payload.u8(11) >= '2'
        && payload.u8(11) <= '4';
  }

  private Result plain(AppFlow flow, Payload payload) {
    if (flow.isUnknown()) {
      flow.classify("QUIC", Evidence.PAYLOAD);
    }
    int chlo = payload.find("CHLO", 0, 256);
    if (chlo < 0) {
      return Result.MORE;
    }
    int tags = payload.le16(chlo + 4);
    int values = chlo + 8 + 8 * tags;
    int from = 0;
    for (int i = 0; i < Math.min(tags, 64); i++) {
      int tag = chlo + 8 + 8 * i;
      int end = (int) Math.min(payload.length(), payload.le32(tag + 4));
      if (payload.has(tag, "SNI\0") && end > from) {
        return named(flow, payload.text(values + from, end - from), payload);
      }
      from = end;
    }
    return Result.DONE;
  }

  private Result named(AppFlow flow, String serverName, Payload payload) {
    ClientHello hello = ClientHello.ofName(serverName);
    names.classify(flow, hello, "QUIC", Evidence.QUIC_SNI, payload);
    return Result.DONE;
  }

  private Result packets(AppFlow flow, Payload payload, int version) {
    if (flow.isUnknown()) {
      flow.classify("QUIC", Evidence.PAYLOAD);
    }
    int at = 0;
    while (at < payload.length()
        && (payload.u8(at) & 0x80) != 0
        && payload.u32(at + 1) == (version & 0xFFFF_FFFFL)) {
      int packetEnd = packet(flow, payload, at, version);
      if (packetEnd <= at) {
        break;
      }
      at = packetEnd;
    }
    return clientHello(flow, payload);
  }

  /** Reads one packet; returns the offset of the next, or −1. */
  private int packet(AppFlow flow, Payload payload, int at, int version) {
    int idLength = payload.u8(at + 5);
    if (idLength < 0 || idLength > 20) {
      return -1;
    }
    int sourceAt = at + 6 + idLength;
    int sourceLength = payload.u8(sourceAt);
    if (sourceLength < 0 || sourceLength > 20) {
      return -1;
    }
    int cursor = sourceAt + 1 + sourceLength;
    int type = payload.u8(at) >>> 4 & 3;
    boolean isInitial = version == V2 ? type == 1 : type == 0;
    if (isInitial) {
      long token = varint(payload, cursor);
      cursor += varintLength(payload, cursor);
      if (token < 0 || token > payload.length()) {
        return -1;
      }
      cursor += (int) token;
    }
    long length = varint(payload, cursor);
    cursor += varintLength(payload, cursor);
    if (length < 20 || cursor + length > payload.length()) {
      return -1;
    }
    int end = (int) (cursor + length);
    if (isInitial && QuicKeys.salt(version).length > 0) {
      open(flow, payload, at, cursor, end, version, at + 6, idLength);
    }
    return end;
  }

  private static void open(
      AppFlow flow,
      Payload payload,
      int at,
      int numberAt,
      int end,
      int version,
      int idAt,
      int idLength) {
    byte[] bytes = payload.bytes();
    int base = payload.start();
    byte[] id = Arrays.copyOfRange(bytes, base + idAt, base + idAt + idLength);
    CryptoStream crypto =
        flow.classifierState instanceof CryptoStream known ? known : new CryptoStream();
    try {
      // The keys depend on the connection id of the client's first packet, whatever the server
      // responds.
      if (crypto.keys == null) {
        crypto.keys = new QuicKeys(version, id);
        crypto.connection = id;
      }
      if (!read(crypto, crypto.keys, bytes, base, at, numberAt, end)
          && !Arrays.equals(id, crypto.connection)) {
        QuicKeys others = new QuicKeys(version, id);
        if (read(crypto, others, bytes, base, at, numberAt, end)) {
          crypto.keys = others;
          crypto.connection = id;
        }
      }
      if (crypto.received.isEmpty()) {
        crypto.keys = null; // a packet from the server, or after a retry
      }
      flow.classifierState = crypto;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK lacks AES or SHA-256", e);
    }
  }

  private static boolean read(
      CryptoStream crypto, QuicKeys keys, byte[] bytes, int base, int at, int numberAt, int end)
      throws GeneralSecurityException {
    int sample = base + numberAt + 4;
    if (sample + 16 > base + end) {
      return false;
    }
    byte[] mask = keys.mask(bytes, sample);
    int first = (bytes[base + at] ^ (mask[0] & 0x0F)) & 0xFF;
    int numberLength = (first & 3) + 1;
    byte[] head = Arrays.copyOfRange(bytes, base + at, base + numberAt + numberLength);
    head[0] = (byte) first;
    long number = 0;
    for (int i = 0; i < numberLength; i++) {
      int place = head.length - numberLength + i;
      head[place] ^= mask[1 + i];
      number = (number << 8) | (head[place] & 0xFF);
    }
    byte[] clear;
    try {
      clear = keys.open(head, number, bytes, base + numberAt + numberLength, base + end);
    } catch (javax.crypto.AEADBadTagException e) {
      return false;
    }
    frames(crypto, clear);
    return true;
  }

  /** Reads the CRYPTO frames (RFC 9000 section 19.6) among padding, pings and acknowledgements. */
  private static void frames(CryptoStream crypto, byte[] clear) {
    Payload frames = new Payload().wrap(clear, 0, clear.length);
    int at = 0;
    while (at < clear.length) {
      int type = clear[at];
      if (type == 0 || type == 1) {
        at++;
      } else if (type == 2 || type == 3) {
        at = afterAcknowledgement(frames, at + 1, type == 3);
      } else if (type == CRYPTO || type == GOOGLE_CRYPTO) {
        long place = varint(frames, at + 1);
        int lengthAt = at + 1 + varintLength(frames, at + 1);
        long count = varint(frames, lengthAt);
        int data = lengthAt + varintLength(frames, lengthAt);
        if (place < 0 || count < 0 || data + count > clear.length) {
          return;
        }
        crypto.put(clear, data, place, count);
        at = (int) (data + count);
      } else {
        return;
      }
      if (at < 0) {
        return;
      }
    }
  }

  private static int afterAcknowledgement(Payload frames, int from, boolean countsMarks) {
    int at = from;
    long ranges = 0;
    for (int i = 0; i < 4; i++) {
      if (i == 2) {
        ranges = varint(frames, at);
      }
      at += varintLength(frames, at);
    }
    long more = 2 * ranges + (countsMarks ? 3 : 0);
    for (long i = 0; i < more; i++) {
      if (varint(frames, at) < 0) {
        return -1;
      }
      at += varintLength(frames, at);
    }
    return at;
  }

  private Result clientHello(AppFlow flow, Payload payload) {
    if (!(flow.classifierState instanceof CryptoStream crypto)) {
      return Result.MORE;
    }
    int length = crypto.inOrder();
    Payload bytes = new Payload().wrap(crypto.bytes, 0, length);
    bytes.of(payload);
    if (length < 4) {
      return Result.MORE;
    }
    // T050 and later have TLS; Q050 has Google's ClientHello, encrypted.
    if (bytes.has(0, "CHLO")) {
      return plain(flow, bytes);
    }
    ClientHello hello = bytes.u8(0) == 1 ? ClientHello.read(bytes, 4, false) : null;
    if (hello == null) {
      return Result.MORE;
    }
    if (names.classify(flow, hello, "QUIC", Evidence.QUIC_SNI, bytes)) {
      return Result.DONE;
    }
    return hello.isWhole ? Result.DONE : Result.MORE;
  }

  private static int varintLength(Payload bytes, int at) {
    int first = bytes.u8(at);
    return first < 0 ? 1 : 1 << (first >>> 6);
  }

  private static long varint(Payload bytes, int at) {
    return switch (varintLength(bytes, at)) {
      case 1 -> bytes.u8(at);
      case 2 -> bytes.u16(at) < 0 ? -1 : bytes.u16(at) & 0x3FFF;
      case 4 -> bytes.u32(at) < 0 ? -1 : bytes.u32(at) & 0x3FFF_FFFFL;
      default ->
          bytes.u32(at + 4) < 0 ? -1 : (bytes.u32(at) & 0x3FFF_FFFFL) << 32 | bytes.u32(at + 4);
    };
  }
}

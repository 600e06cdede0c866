package io.millrace.wire.netflow;

import java.nio.ByteBuffer;

/** Messages written field by field, for cases that the encoder never writes. */
final class Messages {
  static final int UNIX = 1_700_000_000;
  static final int UPTIME = 1_000_000;

  private Messages() {}

  static byte[] v9(byte[]... sets) {
    ByteBuffer b = ByteBuffer.allocate(2000);
    b.putShort((short) 9).putShort((short) sets.length);
    b.putInt(UPTIME).putInt(UNIX).putInt(1).putInt(7);
    return all(b, sets);
  }

  static byte[] ipfix(int sequence, byte[]... sets) {
    return ipfixAt(UNIX, sequence, sets);
  }

  static byte[] ipfixAt(int unixSeconds, int sequence, byte[]... sets) {
    ByteBuffer b = ByteBuffer.allocate(2000);
    b.putShort((short) 10).putShort((short) 0).putInt(unixSeconds).putInt(sequence).putInt(7);
    byte[] bytes = all(b, sets);
    ByteBuffer.wrap(bytes).putShort(2, (short) bytes.length);
    return bytes;
  }

  private static byte[] all(ByteBuffer b, byte[]... sets) {
    for (byte[] set : sets) {
      b.put(set);
    }
    byte[] bytes = new byte[b.position()];
    b.flip().get(bytes);
    return bytes;
  }

  static byte[] set(int id, byte[] body) {
    byte[] bytes = new byte[4 + body.length];
    ByteBuffer b = ByteBuffer.wrap(bytes);
    b.putShort((short) id).putShort((short) (4 + body.length)).put(body);
    return bytes;
  }

  /** Numbers of 16 bits: templates. */
  static byte[] shorts(int... values) {
    byte[] bytes = new byte[2 * values.length];
    ByteBuffer b = ByteBuffer.wrap(bytes);
    for (int value : values) {
      b.putShort((short) value);
    }
    return bytes;
  }

  static byte[] bytes(int... values) {
    byte[] b = new byte[values.length];
    for (int i = 0; i < b.length; i++) {
      b[i] = (byte) values[i];
    }
    return b;
  }

  static void decode(NetflowDecoder decoder, byte[] message, long time, Rows to) {
    decoder.decode(message, 0, message.length, time, 0, 1, 9999, to.block, to.notes);
  }

  /** Collects rows and counts. */
  static final class Rows {
    final io.millrace.wire.block.FlowBlock block = new io.millrace.wire.block.FlowBlock(4);
    final Counting notes = new Counting();
  }
}

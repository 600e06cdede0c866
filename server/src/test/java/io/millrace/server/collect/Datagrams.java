package io.millrace.server.collect;

import io.millrace.wire.block.LedgerQuota;
import io.millrace.wire.export.DatagramHead;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Datagrams with valid headers and arbitrary bodies, which these tests do not decode. */
final class Datagrams {
  private Datagrams() {}

  static ByteBuffer sflow(int agent, int subAgent, int sequence, int length) {
    return sflow(agent, subAgent, sequence, 1_000_000 + sequence, length);
  }

  static ByteBuffer sflow(int agent, int subAgent, int sequence, int uptimeMillis, int length) {
    return ByteBuffer.allocate(length)
        .putInt(5)
        .putInt(1)
        .putInt(agent)
        .putInt(subAgent)
        .putInt(sequence)
        .putInt(uptimeMillis)
        .putInt(0)
        .position(0);
  }

  static ByteBuffer sflowFromIpv6(long high, long low, int sequence) {
    return ByteBuffer.allocate(40)
        .putInt(5)
        .putInt(2)
        .putLong(high)
        .putLong(low)
        .putInt(0)
        .putInt(sequence)
        .putInt(1)
        .putInt(0)
        .flip();
  }

  /** NetFlow version 5: the sequence number is the number of records sent before. */
  static ByteBuffer netflow5(int engine, int sequence, int records, int uptimeMillis) {
    return netflow5(engine, sequence, records, uptimeMillis, 0);
  }

  static ByteBuffer netflow5(
      int engine, int sequence, int records, int uptimeMillis, int exportSeconds) {
    return ByteBuffer.allocate(24 + 48 * records)
        .putShort((short) 5)
        .putShort((short) records)
        .putInt(uptimeMillis)
        .putInt(exportSeconds)
        .putInt(0)
        .putInt(sequence)
        .putShort((short) engine)
        .putShort((short) 0)
        .position(0);
  }

  /** NetFlow version 9: the sequence number counts datagrams. */
  static ByteBuffer netflow9(int sourceId, int sequence, int uptimeMillis) {
    return netflow9(sourceId, sequence, uptimeMillis, 0);
  }

  static ByteBuffer netflow9(int sourceId, int sequence, int uptimeMillis, int exportSeconds) {
    return ByteBuffer.allocate(100)
        .putShort((short) 9)
        .putShort((short) 1)
        .putInt(uptimeMillis)
        .putInt(exportSeconds)
        .putInt(sequence)
        .putInt(sourceId)
        .position(0);
  }

  /** IPFIX: the sequence number counts data records, which requires templates to check. */
  static ByteBuffer ipfix(int domain, int sequence, int exportSeconds) {
    return ByteBuffer.allocate(100)
        .putShort((short) 10)
        .putShort((short) 100)
        .putInt(exportSeconds)
        .putInt(sequence)
        .putInt(domain)
        .position(0);
  }

  static byte[] bytes(ByteBuffer datagram) {
    byte[] bytes = new byte[datagram.remaining()];
    datagram.get(datagram.position(), bytes);
    return bytes;
  }

  static DatagramHead head(ByteBuffer datagram) {
    DatagramHead head = new DatagramHead();
    byte[] bytes = bytes(datagram);
    head.read(bytes, 0, bytes.length);
    return head;
  }

  static ByteBuffer unknown() {
    return ByteBuffer.wrap("<13>syslog sent to the wrong port".getBytes(StandardCharsets.US_ASCII));
  }

  /** A ledger with a maximum number of exporters, without a limit per sender. */
  static CollectorLedger ledger(int exporters) {
    return new CollectorLedger(new LedgerQuota(exporters, exporters, Long.MAX_VALUE));
  }
}

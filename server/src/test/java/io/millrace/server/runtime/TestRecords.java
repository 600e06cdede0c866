package io.millrace.server.runtime;

import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * A NetFlow version 9 exporter that sends its template only on request. Its records are numbered:
 * the n-th has a source port of n mod 60,000.
 */
final class TestRecords implements AutoCloseable {
  static final int RECORDS = 4;

  private static final int TEMPLATE = 300;
  private static final int[][] FIELDS = {{8, 4}, {12, 4}, {4, 1}, {7, 2}, {11, 2}, {1, 4}, {2, 4}};
  private static final int RECORD_LENGTH = 21;

  private final DatagramChannel socket = DatagramChannel.open();
  private int sequence;
  private int records;

  TestRecords() throws IOException {
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  /** Datagrams sent so far. */
  int sent() {
    return sequence;
  }

  void sendTemplate(InetSocketAddress to) throws IOException {
    ByteBuffer datagram = begin();
    datagram.putShort((short) 0).putShort((short) (8 + 4 * FIELDS.length));
    datagram.putShort((short) TEMPLATE).putShort((short) FIELDS.length);
    for (int[] field : FIELDS) {
      datagram.putShort((short) field[0]).putShort((short) field[1]);
    }
    socket.send(datagram.flip(), to);
  }

  void send(InetSocketAddress to, int datagrams) throws IOException {
    for (int i = 0; i < datagrams; i++) {
      ByteBuffer datagram = begin();
      datagram.putShort((short) TEMPLATE).putShort((short) (4 + RECORDS * RECORD_LENGTH));
      for (int r = 0; r < RECORDS; r++, records++) {
        datagram.putInt((int) Addresses.v4Low(0x0808_0000 + records % 256)).putInt(0x0A00_0002);
        datagram.put((byte) 17).putShort((short) (records % 60_000)).putShort((short) 53);
        datagram.putInt(200 + records % 1_000).putInt(2);
      }
      socket.send(datagram.flip(), to);
    }
  }

  private ByteBuffer begin() {
    sequence++;
    ByteBuffer datagram = ByteBuffer.allocate(1_500);
    datagram.putShort((short) 9).putShort((short) RECORDS).putInt(10 * sequence);
    return datagram.putInt(1_700_000_000).putInt(sequence).putInt(77);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

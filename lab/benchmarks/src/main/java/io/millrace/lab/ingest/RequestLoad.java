package io.millrace.lab.ingest;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.GatewayRecords;
import io.millrace.wire.record.RecordEncoder;
import io.millrace.wire.record.RecordEncoding;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Many HTTP connections, each with one request in flight at all times. One thread with a selector
 * and prepared requests leaves most of the processor time to the server; Java's own client would
 * take most of it.
 */
final class RequestLoad {
  private static final RecordEncoder ENCODER = new RecordEncoder(GatewayRecords.SCHEMA);
  private static final int PREPARED = 4_096;
  private static final int ANSWER_BYTES = 4_096;
  private static final byte[] ACCEPTED = "HTTP/1.1 202".getBytes(StandardCharsets.US_ASCII);

  private final List<byte[]> requests = new ArrayList<>();
  private final int records;
  private final Selector selector = Selector.open();
  private long answers;
  private int turn;

  private final class Connection {
    final SocketChannel channel;
    final ByteBuffer answer = ByteBuffer.allocate(ANSWER_BYTES);
    ByteBuffer request;

    Connection(int port) throws IOException {
      channel = SocketChannel.open();
      channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ, this);
    }

    void ask() throws IOException {
      request = ByteBuffer.wrap(requests.get(turn++ % requests.size()));
      write();
    }

    void write() throws IOException {
      channel.write(request);
      boolean isWritten = !request.hasRemaining();
      channel
          .keyFor(selector)
          .interestOps(isWritten ? SelectionKey.OP_READ : SelectionKey.OP_WRITE);
    }

    /** Reads and returns whether the response is complete. */
    boolean read() throws IOException {
      if (channel.read(answer) < 0) {
        throw new IOException("the server closed a connection");
      }
      int end = end();
      if (end < 0) {
        return false;
      }
      for (int i = 0; i < ACCEPTED.length; i++) {
        if (answer.get(i) != ACCEPTED[i]) {
          throw new IOException(
              "not accepted: " + new String(answer.array(), 0, end, StandardCharsets.UTF_8));
        }
      }
      answer.clear();
      return true;
    }

    /** End of the response, by its Content-Length; negative if it is incomplete. */
    private int end() {
      byte[] bytes = answer.array();
      int filled = answer.position();
      int length = 0;
      for (int i = 0; i + 3 < filled; i++) {
        if (bytes[i] == '\n' && (bytes[i + 1] | 0x20) == 'c' && (bytes[i + 9] | 0x20) == 'l') {
          int at = i + "\nContent-Length: ".length();
          length = 0;
          while (at < filled && bytes[at] >= '0' && bytes[at] <= '9') {
            length = length * 10 + bytes[at++] - '0';
          }
        }
        if (bytes[i] == '\r' && bytes[i + 1] == '\n' && bytes[i + 2] == '\r') {
          int end = i + 4 + length;
          return end <= filled ? end : -1;
        }
      }
      return -1;
    }
  }

  /** Prepares requests with {@code records} records of the block each. */
  RequestLoad(TableBlock block, RecordEncoding encoding, int records) throws IOException {
    this.records = records;
    BlockBuffer body = new BlockBuffer(1 << 10);
    int row = 0;
    for (int i = 0; i < Math.max(16, PREPARED / records); i++) {
      body.clear();
      for (int j = 0; j < records; j++, row++) {
        if (encoding == RecordEncoding.AVRO) {
          ENCODER.singleObject(block, row % block.rows(), body);
        } else {
          ENCODER.json(block, row % block.rows(), body);
          body.putByte('\n');
        }
      }
      byte[] head =
          ("POST /ingest/gateways HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/"
                  + (encoding == RecordEncoding.AVRO ? "avro" : "json")
                  + "\r\nContent-Length: "
                  + body.length()
                  + "\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII);
      byte[] request = new byte[head.length + body.length()];
      System.arraycopy(head, 0, request, 0, head.length);
      System.arraycopy(body.bytes(), 0, request, head.length, body.length());
      requests.add(request);
    }
  }

  /** Sends for the given time and returns the number of acknowledged records. */
  long run(int port, int connections, double seconds) throws IOException {
    List<Connection> all = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      all.add(new Connection(port));
    }
    answers = 0;
    int open = connections;
    for (Connection connection : all) {
      connection.ask();
    }
    long end = System.nanoTime() + (long) (seconds * 1e9);
    while (open > 0) {
      selector.select();
      boolean isOver = System.nanoTime() > end;
      for (SelectionKey key : selector.selectedKeys()) {
        Connection connection = (Connection) key.attachment();
        if (key.isWritable()) {
          connection.write();
        } else if (connection.read()) {
          answers++;
          if (isOver) {
            connection.channel.close();
            open--;
          } else {
            connection.ask();
          }
        }
      }
      selector.selectedKeys().clear();
    }
    return answers * records;
  }
}

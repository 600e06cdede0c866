package io.millrace.lab.siege;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Many connections of one attacker, each with a pending or partial request, none of which it waits
 * for. Closed connections are replaced. Used by one thread.
 */
final class Crowd {
  private static final int READ_BYTES = 65_536;
  private static final long TURN_MILLIS = 20;

  private final int size;
  private final int readBytes;
  private final List<Connection> connections = new ArrayList<>();

  private final byte[] then;

  private record Connection(SocketChannel channel, ByteBuffer request, ByteBuffer then) {}

  /**
   * @param readBytes maximum bytes that a connection reads per turn of {@value #TURN_MILLIS} ms:
   *     few for a slow reader, 0 for none
   * @param then bytes that each connection sends after its request
   */
  Crowd(int size, int readBytes, byte[] then) {
    this.then = then;
    this.size = size;
    this.readBytes = readBytes;
  }

  /** Creates a crowd that reads responses as they arrive. */
  static Crowd ofReaders(int size) {
    return new Crowd(size, READ_BYTES, new byte[0]);
  }

  /**
   * Runs one turn: replaces closed connections, sends what the sockets accept, and reads.
   *
   * @param requests supplies the requests of new connections
   */
  void turn(Attacker from, int port, Supplier<byte[]> requests) throws IOException {
    while (connections.size() < size && !from.isOver()) {
      SocketChannel channel = from.connect(port);
      channel.configureBlocking(false);
      connections.add(
          new Connection(channel, ByteBuffer.wrap(requests.get()), ByteBuffer.wrap(then)));
    }
    ByteBuffer scratch = ByteBuffer.allocate(Math.max(1, readBytes));
    for (Connection connection : List.copyOf(connections)) {
      if (!isGoingOn(connection, scratch)) {
        connections.remove(connection);
        from.drop(connection.channel());
      }
    }
    from.rest(TURN_MILLIS);
  }

  private boolean isGoingOn(Connection connection, ByteBuffer scratch) {
    try {
      ByteBuffer[] unsent = {connection.request(), connection.then()};
      connection.channel().write(unsent);
      scratch.clear();
      return readBytes == 0 || connection.channel().read(scratch) >= 0;
    } catch (IOException e) {
      return false; // closed by the peer
    }
  }
}

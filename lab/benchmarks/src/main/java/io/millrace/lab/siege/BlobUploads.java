package io.millrace.lab.siege;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Uploads to TCP ports that are open beyond loopback, such as that of Flink's file server, through
 * the attacker's own address, which represents one of a network. A rejection is the expected
 * response.
 */
final class BlobUploads implements Attack {
  private static final byte PUT = 0;
  private static final byte OF_NO_JOB = 0;
  private static final byte TRANSIENT = 1;
  private static final int CHUNK_BYTES = 65_536;
  private static final long BLOB_BYTES = 16L << 20;

  /** Limit, to spare the machine that runs the benchmark. */
  private static final long MAX_BYTES = 512L << 20;

  private static final long REST_MILLIS = 200;

  private long sent;

  @Override
  public void strike(Attacker from) throws IOException {
    for (Proc.Listener listener : new Proc(from.target().pid()).listeners()) {
      if (listener.isOpen() && sent < MAX_BYTES) {
        upload(from, listener.port());
      }
    }
    from.rest(REST_MILLIS);
  }

  private void upload(Attacker from, int port) throws IOException {
    SocketChannel channel = from.connect(from.address(), port);
    ByteBuffer chunk = ByteBuffer.allocate(Integer.BYTES + CHUNK_BYTES);
    chunk.putInt(Integer.reverseBytes(CHUNK_BYTES));
    try {
      Socket socket = channel.socket();
      socket.getOutputStream().write(new byte[] {PUT, OF_NO_JOB, TRANSIENT});
      for (long bytes = 0; bytes < BLOB_BYTES && !from.isOver(); bytes += CHUNK_BYTES) {
        socket.getOutputStream().write(chunk.array());
        sent += CHUNK_BYTES;
      }
      socket.getOutputStream().write(new byte[] {-1, -1, -1, -1}); // end of the upload
      socket.getInputStream().read();
    } finally {
      from.drop(channel);
    }
  }
}

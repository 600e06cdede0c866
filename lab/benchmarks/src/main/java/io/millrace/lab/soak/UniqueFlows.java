package io.millrace.lab.soak;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An sFlow exporter whose samples each have a unique source address, so that missing and duplicate
 * rows show, whatever their position in the log. Sends at a steady rate on its own thread, unless
 * paused.
 */
final class UniqueFlows implements AutoCloseable {
  /** Samples in each datagram. */
  static final int SAMPLES = 7;

  private static final int AGENT = 0x0A00_0001;
  private static final int DESTINATION = 0xC000_0201;
  private static final int FRAME_BYTES = 42; // Ethernet, IPv4, UDP
  private static final int PADDED_BYTES = 44;
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final double datagramsPerSecond;
  private final Thread thread = new Thread(this::run, "unique-flows");
  private final ByteBuffer datagram = ByteBuffer.allocate(2_048);
  private DatagramChannel socket; // guarded by this, like the fields below
  private InetSocketAddress to;
  private boolean isPaused = true;
  private boolean isClosed;
  private int sequence;
  private int samples;

  /** Creates an exporter, paused. */
  UniqueFlows(double datagramsPerSecond) throws IOException {
    this.datagramsPerSecond = datagramsPerSecond;
    socket = DatagramChannel.open().setOption(StandardSocketOptions.SO_SNDBUF, 1 << 20);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    thread.setDaemon(true);
    thread.start();
  }

  /** Sends to this address from now on. */
  synchronized void to(InetSocketAddress collector) {
    to = collector;
    isPaused = false;
  }

  /** Pauses until the next {@link #to}. */
  synchronized void pause() {
    isPaused = true;
  }

  /** Datagrams sent so far. */
  synchronized long sent() {
    return Integer.toUnsignedLong(sequence);
  }

  private void run() {
    long from = System.nanoTime();
    long done = 0;
    while (true) {
      LockSupport.parkNanos(TICK_NANOS);
      long due = (long) ((System.nanoTime() - from) / 1e9 * datagramsPerSecond);
      for (; done < due; done++) {
        synchronized (this) {
          if (isClosed) {
            return;
          }
          if (!isPaused) {
            send();
          }
        }
      }
    }
  }

  private void send() {
    ByteBuffer out = datagram.clear();
    out.putInt(5).putInt(1).putInt(AGENT).putInt(0).putInt(++sequence).putInt(sequence * 4);
    out.putInt(SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
      int number = ++samples;
      out.putInt(1).putInt(8 * 4 + 8 + 16 + PADDED_BYTES);
      out.putInt(number).putInt(1).putInt(1_000).putInt(number * 1_000).putInt(0);
      out.putInt(1).putInt(2).putInt(1);
      out.putInt(1).putInt(16 + PADDED_BYTES);
      out.putInt(1).putInt(1_000).putInt(4).putInt(FRAME_BYTES);
      int frame = out.position();
      out.putLong(0x0200_0000_0001_0200L).putInt(0x0000_0002).putShort((short) 0x0800);
      out.putInt(0x4500_03DA).putInt(0).putInt(0x4011_0000).putInt(number).putInt(DESTINATION);
      out.putInt(0x04D2_01BB).putInt(0x03C6_0000);
      out.putShort((short) 0);
      if (out.position() - frame != PADDED_BYTES) {
        throw new IllegalStateException("a frame of " + (out.position() - frame) + " bytes");
      }
    }
    try {
      socket.send(out.flip(), to);
    } catch (IOException e) {
      // Nobody listens: the next sequence number shows the loss.
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      isClosed = true;
    }
    socket.close();
  }
}

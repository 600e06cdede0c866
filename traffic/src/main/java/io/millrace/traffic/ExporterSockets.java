package io.millrace.traffic;

import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * A UDP socket for each exporter, bound to the exporter's own loopback address, so that a collector
 * sees a separate sender for each switch. Linux routes all of 127/8 to itself; on other systems all
 * sockets send from 127.0.0.1 and only the agent addresses differ. Not thread-safe.
 */
public final class ExporterSockets implements Wire, Closeable {
  private static final int SEND_BUFFER_BYTES = 4 << 20;

  private final DatagramChannel[] channels;
  private final InetAddress[] addresses;
  private ByteBuffer buffer = ByteBuffer.allocateDirect(2048);

  /**
   * Opens the sockets.
   *
   * @param source source with the exporters and their addresses
   * @param collector destination
   */
  public ExporterSockets(DatagramSource source, InetSocketAddress collector) throws IOException {
    channels = new DatagramChannel[source.exporters()];
    addresses = new InetAddress[channels.length];
    try {
      for (int i = 0; i < channels.length; i++) {
        channels[i] = open(source.exporterAddress(i), collector);
        addresses[i] = ((InetSocketAddress) channels[i].getLocalAddress()).getAddress();
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private static DatagramChannel open(int address, InetSocketAddress collector) throws IOException {
    DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);
    try {
      channel.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER_BYTES);
      if (collector.getAddress().isLoopbackAddress()) {
        bind(channel, address);
      }
      channel.connect(collector);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static void bind(DatagramChannel channel, int address) throws IOException {
    try {
      channel.bind(new InetSocketAddress(inet(address), 0));
    } catch (BindException e) {
      channel.bind(new InetSocketAddress(inet(0x7F00_0001), 0)); // no such loopback address here
    }
  }

  private static InetAddress inet(int address) throws IOException {
    return InetAddress.getByAddress(
        new byte[] {
          (byte) (address >>> 24), (byte) (address >>> 16), (byte) (address >>> 8), (byte) address
        });
  }

  /** Actual sender address of an exporter. */
  public InetAddress address(int exporter) {
    return addresses[exporter];
  }

  /**
   * Blocks while the socket's buffer is full. Without a listener the datagram is lost without an
   * error, as on a network.
   */
  @Override
  public void send(int exporter, byte[] bytes, int offset, int length) throws IOException {
    if (buffer.capacity() < length) {
      buffer = ByteBuffer.allocateDirect(length * 2);
    }
    buffer.clear();
    buffer.put(bytes, offset, length).flip();
    try {
      channels[exporter].write(buffer);
    } catch (SocketException e) {
      // ICMP "port unreachable" for an earlier datagram is reported here once; retry this datagram.
      buffer.rewind();
      channels[exporter].write(buffer);
    }
  }

  @Override
  public void close() throws IOException {
    for (DatagramChannel channel : channels) {
      if (channel != null) {
        channel.close();
      }
    }
  }
}

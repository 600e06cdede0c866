package io.millrace.cli.capture;

import io.millrace.cli.console.Progress;
import io.millrace.traffic.SendClock;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.export.DatagramHead;
import io.millrace.wire.pcap.CaptureReader;
import io.millrace.wire.pcap.DatagramExtractor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Sends datagrams at absolute times, so that a late one does not delay the next. Used by one
 * thread.
 */
final class CaptureSender {
  private record Origin(long high, long low, int port) {}

  private final InetSocketAddress collector;
  private final double speed;
  private final SendClock clock;
  private final DatagramHead head = new DatagramHead();
  private final Map<Origin, DatagramChannel> sockets = new HashMap<>();
  private long firstMicros = Long.MIN_VALUE;
  private long startNanos;
  private long datagrams;
  private long bytesSent;
  private long skipped;

  /** {@code speed} is a multiple of the capture's pace; infinite for no pacing. */
  CaptureSender(InetSocketAddress collector, double speed) {
    this(collector, speed, SendClock.SYSTEM);
  }

  CaptureSender(InetSocketAddress collector, double speed, SendClock clock) {
    this.collector = collector;
    this.speed = speed;
    this.clock = clock;
  }

  void send(Path file, Progress progress) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      CaptureReader capture = CaptureReader.open(in);
      long size = Files.size(file);
      long bytesRead = 0;
      DatagramExtractor extractor = new DatagramExtractor(this::datagram);
      while (capture.next()) {
        extractor.packet(capture);
        bytesRead += capture.length();
        progress.update(datagrams, bytesRead, size);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } finally {
      for (DatagramChannel socket : sockets.values()) {
        socket.close();
      }
    }
  }

  private void datagram(
      long time,
      long high,
      long low,
      int port,
      int toPort,
      byte[] bytes,
      int offset,
      int length,
      boolean truncated) {
    if (head.read(bytes, offset, length) == ExportProtocol.UNKNOWN) {
      return;
    }
    if (truncated) {
      skipped++;
      return;
    }
    await(time);
    try {
      Origin origin = new Origin(high, low, port);
      DatagramChannel socket = sockets.get(origin);
      if (socket == null) {
        socket = open(high, low);
        sockets.put(origin, socket);
      }
      bytesSent += socket.send(ByteBuffer.wrap(bytes, offset, length), collector);
      datagrams++;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void await(long micros) {
    if (firstMicros == Long.MIN_VALUE) {
      firstMicros = micros;
      startNanos = clock.nanoTime();
    }
    long due = startNanos + (long) ((micros - firstMicros) * 1_000L / speed);
    for (long left = due - clock.nanoTime(); left > 0; left = due - clock.nanoTime()) {
      clock.sleepNanos(left);
    }
  }

  /**
   * Opens a socket; for a local collector it is bound to a loopback address that identifies the
   * exporter.
   */
  private DatagramChannel open(long high, long low) throws IOException {
    DatagramChannel socket = DatagramChannel.open();
    boolean loopback4 =
        collector.getAddress().isLoopbackAddress()
            && collector.getAddress().getAddress().length == 4;
    if (loopback4 && Addresses.isV4(high, low)) {
      byte[] local = {127, (byte) (low >>> 16), (byte) (low >>> 8), (byte) low};
      try {
        return socket.bind(new InetSocketAddress(InetAddress.getByAddress(local), 0));
      } catch (IOException e) {
        // some systems do not route all of 127.0.0.0/8 to loopback: use any address
        socket.close();
        socket = DatagramChannel.open();
      }
    }
    return socket.bind(null);
  }

  long datagrams() {
    return datagrams;
  }

  long bytes() {
    return bytesSent;
  }

  long skipped() {
    return skipped;
  }

  int exporters() {
    return sockets.size();
  }
}

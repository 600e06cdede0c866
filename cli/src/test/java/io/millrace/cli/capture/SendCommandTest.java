package io.millrace.cli.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineRun;
import io.millrace.cli.console.Progress;
import io.millrace.traffic.SendClock;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.pcap.CaptureWriter;
import io.millrace.wire.sflow.SflowEncoder;
import java.io.IOException;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sends captures to a local socket; few datagrams, so that none is lost. */
class SendCommandTest {
  private static final int DATAGRAMS = 24;
  private static final int EXPORTERS = 3;
  private static final int PATIENCE_MILLIS = 10_000;
  private static final long TIME = 1_700_000_000_000_000L;
  private static final int EXPORTER = 0xC0000201; // 192.0.2.1, and the next ones

  @TempDir Path directory;
  private final List<byte[]> payloads = new ArrayList<>();
  private DatagramSocket collector;

  @BeforeEach
  void listen() throws IOException {
    collector = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    collector.setSoTimeout(PATIENCE_MILLIS);
  }

  @AfterEach
  void close() {
    collector.close();
  }

  private String to() {
    return "127.0.0.1:" + collector.getLocalPort();
  }

  /**
   * Writes a capture of export datagrams with other packets in between; times in µs after the
   * first.
   */
  private Path capture(long... micros) throws IOException {
    Path file = directory.resolve("own.pcap");
    SflowEncoder sflow = new SflowEncoder(4_096);
    try (OutputStream out = Files.newOutputStream(file)) {
      CaptureWriter writer = new CaptureWriter(out, CaptureWriter.ETHERNET_MTU);
      for (int i = 0; i < micros.length; i++) {
        int exporter = i % EXPORTERS;
        sflow.begin(0, Addresses.v4Low(EXPORTER + exporter), 0, i, i);
        for (int s = 0; s <= i; s++) { // the longest are in fragments
          sflow.flowSample(s, 0, 3, 512, 512, 0, 3, 0, 4);
          sflow.sampledIpv4(90, 17, 1, 2, 53, 40_000, 0, 0);
        }
        payloads.add(sflow.toBytes());
        write(writer, TIME + micros[i], exporter, sflow.bytes(), sflow.length());
        byte[] other = "no export".getBytes(StandardCharsets.US_ASCII);
        write(writer, TIME + micros[i], exporter, other, other.length);
      }
    }
    return file;
  }

  private static void write(CaptureWriter out, long time, int exporter, byte[] bytes, int length)
      throws IOException {
    long source = Addresses.v4Low(EXPORTER + exporter);
    out.datagram(time, 0, source, 6_343, 0, Addresses.v4Low(0xC0000264), 6_343, bytes, 0, length);
  }

  private record ReceivedDatagram(SocketAddress from, ByteBuffer payload) {}

  private List<ReceivedDatagram> receive(int count) throws IOException {
    List<ReceivedDatagram> received = new ArrayList<>();
    byte[] buffer = new byte[1 << 16];
    while (received.size() < count) {
      DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
      collector.receive(packet);
      received.add(
          new ReceivedDatagram(
              packet.getSocketAddress(),
              ByteBuffer.wrap(Arrays.copyOf(buffer, packet.getLength()))));
    }
    return received;
  }

  @Test
  void sendsPayloadsUnchangedInOrderFromASocketPerExporter() throws IOException {
    Path file = capture(new long[DATAGRAMS]);
    CommandLineRun run = CommandLineRun.of("send", file.toString(), "--to", to(), "--speed", "max");
    assertThat(run.status()).as(run.err()).isZero();
    List<ReceivedDatagram> received = receive(DATAGRAMS);
    assertThat(received)
        .extracting(ReceivedDatagram::payload)
        .containsExactlyElementsOf(payloads.stream().map(ByteBuffer::wrap).toList());
    Set<SocketAddress> senders = new HashSet<>();
    for (int i = 0; i < DATAGRAMS; i++) {
      senders.add(received.get(i).from());
      assertThat(received.get(i).from()).isEqualTo(received.get(i % EXPORTERS).from());
    }
    assertThat(senders).hasSize(EXPORTERS);
    long bytes = payloads.stream().mapToLong(payload -> payload.length).sum();
    assertThat(run.err())
        .isEqualTo(
            "millrace: sent 24 datagrams (" + bytes + " bytes) of 3 exporters to " + to() + "\n");
  }

  @Test
  void truncatedDatagramsAreReportedAndNotSent() throws IOException {
    byte[] whole = Files.readAllBytes(capture(0));
    int record = 24 + 16; // the capture's header and the record's
    int cut = 8;
    ByteBuffer header = ByteBuffer.wrap(whole).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    int captured = header.getInt(24 + 8);
    header.putInt(24 + 8, captured - cut);
    byte[] snapped = new byte[whole.length - cut];
    System.arraycopy(whole, 0, snapped, 0, record + captured - cut);
    System.arraycopy(
        whole,
        record + captured,
        snapped,
        record + captured - cut,
        whole.length - record - captured);
    Path file = Files.write(directory.resolve("snapped.pcap"), snapped);
    CommandLineRun run = CommandLineRun.of("send", file.toString(), "--to", to(), "--speed", "max");
    assertThat(run.status()).isZero();
    assertThat(run.err().lines())
        .containsExactly(
            "millrace: sent 0 datagrams (0 bytes) of 0 exporters to " + to(),
            "millrace: 1 datagrams truncated in the capture were not sent");
  }

  @Test
  void reportsCapturesWithoutExportsAndDirectories() throws IOException {
    Path empty = capture();
    CommandLineRun run = CommandLineRun.of("send", empty.toString(), "--to", to());
    assertThat(run.err())
        .contains(empty + " holds no sFlow, NetFlow or IPFIX datagrams; use millrace decode");
    CommandLineRun folder = CommandLineRun.of("send", directory.toString(), "--to", to());
    assertThat(folder.status()).isNotZero();
    assertThat(folder.err()).startsWith("millrace: " + directory + ": ");
  }

  /** Clock that advances on request and in waits, which end too early. */
  private static final class FakeClock implements SendClock {
    private long now = 7_000_000_000L;
    private final List<Long> dues = new ArrayList<>();
    private long holdUpAt = Long.MAX_VALUE;

    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public void sleepNanos(long nanos) {
      long due = now + nanos - 7_000_000_000L;
      if (dues.isEmpty() || dues.get(dues.size() - 1) != due) {
        dues.add(due);
      }
      now += nanos / 2 + 1;
      if (due == holdUpAt) {
        now += 25_000_000;
      }
    }
  }

  private void send(Path file, double speed, FakeClock clock) throws IOException {
    InetSocketAddress to = (InetSocketAddress) collector.getLocalSocketAddress();
    CaptureSender sender = new CaptureSender(to, speed, clock);
    try (Progress progress = new Progress("test")) {
      sender.send(file, progress);
    }
    assertThat(sender.datagrams()).isEqualTo(receive(payloads.size()).size());
  }

  @Test
  void waitsForEachDatagramsTimeInTheCapture() throws IOException {
    FakeClock clock = new FakeClock();
    send(capture(0, 10_000, 10_000, 30_000), 1, clock);
    assertThat(clock.dues).containsExactly(10_000_000L, 30_000_000L);
  }

  @Test
  void speedShortensEveryWait() throws IOException {
    FakeClock clock = new FakeClock();
    send(capture(0, 10_000, 30_000), 4, clock);
    assertThat(clock.dues).containsExactly(2_500_000L, 7_500_000L);
  }

  @Test
  void aLateDatagramDoesNotDelayTheNext() throws IOException {
    FakeClock clock = new FakeClock();
    clock.holdUpAt = 10_000_000;
    send(capture(0, 10_000, 20_000, 30_000, 50_000), 1, clock);
    assertThat(clock.dues).as("20 ms were over").containsExactly(10_000_000L, 50_000_000L);
  }

  @Test
  void datagramsWithEarlierTimesAreSentImmediately() throws IOException {
    FakeClock clock = new FakeClock();
    send(capture(0, 10_000, 4_000, 20_000), 1, clock);
    assertThat(clock.dues).containsExactly(10_000_000L, 20_000_000L);
  }

  @Test
  void maxSpeedDoesNotWait() throws IOException {
    FakeClock clock = new FakeClock();
    send(capture(0, 10_000, 3_600_000_000L), Double.POSITIVE_INFINITY, clock);
    assertThat(clock.dues).isEmpty();
  }
}

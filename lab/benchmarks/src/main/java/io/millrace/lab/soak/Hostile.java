package io.millrace.lab.soak;

import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.netflow.ExportTemplate;
import io.millrace.wire.netflow.NetflowEncoder;
import io.millrace.wire.pcap.CaptureReader;
import io.millrace.wire.pcap.DatagramExtractor;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Hostile senders: one address sends broken datagrams of all kinds, another sends templates, each
 * with a different layout. Both count what they send. Used by one thread.
 */
final class Hostile implements AutoCloseable {
  static final String BREAKER = "127.0.9.1";
  static final String TEMPLATES = "127.0.9.2";

  private static final int LONGEST = 1_400;
  static final int TEMPLATE_DOMAINS = 4;
  private static final int FIRST_TEMPLATE = 256;
  private static final List<FlowColumn> COLUMNS =
      List.of(
          FlowColumn.SRC_ADDR,
          FlowColumn.DST_ADDR,
          FlowColumn.SRC_PORT,
          FlowColumn.DST_PORT,
          FlowColumn.PROTO,
          FlowColumn.BYTES,
          FlowColumn.PACKETS);

  private final SplittableRandom random;
  private final List<byte[]> seeds;
  private final DatagramChannel breaker;
  private final DatagramChannel flooder;
  private final NetflowEncoder[] encoders = new NetflowEncoder[TEMPLATE_DOMAINS];
  private final long startNanos = System.nanoTime();
  private long broken;
  private long templates;

  /**
   * @param captures folder of captures whose datagrams are sent unchanged and mutated; may be
   *     missing
   */
  Hostile(InetSocketAddress collector, long seed, Path captures) throws IOException {
    random = new SplittableRandom(seed);
    Arrays.setAll(encoders, domain -> new NetflowEncoder(9, 2_048)); // own sequence numbers each
    seeds = new ArrayList<>(datagrams(captures));
    breaker = open(BREAKER, collector);
    flooder = open(TEMPLATES, collector);
    seeds.add(template(0).clone());
  }

  private static DatagramChannel open(String address, InetSocketAddress to) throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    channel.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
    return channel.connect(to);
  }

  private static List<byte[]> datagrams(Path folder) throws IOException {
    List<byte[]> datagrams = new ArrayList<>();
    if (!Files.isDirectory(folder)) {
      return datagrams;
    }
    DatagramExtractor extractor =
        new DatagramExtractor(
            (time, high, low, port, toPort, bytes, offset, length, truncated) ->
                datagrams.add(
                    Arrays.copyOfRange(bytes, offset, offset + Math.min(length, LONGEST))));
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().contains(".pcap")).sorted().toList()) {
        readAll(file, extractor);
      }
    }
    return datagrams;
  }

  /** Reads the packets before the first error; returns whether there was none. */
  private static boolean readAll(Path file, DatagramExtractor to) {
    try (InputStream in = Files.newInputStream(file)) {
      CaptureReader capture = CaptureReader.open(in);
      while (capture.next()) {
        to.packet(capture);
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Sends datagrams that are unchanged, truncated, modified, or noise. */
  void breakRules(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      byte[] bytes = seeds.get(random.nextInt(seeds.size())).clone();
      switch (random.nextInt(4)) {
        case 0 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
        case 1 -> {
          for (int n = random.nextInt(1, 9); n > 0 && bytes.length > 0; n--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
          }
        }
        case 2 -> {
          bytes = new byte[random.nextInt(LONGEST)];
          random.nextBytes(bytes);
        }
        default -> {} // as it was captured
      }
      send(breaker, ByteBuffer.wrap(bytes));
      broken++;
    }
  }

  /** Sends datagrams with one template each, of random id and layout. */
  void sendTemplates(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      send(flooder, ByteBuffer.wrap(template(i % TEMPLATE_DOMAINS)));
      templates++;
    }
  }

  private byte[] template(int domain) {
    List<FlowColumn> columns = new ArrayList<>(COLUMNS);
    for (int n = random.nextInt(COLUMNS.size()); n > 0; n--) {
      columns.remove(random.nextInt(columns.size()));
    }
    NetflowEncoder encoder = encoders[domain];
    encoder.begin(
        domain,
        System.currentTimeMillis() * 1_000,
        (int) ((System.nanoTime() - startNanos) / 1_000_000));
    encoder.template(ExportTemplate.of(9, random.nextInt(FIRST_TEMPLATE, 1 << 16), false, columns));
    encoder.finish();
    return encoder.toBytes();
  }

  private static void send(DatagramChannel channel, ByteBuffer datagram) throws IOException {
    try {
      channel.write(datagram);
    } catch (SocketException e) {
      datagram.rewind();
      channel.write(datagram); // the error was of an earlier datagram
    }
  }

  /** Broken datagrams sent. */
  long broken() {
    return broken;
  }

  /** Datagrams with templates sent. */
  long templates() {
    return templates;
  }

  @Override
  public void close() throws IOException {
    breaker.close();
    flooder.close();
  }
}

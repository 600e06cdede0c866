package io.millrace.wire.pcap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/** Captures in the repository, with their expected content. */
class GoldenCapturesTest {
  private static final long TIME = 1_700_000_000_000_000L;

  /** Rewrites the captures and their expected content; argument: the resources directory. */
  public static void main(String[] args) throws IOException {
    for (Map.Entry<String, byte[]> capture : captures().entrySet()) {
      Files.write(Path.of(args[0], capture.getKey()), capture.getValue());
      Files.writeString(Path.of(args[0], expectedName(capture.getKey())), read(capture.getValue()));
    }
  }

  private static String expectedName(String capture) {
    return capture.replaceFirst("\\.pcap(ng)?$", ".expected.tsv");
  }

  private static Map<String, byte[]> captures() throws IOException {
    Map<String, byte[]> captures = new TreeMap<>();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    CaptureWriter writer = new CaptureWriter(out, CaptureWriter.ETHERNET_MTU);
    for (int i = 0; i < 3; i++) {
      Datagrams.write(writer, TIME + i, false, Datagrams.payload(100 * i, new Random(i)));
      Datagrams.write(writer, TIME + i, true, Datagrams.payload(100 * i, new Random(i)));
    }
    captures.put("ethernet-ipv4-ipv6.pcap", out.toByteArray());

    out = new ByteArrayOutputStream();
    writer = new CaptureWriter(out, CaptureWriter.ETHERNET_MTU);
    Datagrams.write(writer, TIME, false, Datagrams.payload(4000, new Random(1)));
    Datagrams.write(writer, TIME + 1, true, Datagrams.payload(4000, new Random(2)));
    captures.put("fragments-ipv4-ipv6.pcap", out.toByteArray());

    List<byte[]> frames = Datagrams.frames(false, Datagrams.payload(50, new Random(3)));
    byte[] frame = frames.get(0);
    byte[] raw = Arrays.copyOfRange(frame, 14, frame.length);
    captures.put(
        "nanoseconds-big-endian-raw-ip.pcap",
        CaptureBytes.pcap(ByteOrder.BIG_ENDIAN, 0xA1B23C4D, 101)
            .record(1_700_000_000, 123_456_789, raw.length, raw)
            .toBytes());
    captures.put(
        "two-sections-both-byte-orders.pcapng",
        CaptureBytes.pcapng(ByteOrder.BIG_ENDIAN)
            .iface(101, 0, new byte[] {9, 9})
            .enhanced(0, TIME * 1000 + 1999, raw.length, raw)
            .section(ByteOrder.LITTLE_ENDIAN)
            .iface(1, 0)
            .enhanced(0, TIME, frame.length + 10, frame)
            .simple(frame.length, frame)
            .obsolete(0, TIME + 5, frame)
            .unknown()
            .toBytes());
    return captures;
  }

  private static String read(byte[] bytes) throws IOException {
    StringBuilder text = new StringBuilder("what\ttime\tfrom\tlength\tcontent\n");
    DatagramExtractor extractor =
        new DatagramExtractor(
            (time, high, low, source, destination, payload, offset, length, cut) -> {
              CRC32 crc = new CRC32();
              crc.update(payload, offset, length);
              text.append(
                  "datagram\t%d\t%s %d>%d\t%d\t%08x%n"
                      .formatted(
                          time,
                          Addresses.toText(high, low),
                          source,
                          destination,
                          length,
                          crc.getValue()));
            });
    CaptureReader capture = CaptureReader.open(new ByteArrayInputStream(bytes));
    while (capture.next()) {
      text.append(
          "packet %d\t%d\t%s\t%d\tof %d%n"
              .formatted(
                  capture.frame(),
                  capture.timeMicros(),
                  capture.linkType(),
                  capture.length(),
                  capture.wireLength()));
      extractor.packet(capture);
    }
    return text.toString();
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = GoldenCapturesTest.class.getResourceAsStream(name)) {
      assertThat(in).as(name).isNotNull();
      return in.readAllBytes();
    }
  }

  @Test
  void readsWhatIsExpected() throws IOException {
    for (String name : captures().keySet()) {
      String expected = new String(resource(expectedName(name)), StandardCharsets.UTF_8);
      assertThat(read(resource(name))).as(name).isEqualToNormalizingNewlines(expected);
    }
  }

  @Test
  void writesTheSameBytesAsEver() throws IOException {
    for (Map.Entry<String, byte[]> capture : captures().entrySet()) {
      assertThat(capture.getValue()).as(capture.getKey()).isEqualTo(resource(capture.getKey()));
    }
  }
}

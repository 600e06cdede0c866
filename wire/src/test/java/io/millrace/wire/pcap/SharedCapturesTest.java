package io.millrace.wire.pcap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.packet.LinkType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares third-party captures with the output of tshark. */
class SharedCapturesTest {
  /** tshark's numbers of link types. */
  private static final Map<String, LinkType> ENCAPSULATIONS =
      Map.ofEntries(
          Map.entry("1", LinkType.ETHERNET),
          Map.entry("4", LinkType.PPP),
          Map.entry("7", LinkType.RAW_IP),
          Map.entry("15", LinkType.NULL),
          Map.entry("25", LinkType.LINUX_SLL),
          Map.entry("28", LinkType.CISCO_HDLC),
          Map.entry("20", LinkType.WIFI),
          Map.entry("23", LinkType.RADIOTAP),
          Map.entry("129", LinkType.IPV4),
          Map.entry("130", LinkType.IPV6),
          Map.entry("210", LinkType.LINUX_SLL2));

  private record Oracle(Path capture, String comment, List<Map<String, String>> rows) {}

  private static List<Oracle> oracles(String kind) throws IOException {
    Path folder = Path.of(System.getProperty("millrace.shared", "absent"), "captures", kind);
    Assumptions.assumeTrue(Files.isDirectory(folder), "no shared captures at " + folder);
    List<Oracle> oracles = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path capture :
          files.filter(f -> f.toString().matches(".*\\.pcap(ng)?")).sorted().toList()) {
        Path oracle = Path.of(capture.toString().replaceFirst("\\.pcap(ng)?$", ".oracle.tsv"));
        if (Files.exists(oracle)) {
          oracles.add(read(capture, oracle));
        }
      }
    }
    assertThat(oracles).isNotEmpty();
    return oracles;
  }

  private static Oracle read(Path capture, Path oracle) throws IOException {
    StringBuilder comment = new StringBuilder();
    List<Map<String, String>> rows = new ArrayList<>();
    String[] names = null;
    for (String line : Files.readAllLines(oracle)) {
      if (line.startsWith("# ")) {
        comment.append(line);
        continue;
      }
      String[] fields = line.split("\t", -1);
      if (names == null) {
        names = fields;
        continue;
      }
      Map<String, String> row = new HashMap<>();
      for (int i = 0; i < Math.min(names.length, fields.length); i++) {
        row.put(names[i], fields[i]);
      }
      rows.add(row);
    }
    return new Oracle(capture, comment.toString(), rows);
  }

  @ParameterizedTest
  @ValueSource(strings = {"formats", "malformed"})
  void givesThePacketsThatTsharkGives(String kind) throws IOException {
    for (Oracle oracle : oracles(kind)) {
      if (!oracle.comment.contains("per-packet table")
          || (oracle.comment.contains("that TShark doesn't support") && oracle.rows.isEmpty())) {
        continue;
      }
      List<Map<String, String>> rows =
          oracle.rows.stream().filter(row -> !row.get("encap_type").isEmpty()).toList();
      // At damage, tshark guesses dialects of pcap, so a difference of one packet is accepted.
      boolean expectDamage =
          oracle.comment.matches("(?s).*(cut short|damaged or corrupt|SHB version).*");
      boolean damaged = false;
      int next = 0;
      try (InputStream file = Files.newInputStream(oracle.capture)) {
        CaptureReader capture = CaptureReader.open(file);
        while (capture.next()) {
          if (next < rows.size()) {
            assertPacket(capture, rows.get(next), oracle.capture);
          }
          next++;
        }
      } catch (CaptureException e) {
        damaged = true;
      }
      int guessed = expectDamage ? 1 : 0;
      assertThat(next)
          .as("%s", oracle.capture)
          .isBetween(rows.size() - guessed, rows.size() + guessed);
      assertThat(damaged).as("%s: %s", oracle.capture, oracle.comment).isEqualTo(expectDamage);
    }
  }

  private static void assertPacket(CaptureReader capture, Map<String, String> row, Path path) {
    String at = path + " frame " + row.get("frame");
    if (capture.linkType() == LinkType.UNKNOWN) {
      return; // tshark removes the pseudo header of some
    }
    assertThat(capture.length()).as(at).isEqualTo(Integer.parseInt(row.get("cap_len")));
    long wireLength =
        Math.min(capture.wireLength(), Integer.MAX_VALUE); // tshark prints no larger number
    assertThat(wireLength).as(at).isEqualTo(Long.parseLong(row.get("wire_len")));
    LinkType type = ENCAPSULATIONS.getOrDefault(row.get("encap_type"), LinkType.UNKNOWN);
    assertThat(capture.linkType() == LinkType.LOOP ? LinkType.NULL : capture.linkType())
        .as(at)
        .isEqualTo(type);
    String time = row.get("time_epoch");
    // Only in broken captures: tshark takes fractions of more than a second for negative.
    if (!time.isEmpty() && path.toString().contains("formats")) {
      int point = time.indexOf('.');
      String micros = time.substring(0, point) + time.substring(point + 1, point + 7);
      assertThat(capture.timeMicros()).as(at).isEqualTo(Long.parseLong(micros));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = "encap")
  void findsTheDatagramsThatTsharkFinds(String kind) throws IOException {
    int compared = 0;
    for (Oracle oracle : oracles(kind)) {
      TreeSet<Long> expected = new TreeSet<>();
      for (Map<String, String> row : oracle.rows) {
        // Packets quoted by ICMP or carried in tunnels follow "udp", or have none.
        if (row.get("protocols")
            .matches(
                "((eth|sll|null|raw|ethertype|vlan|mpls|pppoes|ppp|chdlc|ppi|radiotap|wlan_radio|wlan|llc|nsh):)*ip(v6)?(:ipv6\\.(fraghdr|hopopts|dstopts|routing))*:udp(:.*)?")) {
          expected.add(Long.parseLong(row.get("frame")));
        }
      }
      TreeSet<Long> found = new TreeSet<>();
      long[] frame = new long[1];
      DatagramExtractor extractor =
          new DatagramExtractor(
              (time, high, low, source, destination, bytes, offset, length, cut) ->
                  found.add(frame[0]));
      try (InputStream file = Files.newInputStream(oracle.capture)) {
        CaptureReader capture = CaptureReader.open(file);
        while (capture.next()) {
          frame[0] = capture.frame();
          extractor.packet(capture);
        }
        assertThat(Datagrams.counted(extractor)).isEqualTo(capture.frame());
      }
      assertThat(found).as("%s", oracle.capture).isEqualTo(expected);
      compared += expected.size();
    }
    assertThat(compared).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = "sflow")
  void findsTheDatagramsOfEachExporter(String kind) throws IOException {
    for (Oracle oracle : oracles(kind)) {
      TreeSet<String> expected = new TreeSet<>();
      for (Map<String, String> row : oracle.rows) {
        expected.add(row.get("frame") + " " + row.get("exporter"));
      }
      TreeSet<String> found = new TreeSet<>();
      long[] frame = new long[1];
      DatagramExtractor extractor =
          new DatagramExtractor(
              (time, high, low, source, destination, bytes, offset, length, cut) ->
                  found.add(frame[0] + " " + Addresses.toText(high, low)));
      try (InputStream file = Files.newInputStream(oracle.capture)) {
        CaptureReader capture = CaptureReader.open(file);
        while (capture.next()) {
          frame[0] = capture.frame();
          extractor.packet(capture);
        }
      }
      assertThat(found).as("%s", oracle.capture).containsAll(expected);
    }
  }
}

package io.millrace.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.traffic.model.NamedAddress;
import io.millrace.traffic.model.NetworkCsv;
import io.millrace.traffic.model.NetworkRange;
import io.millrace.traffic.model.RangeAddressPool;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.Addresses;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoDataTest {
  @Test
  void networksAreSortedAndDoNotOverlap() throws IOException {
    List<NetworkRange> ranges = DemoData.networks();
    Set<Long> numbers = new HashSet<>();
    Set<Long> numbersV6 = new HashSet<>();
    for (int i = 0; i < ranges.size(); i++) {
      NetworkRange range = ranges.get(i);
      numbers.add(range.asNumber());
      if (range.isV6()) {
        numbersV6.add(range.asNumber());
      }
      assertThat(range.name()).isNotBlank();
      if (i > 0 && ranges.get(i - 1).isV6() == range.isV6()) {
        NetworkRange before = ranges.get(i - 1);
        assertThat(
                NetworkRange.compare(
                    before.lastHigh(), before.lastLow(), range.firstHigh(), range.firstLow()))
            .as("%s in front of %s", before, range)
            .isNegative();
      }
    }
    assertThat(numbers).hasSizeGreaterThanOrEqualTo(100);
    assertThat(numbersV6).hasSizeGreaterThanOrEqualTo(80);
  }

  @Test
  void allInterfacesOfTheGeneratedTrafficAreDeclared(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("interfaces.csv");
    DemoData.writeInterfaces(file);
    Set<String> declared = new HashSet<>();
    for (String line : Files.readAllLines(file)) {
      String[] fields = line.split(",", -1);
      declared.add(fields[0] + ' ' + fields[1]);
    }
    TrafficGenerator generator =
        new TrafficGenerator(TrafficConfig.defaults(1, 0), DemoData.pool());
    ExportDatagram datagram = new ExportDatagram();
    for (int i = 0; i < 1_000; i++) {
      generator.next(datagram);
      String exporter =
          Addresses.toText(0, Addresses.v4Low(generator.exporterAddress(datagram.exporter)));
      for (int row = datagram.firstSample; row < datagram.firstSample + datagram.samples; row++) {
        assertThat(declared)
            .contains(
                exporter + ' ' + datagram.truth.inIf[row],
                exporter + ' ' + datagram.truth.outIf[row]);
      }
    }
  }

  @Test
  void namesLieInTheNetworksAndAreHostNames() throws IOException {
    List<NetworkRange> ranges = DemoData.networks();
    List<NamedAddress> names = DemoData.names(ranges);
    assertThat(names).hasSizeBetween(10_000, 12_100);
    assertThat(new RangeAddressPool(ranges, names).namesOutside()).isZero();
    assertThat(names)
        .allSatisfy(name -> assertThat(name.name()).matches("[a-z0-9-]+(\\.[a-z0-9-]+)+"));
    assertThat(DemoData.names(ranges)).isEqualTo(names);
  }

  @Test
  void filesAreReadBackAsTheyWere(@TempDir Path folder) throws IOException {
    DemoData.write(folder);
    DemoData.write(folder);
    List<NetworkRange> ranges = DemoData.networks();
    assertThat(NetworkCsv.readRanges(folder.resolve("networks.csv"))).isEqualTo(ranges);
    try (InputStream in = Files.newInputStream(folder.resolve("names.csv"))) {
      assertThat(NetworkCsv.readNames(in, "names.csv")).isEqualTo(DemoData.names(ranges));
    }
  }

  @Test
  void badLineIsNamed() {
    String text = "# comment\n1.0.0.0,1.0.0.255,1,\"A, \"\"B\"\"\"\n1.0.1.9,1.0.1.0,1,A\n";
    assertThatThrownBy(
            () ->
                NetworkCsv.readRanges(
                    new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "t.csv"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("t.csv:3");
  }

  @Test
  void parsesARealTable() throws IOException {
    Path table = Path.of(System.getProperty("millrace.shared"), "data", "asn-ipv6.csv.gz");
    assumeThat(table).as("shared data").exists();
    List<NetworkRange> ranges = NetworkCsv.readRanges(table);
    assertThat(ranges).hasSizeGreaterThan(100_000);
    assertThat(new RangeAddressPool(ranges, List.of()).networks()).isGreaterThan(10_000);
  }
}

package io.millrace.datasets.range;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.datasets.Columns;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetConfigException;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.csv.LineFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MacLoaderTest {
  private static final List<String> ALL = List.of("mac", "exporter", "vlan", "port:text");

  @TempDir Path directory;

  private MacLoader.LoadedMacs load(List<String> columns, boolean lenient, String... lines)
      throws IOException {
    Path file = Files.write(directory.resolve("macs.csv"), List.of(lines));
    return MacLoader.load("macs", List.of(file), Columns.parse("columns", columns), lenient);
  }

  @Test
  void theMostSpecificEntryWins() throws IOException {
    Dataset table =
        load(
                ALL,
                false,
                "mac,exporter,vlan,port",
                "00:00:5e:00:53:01,,,anywhere",
                "00-00-5E-00-53-01,192.0.2.1,,on one switch",
                "0000.5e00.5301,,10,in one VLAN",
                "00005e005301,192.0.2.1,10,both",
                "00005e005302,2001:db8::1,,other")
            .table();
    assertThat(MacAsk.of(table, "00:00:5e:00:53:01", "192.0.2.9", 9)).isEqualTo("anywhere");
    assertThat(MacAsk.of(table, "00:00:5e:00:53:01", "192.0.2.9", 10)).isEqualTo("in one VLAN");
    assertThat(MacAsk.of(table, "00:00:5e:00:53:01", "192.0.2.1", 9)).isEqualTo("on one switch");
    assertThat(MacAsk.of(table, "00:00:5e:00:53:01", "192.0.2.1", 0)).isEqualTo("on one switch");
    assertThat(MacAsk.of(table, "00:00:5e:00:53:01", "192.0.2.1", 10)).isEqualTo("both");
    assertThat(MacAsk.of(table, "00:00:5e:00:53:02", "2001:db8::1", 10)).isEqualTo("other");
    assertThat(MacAsk.of(table, "00:00:5e:00:53:02", "192.0.2.1", 10)).isEqualTo("unknown");
    assertThat(MacAsk.of(table, "00:00:5e:00:53:03", "192.0.2.1", 10)).isEqualTo("unknown");
    assertThat(MacAsk.of(table, null, "192.0.2.1", 10)).isEqualTo("unknown");
    assertThat(table.entries()).isEqualTo(5);
  }

  @Test
  void theVlanOfTheOtherSideCountsWhereThisSideHasNone() throws IOException {
    Dataset table = load(ALL, false, "00:00:5e:00:53:01,,10,ten").table();
    assertThat(MacAsk.of(table, "00:00:5e:00:53:01", null, -1, 10, null)).isEqualTo("ten");
    assertThat(MacAsk.of(table, "00:00:5e:00:53:01", null, 0, 10, null)).isEqualTo("ten");
    assertThat(MacAsk.of(table, "00:00:5e:00:53:01", null, 11, 10, null)).isEqualTo("unknown");
    assertThat(MacAsk.of(table, "00:00:5e:00:53:01", null, -1, -1, null)).isEqualTo("unknown");
  }

  @Test
  void findsEachOfManyAndNoOther() throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      lines.add(
          "0200000%05x,%s,%s,p%d"
              .formatted(i, i % 3 == 0 ? "" : "192.0.2." + i % 7, i % 2 == 0 ? "" : i % 50 + 1, i));
    }
    Dataset table = load(ALL, false, lines.toArray(new String[0])).table();
    for (int i = 0; i < 5_000; i++) {
      String mac = "0200000%05x".formatted(i);
      assertThat(MacAsk.of(table, mac, "192.0.2." + i % 7, i % 50 + 1)).isEqualTo("p" + i);
      String elsewhere = i % 3 == 0 && i % 2 == 0 ? "p" + i : "unknown";
      assertThat(MacAsk.of(table, mac, "192.0.2.200", 4094)).isEqualTo(elsewhere);
    }
  }

  @Test
  void saysWhatIsWrongInALine() {
    rejects("macs.csv:1: \"00:00:5e:00:53\" is not a MAC address", "00:00:5e:00:53,,,x");
    rejects("macs.csv:1: 4095 is not a VLAN from 1 to 4094", "00005e005301,,4095,x");
    rejects("macs.csv:1: 0 is not a VLAN from 1 to 4094", "00005e005301,,0,x");
    rejects("macs.csv:1: \"edge\" is not an address", "00005e005301,edge,,x");
    rejects(
        "macs.csv:2: duplicate key: MAC address 00005e005301, exporter 192.0.2.1, VLAN 3",
        "00005e005301,192.0.2.1,3,x",
        "00:00:5e:00:53:01,192.0.2.1,3,y");
  }

  private void rejects(String message, String... lines) {
    assertThatThrownBy(() -> load(ALL, false, lines))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining(message);
  }

  @Test
  void skipsInvalidLinesAndCountsThem() throws IOException {
    MacLoader.LoadedMacs loaded =
        load(List.of("mac", "x:number"), true, "00005e005301,2", "zz,1", "00005e005301,3");
    assertThat(loaded.faults().counts())
        .containsOnly(Map.entry(LineFault.MAC, 1L), Map.entry(LineFault.OVERLAPPING, 1L));
    assertThat(MacAsk.of(loaded.table(), "00005e005301", null, -1)).isEqualTo("2");
  }

  @Test
  void theFirstLineIsNoHeaderWhereItHasAnAddress() throws IOException {
    assertThat(load(List.of("mac", "x:text"), false, "aabbccddeeff,first").table().entries())
        .isEqualTo(1);
    assertThat(load(List.of("mac", "x:text"), false, "aa-bb-cc-dd-ee-ff,first").table().entries())
        .isEqualTo(1);
  }

  @Test
  void theContentAloneDecidesTheFingerprint() throws IOException {
    long one = load(ALL, false, "00005e005301,,10,x").table().fingerprint();
    assertThat(load(ALL, false, "00:00:5E:00:53:01,,10,x").table().fingerprint()).isEqualTo(one);
    assertThat(load(ALL, false, "00005e005301,,11,x").table().fingerprint()).isNotEqualTo(one);
  }

  @Test
  void columnsNeedAMacAddressAndNoOtherKey() {
    Map<String, String> join = Map.of("src_mac", "src_");
    List<Path> files = List.of(Path.of("macs.csv"));
    assertThat(DatasetConfig.parse("m", "mac", files, ALL, join, false, 1).joined())
        .extracting("columnName")
        .containsExactly("src_port");
    assertThatThrownBy(
            () ->
                DatasetConfig.parse(
                    "m", "mac", files, List.of("mac", "ip", "x:text"), join, false, 1))
        .isInstanceOf(DatasetConfigException.class)
        .hasMessageContaining("must have mac, and no other key than exporter and vlan");
    assertThatThrownBy(
            () -> DatasetConfig.parse("m", "mac", files, ALL, Map.of("src_addr", "x_"), false, 1))
        .hasMessageContaining("expected src_mac, dst_mac");
  }
}

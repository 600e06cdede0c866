package io.millrace.datasets.range;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.csv.LineFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IxfLoaderTest {
  @TempDir Path directory;

  private MacLoader.LoadedMacs load(String json) throws IOException {
    Path file = Files.writeString(directory.resolve("members.json"), json);
    return IxfLoader.load("members", List.of(file));
  }

  private static String member(String head, String... vlans) {
    return "{%s \"connection_list\": [{\"ixp_id\": 1, \"vlan_list\": [%s]}]}"
        .formatted(head, String.join(",", vlans));
  }

  private static String list(String... members) {
    return "{\"version\": \"1.0\", \"member_list\": [%s]}".formatted(String.join(",", members));
  }

  private static String byMac(Dataset table, String mac) {
    return MacAsk.of(table, mac, null, -1);
  }

  private static String byAddress(Dataset table, String address) {
    return MacAsk.of(table, null, null, -1, -1, address);
  }

  @Test
  void findsMembersByMacAndByAddressAndTheMacWins() throws IOException {
    MacLoader.LoadedMacs loaded =
        load(
            list(
                member(
                    "\"asnum\": 64500, \"name\": \"Alpha Net\",",
                    """
                    {"vlan_id": 0,
                     "ipv4": {"address": "192.0.2.1", "mac_addresses": ["00:00:5e:00:53:01"]},
                     "ipv6": {"address": "2001:db8::1", "mac_addresses": ["00:00:5e:00:53:02"]}}
                    """),
                member(
                    "\"asnum\": 4200000000, \"name\": \"Beta\",",
                    "{\"ipv4\": {\"address\": \"192.0.2.2/24\"}}")));
    Dataset table = loaded.table();
    assertThat(loaded.faults().total()).isZero();
    assertThat(byMac(table, "00:00:5e:00:53:01")).isEqualTo("Alpha Net|64500");
    assertThat(byMac(table, "00:00:5e:00:53:02")).isEqualTo("Alpha Net|64500");
    assertThat(byMac(table, "00:00:5e:00:53:03")).isEqualTo("unknown");
    assertThat(byAddress(table, "192.0.2.1")).isEqualTo("Alpha Net|64500");
    assertThat(byAddress(table, "2001:db8::1")).isEqualTo("Alpha Net|64500");
    assertThat(byAddress(table, "192.0.2.2")).isEqualTo("Beta|4200000000");
    assertThat(byAddress(table, "192.0.2.3")).isEqualTo("unknown");
    assertThat(MacAsk.of(table, "00:00:5e:00:53:01", null, 7, 7, "192.0.2.2"))
        .isEqualTo("Alpha Net|64500");
    assertThat(MacAsk.of(table, "00:00:5e:00:53:09", null, 7, 7, "192.0.2.2"))
        .isEqualTo("Beta|4200000000");
  }

  @Test
  void aMacAddressOfSeveralMembersIsFoundByItsVlan() throws IOException {
    String shared = "{\"vlan_id\": %d, \"ipv4\": {\"mac_addresses\": [\"00005e005301\"]}}";
    Dataset table =
        load(list(
                member("\"asnum\": 64500, \"name\": \"A\",", shared.formatted(10)),
                member("\"asnum\": 64501, \"name\": \"B\",", shared.formatted(20))))
            .table();
    assertThat(MacAsk.of(table, "00005e005301", null, 10)).isEqualTo("A|64500");
    assertThat(MacAsk.of(table, "00005e005301", null, 20)).isEqualTo("B|64501");
    assertThat(MacAsk.of(table, "00005e005301", null, 30)).isEqualTo("unknown");
    Dataset alone = load(list(member("\"asnum\": 64500,", shared.formatted(10)))).table();
    assertThat(MacAsk.of(alone, "00005e005301", null, 30)).isEqualTo("AS64500|64500");
  }

  @Test
  void earlierVersionsHaveOneMacAddressForBothFamilies() throws IOException {
    Dataset table =
        load("""
            {"version": "0.4", "member_list": [{"asnum": "AS64500", "name": "A",
              "connection_list": [{"vlan_list": [{"mac_address": "00-00-5E-00-53-01"}]}]}]}
            """)
            .table();
    assertThat(byMac(table, "00005e005301")).isEqualTo("A|64500");
  }

  @Test
  void unusableEntriesAreCountedByReasonAndCostNothingElse() throws IOException {
    MacLoader.LoadedMacs loaded =
        load(
            list(
                "null",
                "{\"asnum\": 64510}",
                "{\"asnum\": null, \"name\": \"\", \"connection_list\": null}",
                "{\"asnum\": -5, \"name\": \"No AS\", \"connection_list\": [{}, {\"vlan_list\": [{\"ipv4\": {\"address\": \"192.0.2.5\"}}]}]}",
                member(
                    "\"asnum\": 64500, \"name\": \"A\",",
                    """
                    {"ipv4": {"address": "192.0.2.300", "mac_addresses": ["n/a", "00:00:00:00:00:00",
                       "ff:ff:ff:ff:ff:ff", "", null, "00:00:5e:00:53:01"]},
                     "ipv6": {"address": null, "mac_addresses": null}}
                    """),
                member(
                    "\"asnum\": 64501, \"name\": \"B\",",
                    """
                    {"ipv4": {"address": "192.0.2.5", "mac_addresses": ["00:00:5e:00:53:01"]},
                     "ipv6": {"address": "2001:db8::b"}}
                    """)));
    assertThat(loaded.faults().counts())
        .containsOnly(
            Map.entry(LineFault.TEXT, 2L), // neither name nor AS number
            Map.entry(LineFault.NUMBER, 1L),
            Map.entry(LineFault.MAC, 3L),
            Map.entry(LineFault.ADDRESS, 1L),
            Map.entry(
                LineFault.OVERLAPPING, 2L)); // a MAC address and an address that two members share
    assertThat(loaded.faults().examples())
        .anySatisfy(
            fault ->
                assertThat(fault)
                    .endsWith(
                        "members.json: member_list[4].connection_list[0].vlan_list[0].ipv4"
                            + ".mac_addresses[0]: \"n/a\" is not a MAC address"));
    assertThat(byMac(loaded.table(), "00:00:5e:00:53:01")).isEqualTo("A|64500");
    assertThat(byAddress(loaded.table(), "192.0.2.5")).isEqualTo("No AS|-");
    assertThat(byAddress(loaded.table(), "2001:db8::b")).isEqualTo("B|64501");
  }

  @Test
  void reportsAMissingMemberList() {
    assertThatThrownBy(() -> load("{\"data\": []}"))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("members.json: missing member_list");
    assertThatThrownBy(() -> load("")).hasMessageContaining("missing member_list");
    assertThatThrownBy(() -> load("{\n\"member_list\": [\n"))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("members.json:3: invalid JSON");
  }
}

package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.testing.WatchedContext;
import io.millrace.datasets.Columns;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetHandle;
import io.millrace.datasets.catalog.Datasets;
import io.millrace.datasets.keyvalue.KeyValueBuilder;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.datasets.SharedDatasets;
import io.millrace.store.FlowSchema;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.sink.UnrecoverableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlowJoinerTest {
  private static final int HOT_KEYS = 64;
  private static final int IN_BOTH = 0x01000001; // 1.0.0.1
  private static final int SAME_NETWORK = 0x01000002;
  private static final int OTHER_NETWORK = 0x02000001;
  private static final int UNKNOWN = 0x7F000001;
  private static final String[] COLUMNS = {"src_as", "src_as_name", "src_dns"};

  @TempDir Path dir;
  private Path networks;
  private Path names;
  private List<DatasetConfig> configs;
  private final List<FlowJoiner> joiners = new ArrayList<>();

  @BeforeEach
  void build() throws IOException {
    networks = dir.resolve("asn.csv");
    names = dir.resolve("rdns.mrd");
    writeNetworks("old");
    writeNames("old");
    configs =
        List.of(
            DatasetConfig.parse(
                "asn",
                "range",
                List.of(networks),
                List.of("start", "end", "as:number", "as_name:text"),
                Map.of("src_addr", "src_"),
                false,
                HOT_KEYS),
            DatasetConfig.parse(
                "rdns",
                "keyvalue",
                List.of(names),
                List.of("ip", "dns:text"),
                Map.of("src_addr", "src_"),
                false,
                HOT_KEYS));
  }

  private void writeNetworks(String version) throws IOException {
    Files.write(
        networks,
        List.of(
            "1.0.0.0,1.0.0.255,64500,One " + version, "2.0.0.0,2.0.0.255,64501,Two " + version));
  }

  private void writeNames(String version) throws IOException {
    Path csv = Files.write(dir.resolve("names.csv"), List.of("1.0.0.1,a." + version + ".example"));
    new KeyValueBuilder(names, Columns.parse("rdns", List.of("ip", "dns:text")))
        .build(List.of(csv));
  }

  @AfterEach
  void close() {
    joiners.forEach(FlowJoiner::close);
  }

  private FlowJoiner open() throws Exception {
    FlowJoiner joiner = new FlowJoiner(configs);
    joiner.open(AnalyzerContext.alone());
    joiners.add(joiner);
    return joiner;
  }

  @Test
  void findsInterfacesAndVrfsByTheirExporterAndPortsByTheirProtocol() throws Exception {
    Path interfaces =
        Files.write(
            dir.resolve("interfaces.csv"),
            List.of(
                "exporter,interface,name,description,speed,boundary",
                "1.0.0.9,7,xe-0/0/7,to the exchange,10000,external",
                "1.0.0.8,7,eth7,,,internal"));
    Path services = Files.write(dir.resolve("services.csv"), List.of("6,443,https", "17,443,quic"));
    DatasetDeclaration ports =
        new DatasetDeclaration(
            "pair",
            List.of(services.toString()),
            List.of("proto", "port", "service:text"),
            Map.of("dst_port", "dst_"),
            false,
            0);
    Path vrfs = Files.write(dir.resolve("vrfs.csv"), List.of("1.0.0.9,3,red", "1.0.0.8,3,blue"));
    DatasetDeclaration tables =
        new DatasetDeclaration(
            "pair",
            List.of(vrfs.toString()),
            List.of("exporter", "vrf", "customer:text"),
            Map.of("in_vrf", "in_vrf_"),
            false,
            0);
    Path exporters =
        Files.write(dir.resolve("exporters.yaml"), List.of("- {cidr: 1.0.0.9, name: edge-1}"));
    DatasetDeclaration devices =
        new DatasetDeclaration(
            "range",
            List.of(exporters.toString()),
            List.of("cidr", "name:text"),
            Map.of("exporter", "exporter_"),
            false,
            0);
    configs =
        DatasetDeclaration.toConfigs(
            Map.of(
                "interfaces",
                DatasetDeclaration.of(interfaces.toString()),
                "services",
                ports,
                "vrfs",
                tables,
                "exporters",
                devices));
    FlowBlock block = block(IN_BOTH, IN_BOTH, IN_BOTH);
    int[] senders = {0x01000009, 0x01000008, 0x01000007};
    for (int i = 0; i < senders.length; i++) {
      block.addressHigh(FlowColumn.EXPORTER)[i] = 0;
      block.addressLow(FlowColumn.EXPORTER)[i] = Addresses.v4Low(senders[i]);
      block.ints(FlowColumn.IN_IF)[i] = 7;
      block.ints(FlowColumn.IN_VRF)[i] = 3;
      block.ints(FlowColumn.OUT_IF)[i] = FlowBlock.NULL;
      block.ints(FlowColumn.PROTO)[i] = i == 1 ? 17 : 6;
      block.ints(FlowColumn.DST_PORT)[i] = 443;
    }
    open().process(block, joined -> {});
    assertThat(values(block))
        .containsEntry("in_if_name", List.of("xe-0/0/7", "eth7", "-"))
        .containsEntry("in_if_description", List.of("to the exchange", "-", "-"))
        .containsEntry("in_if_mbit_s", List.of("10000", "-", "-"))
        .containsEntry("in_if_boundary", List.of("external", "internal", "-"))
        .containsEntry("out_if_name", List.of("-", "-", "-"))
        .containsEntry("in_vrf_customer", List.of("red", "blue", "-"))
        .containsEntry("exporter_name", List.of("edge-1", "-", "-"))
        .containsEntry("dst_service", List.of("https", "quic", "https"));
  }

  @Test
  void findsMembersByMacAndElseByAddressAndPortsByMacExporterAndVlan() throws Exception {
    Path members =
        Files.writeString(
            dir.resolve("members.json"),
            """
            {"version": "1.0", "member_list": [
              {"asnum": 64500, "name": "Alpha", "connection_list": [{"vlan_list": [{"ipv4":
                {"address": "192.0.2.1", "mac_addresses": ["00:00:5e:00:53:01"]}}]}]},
              {"asnum": 64501, "name": "Beta", "connection_list": [{"vlan_list": [{"ipv4":
                {"address": "192.0.2.2", "mac_addresses": ["00:00:5e:00:53:02"]}}]}]}]}
            """);
    Path macs =
        Files.write(
            dir.resolve("macs.csv"),
            List.of("0000.5e00.5301,,,any port", "0000.5e00.5301,1.0.0.9,10,port 7"));
    configs =
        DatasetDeclaration.toConfigs(
            Map.of(
                "members",
                new DatasetDeclaration("ixf", List.of(members.toString()), null, null, false, 0),
                "ports",
                new DatasetDeclaration(
                    "mac",
                    List.of(macs.toString()),
                    List.of("mac", "exporter", "vlan", "port_name:text"),
                    Map.of("src_mac", "src_"),
                    false,
                    0)));
    FlowBlock block = block(IN_BOTH, 0xC0000201, 0xC0000201, IN_BOTH);
    long[] sources = {0x00005E005301L, 0x00005E005302L, 0x00005E005309L, FlowBlock.NULL};
    for (int i = 0; i < sources.length; i++) {
      block.addressHigh(FlowColumn.EXPORTER)[i] = 0;
      block.addressLow(FlowColumn.EXPORTER)[i] = Addresses.v4Low(i == 0 ? 0x01000009 : 0x01000008);
      block.longs(FlowColumn.SRC_MAC)[i] = sources[i];
      block.ints(FlowColumn.SRC_VLAN)[i] = FlowBlock.NULL;
      block.ints(FlowColumn.DST_VLAN)[i] = 10;
      block.addressHigh(FlowColumn.DST_ADDR)[i] = 0;
      block.addressLow(FlowColumn.DST_ADDR)[i] = Addresses.v4Low(i == 3 ? 0xC0000202 : 0x08080808);
    }
    open().process(block, joined -> {});
    assertThat(block.has(FlowColumn.DST_MAC)).as("a column that is not needed").isFalse();
    Map<String, List<String>> found = values(block);
    assertThat(found)
        .containsEntry("src_member", List.of("Alpha", "Beta", "Alpha", "-"))
        .containsEntry("src_member_asn", List.of("64500", "64501", "64500", "-"))
        .containsEntry("dst_member", List.of("-", "-", "-", "Beta"))
        .containsEntry("dst_member_asn", List.of("-", "-", "-", "64501"))
        .containsEntry("src_port_name", List.of("port 7", "-", "-", "-"));
  }

  private static Map<String, List<String>> values(FlowBlock block) {
    Map<String, List<String>> found = new HashMap<>();
    for (JoinedColumn column : block.joined()) {
      List<String> values = new ArrayList<>();
      for (int row = 0; row < block.rows(); row++) {
        int value = column.values()[row];
        values.add(
            value == FlowBlock.NULL
                ? "-"
                : column.kind() == JoinedColumn.Kind.NUMBER
                    ? Integer.toString(value)
                    : text(block, column.base() + value));
      }
      found.put(column.name(), values);
    }
    return found;
  }

  @Test
  void withoutATableTheAsesAreThoseOfTheExporters() throws Exception {
    configs = DatasetDeclaration.toConfigs(Map.of("asn", DatasetDeclaration.ofExporters()));
    FlowBlock block = block(IN_BOTH, IN_BOTH, IN_BOTH);
    block.ints(FlowColumn.EXPORTER_SRC_AS)[0] = 64500;
    block.ints(FlowColumn.EXPORTER_SRC_AS)[1] = 0;
    block.ints(FlowColumn.EXPORTER_SRC_AS)[2] = (int) 4_200_000_000L;
    open().process(block, joined -> {});
    Map<String, List<Integer>> values = new HashMap<>();
    block
        .joined()
        .forEach(
            column ->
                values.put(
                    column.name(), Arrays.stream(column.values()).limit(3).boxed().toList()));
    assertThat(values)
        .containsOnly(
            Map.entry("src_as", List.of(64500, FlowBlock.NULL, (int) 4_200_000_000L)),
            Map.entry("dst_as", Collections.nCopies(3, FlowBlock.NULL)));
    assertThat(block.has(FlowColumn.EXPORTER_DST_AS)).isFalse();
  }

  private static String text(FlowBlock block, long id) {
    for (int i = 0; i < block.names().size(); i++) {
      if (block.names().id(i) == id) {
        return block.names().text(i);
      }
    }
    throw new AssertionError("no text of " + id);
  }

  @Test
  void countsWhatEachDataSetKnows() throws Exception {
    WatchedContext counting = new WatchedContext();
    FlowJoiner joiner = new FlowJoiner(configs);
    joiners.add(joiner);
    joiner.open(counting);
    var unused = join(joiner, block(IN_BOTH, SAME_NETWORK, UNKNOWN));
    assertThat(counting.counters())
        .containsEntry(FlowJoiner.LOOKUPS + "asn", 3L)
        .containsEntry(FlowJoiner.HITS + "asn", 2L)
        .containsEntry(FlowJoiner.LOOKUPS + "rdns", 3L)
        .containsEntry(FlowJoiner.HITS + "rdns", 1L);
  }

  private static FlowBlock block(int... sources) {
    FlowBlock block = new FlowBlock(sources.length);
    for (int row = 0; row < sources.length; row++) {
      block.addressHigh(FlowColumn.SRC_ADDR)[row] = 0;
      block.addressLow(FlowColumn.SRC_ADDR)[row] = Addresses.v4Low(sources[row]);
    }
    block.rows(sources.length);
    return block;
  }

  private static FlowBlock join(FlowJoiner joiner, FlowBlock block) {
    List<FlowBlock> out = new ArrayList<>();
    joiner.process(block, out::add);
    assertThat(out).containsExactly(block);
    return block;
  }

  /** Like the store: keeps texts by id and returns them. */
  private static final class Names {
    private final Map<Long, String> texts = new HashMap<>();

    List<String> rows(FlowBlock block) {
      for (int i = 0; i < block.names().size(); i++) {
        texts.put(block.names().id(i), block.names().text(i));
      }
      assertThat(block.joined()).extracting(JoinedColumn::name).containsExactly(COLUMNS);
      List<String> rows = new ArrayList<>();
      for (int row = 0; row < block.rows(); row++) {
        List<String> cells = new ArrayList<>();
        for (JoinedColumn column : block.joined()) {
          cells.add(cell(column, column.values()[row]));
        }
        rows.add(String.join(" | ", cells));
      }
      return rows;
    }

    private String cell(JoinedColumn column, int value) {
      if (value == FlowBlock.NULL) {
        return "NULL";
      }
      if (column.kind() == JoinedColumn.Kind.NUMBER) {
        return Integer.toUnsignedString(value);
      }
      assertThat(texts).as("%s before its text", column.name()).containsKey(column.base() + value);
      return texts.get(column.base() + value);
    }
  }

  @Test
  void eachAddressGetsTheFieldsOfEachSetOrNull() throws Exception {
    FlowBlock block = join(open(), block(IN_BOTH, UNKNOWN, SAME_NETWORK, OTHER_NETWORK));
    assertThat(new Names().rows(block))
        .containsExactly(
            "64500 | One old | a.old.example",
            "NULL | NULL | NULL",
            "64500 | One old | NULL",
            "64501 | Two old | NULL");
  }

  @Test
  void noAddressIsNull() throws Exception {
    FlowBlock block = block(IN_BOTH);
    block.addressHigh(FlowColumn.SRC_ADDR)[0] = Addresses.NULL;
    block.addressLow(FlowColumn.SRC_ADDR)[0] = Addresses.NULL;
    assertThat(new Names().rows(join(open(), block))).containsExactly("NULL | NULL | NULL");
  }

  @Test
  void aBlockWithoutRowsPassesWithItsColumns() throws Exception {
    FlowBlock block = join(open(), block());
    assertThat(new Names().rows(block)).isEmpty();
    assertThat(block.names().size()).isZero();
  }

  @Test
  void aTextIsSentOnceWithTheFirstBlockThatUsesIt() throws Exception {
    FlowJoiner joiner = open();
    Names names = new Names();
    FlowBlock first = join(joiner, block(IN_BOTH, SAME_NETWORK, IN_BOTH));
    assertThat(texts(first)).containsExactlyInAnyOrder("One old", "a.old.example");
    List<String> rows = names.rows(first);
    FlowBlock second = join(joiner, block(IN_BOTH, OTHER_NETWORK, IN_BOTH));
    assertThat(texts(second)).containsExactly("Two old");
    assertThat(names.rows(second))
        .containsExactly(rows.get(0), "64501 | Two old | NULL", rows.get(0));
    assertThat(texts(join(joiner, block(IN_BOTH, OTHER_NETWORK)))).isEmpty();
  }

  private static List<String> texts(FlowBlock block) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < block.names().size(); i++) {
      texts.add(block.names().text(i));
    }
    return texts;
  }

  @Test
  void anotherJoinerGivesTheSameTextsTheSameIds() throws Exception {
    FlowBlock first = join(open(), block(IN_BOTH, OTHER_NETWORK));
    joiners.remove(0).close(); // as after a failure: the set is reopened
    FlowBlock again = join(open(), block(IN_BOTH, OTHER_NETWORK));
    assertThat(ids(again)).isEqualTo(ids(first)).hasSize(3);
  }

  private static Map<Long, String> ids(FlowBlock block) {
    Map<Long, String> ids = new HashMap<>();
    for (int i = 0; i < block.names().size(); i++) {
      ids.put(block.names().id(i), block.names().text(i));
    }
    return ids;
  }

  @Test
  void aNewerSetAppliesFromTheNextBlockOnWithNewIds() throws Exception {
    FlowJoiner joiner = open();
    FlowJoiner beside = open();
    Names names = new Names();
    FlowBlock old = join(joiner, block(IN_BOTH));
    swap("new");
    FlowBlock newer = join(joiner, block(IN_BOTH, UNKNOWN));
    assertThat(ids(newer)).doesNotContainKeys(ids(old).keySet().toArray(new Long[0]));
    assertThat(names.rows(newer))
        .containsExactly("64500 | One new | a.new.example", "NULL | NULL | NULL");
    assertThat(names.rows(old)).as("ids stay").containsExactly("64500 | One old | a.old.example");
    assertThat(texts(join(joiner, block(IN_BOTH)))).isEmpty();
    assertThat(new Names().rows(join(beside, block(IN_BOTH))))
        .containsExactly("64500 | One new | a.new.example");
  }

  @Test
  void theDomainOfANameIsAColumnWhereTheFileHasIt() throws Exception {
    Map<String, DatasetDeclaration> declared =
        Map.of("rdns", DatasetDeclaration.of(names.toString()));
    configs = DatasetDeclaration.toConfigs(declared);
    assertThat(columns(join(open(), block(IN_BOTH))))
        .isEqualTo(schema(declared))
        .containsExactly("src_dns", "dst_dns");
    joiners.remove(0).close();
    Path csv =
        Files.write(
            dir.resolve("names.csv"),
            List.of("1.0.0.1,a.One.example", "1.0.0.2,b.one.example", "2.0.0.1,example"));
    new KeyValueBuilder(names, DatasetDeclaration.rdnsColumns()).build(List.of(csv));
    FlowBlock block = join(open(), block(IN_BOTH, OTHER_NETWORK, SAME_NETWORK, UNKNOWN));
    assertThat(columns(block))
        .isEqualTo(schema(declared))
        .containsExactly("src_dns", "src_domain", "dst_dns", "dst_domain");
    JoinedColumn domain = block.joined().get(1);
    assertThat(domain.values()).containsExactly(0, FlowBlock.NULL, 0, FlowBlock.NULL);
    assertThat(ids(block)).containsEntry(domain.base(), "one.example").hasSize(4);
    assertThat(texts(block).get(0)).as("before the names").isEqualTo("one.example");
    assertThat(block.joined().get(3).base()).as("one text, one id").isEqualTo(domain.base());
  }

  private static List<String> columns(FlowBlock block) {
    return block.joined().stream().map(JoinedColumn::name).toList();
  }

  private static List<String> schema(Map<String, DatasetDeclaration> declared) {
    return FlowsPipeline.schema(declared).joined().stream()
        .map(FlowSchema.AddedColumn::name)
        .toList();
  }

  /** Like a reload: new files, then a swap in the handle that all joiners share. */
  private void swap(String version) throws IOException {
    writeNetworks(version);
    writeNames(version);
    List<DatasetHandle> handles = SharedDatasets.acquire(configs);
    try {
      for (int i = 0; i < handles.size(); i++) {
        Dataset newer = Datasets.open(configs.get(i));
        handles.get(i).swap(newer);
      }
    } finally {
      SharedDatasets.release(configs, handles);
    }
  }

  @Test
  void aBlockIsOfOneGenerationWhileSetsAreSwapped() throws Exception {
    FlowJoiner joiner = open();
    Names names = new Names();
    ExecutorService swapper = Executors.newSingleThreadExecutor();
    try {
      Future<?> swaps =
          swapper.submit(
              () -> {
                for (int i = 0; i < 20; i++) {
                  swap("v" + i);
                }
                return null;
              });
      do {
        List<String> rows = names.rows(join(joiner, block(IN_BOTH, IN_BOTH, IN_BOTH, IN_BOTH)));
        assertThat(rows).containsOnly(rows.get(0));
        assertThat(rows.get(0)).matches("64500 \\| One \\w+ \\| a\\.\\w+\\.example");
      } while (!swaps.isDone());
      swaps.get();
    } finally {
      swapper.shutdownNow();
    }
    assertThat(names.rows(join(joiner, block(IN_BOTH))))
        .containsExactly("64500 | One v19 | a.v19.example");
  }

  @Test
  void theLastJoinerClosesTheSetsAndNoneIsLeftOpenByOneThatFails() throws Exception {
    List<DatasetHandle> handles = SharedDatasets.acquire(configs);
    FlowJoiner joiner = open();
    SharedDatasets.release(configs, handles);
    assertThat(new Names().rows(join(joiner, block(IN_BOTH)))).hasSize(1);
    joiners.remove(joiner);
    joiner.close();
    assertThatThrownBy(() -> handles.get(0).newReader().refresh()).hasMessage("data set is closed");

    Files.delete(names);
    assertThatThrownBy(() -> new FlowJoiner(configs).open(AnalyzerContext.alone()))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining(names.toString())
        .hasMessageContaining("on host");
    writeNetworks("later");
    writeNames("later");
    assertThat(new Names().rows(join(open(), block(IN_BOTH))))
        .as("the set that was opened before the failure is not kept")
        .containsExactly("64500 | One later | a.later.example");
  }
}

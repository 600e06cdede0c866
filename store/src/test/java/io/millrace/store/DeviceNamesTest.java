package io.millrace.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.sink.BlockSink;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of interfaces, exporters and applications that devices report. */
class DeviceNamesTest {
  private static final int ROWS = 60;

  @TempDir private Path directory;
  private Store store;

  /** Rows of 10.0.0.1 to 10.0.0.60 with ingress interface 5, every third with 6. */
  @BeforeEach
  void open() {
    Map<String, List<String>> boundaries = new LinkedHashMap<>();
    boundaries.put("external", List.of("%exchange%", "Transit%"));
    boundaries.put("internal", List.of("core%", "%"));
    store = new DuckDbStore(directory, StoreConfig.defaults().withBoundaries(boundaries));
    fill(new FlowSchema(List.of()));
  }

  private void fill(FlowSchema schema) {
    FlowTable table = store.table(Store.FLOWS, schema);
    FlowBlock block = Flows.bare(ROWS, 0, schema.joined().size());
    for (int i = 0; i < ROWS; i++) {
      block.addressLow(FlowColumn.EXPORTER)[i] = Addresses.v4Low(0x0A000001);
      block.ints(FlowColumn.IN_IF)[i] = i % 3 == 0 ? 6 : 5;
      block.ints(FlowColumn.OUT_IF)[i] = 7;
    }
    for (FlowSchema.AddedColumn column : schema.joined()) {
      int[] ordinals = new int[ROWS];
      Arrays.fill(ordinals, 0);
      block.joined().add(new JoinedColumn(column.name(), column.kind(), Flows.BASE, ordinals));
      Flows.name(block, Flows.BASE, "declared");
    }
    try (FlowWriter writer = table.writer()) {
      writer.append(block);
      writer.flush();
    }
    table.committed(new Frontier(Map.of(0, block.logOffset() + 1)));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void told(String kind, int number, String name, String description, long speed) {
    TableBlock names = new TableBlock(DeviceNames.SCHEMA, 1);
    names.longs(0)[0] = 1_700_000_000_000_000L;
    names.addressLow(1)[0] = Addresses.v4Low(0x0A000001);
    names.texts(2).add(kind);
    names.longs(3)[0] = number;
    names.texts(4).add(name);
    names.texts(5).add(description);
    names.longs(6)[0] = speed;
    names.rows(1);
    try (BlockSink<TableBlock, Long> writer = store.results(DeviceNames.TABLE).writer(0)) {
      writer.append(names);
      writer.flush();
    }
  }

  private void toldAll() {
    told("interface", 5, "xe-0/0/5", "to the exchange", TableBlock.NULL);
    told("speed", 5, null, null, 10_000_000_000L);
    told("exporter", 0, "edge-1", null, TableBlock.NULL);
  }

  private List<String> rows(String sql) {
    return StoreContract.rows(store, sql);
  }

  @Test
  void columnsAreLookedUpWhereTheyAreNamed() {
    assertThat(rows("SELECT count(*) FROM flows WHERE in_if_name IS NOT NULL"))
        .containsExactly("0");
    toldAll();
    assertThat(
            rows(
                "SELECT exporter_name, in_if, in_if_name, in_if_description, in_if_mbit_s,"
                    + " out_if_name, app_name, count(*) FROM flows GROUP BY ALL ORDER BY in_if"))
        .containsExactly(
            "edge-1|5|xe-0/0/5|to the exchange|10000|null|null|40",
            "edge-1|6|null|null|null|null|null|20");
    told("interface", 5, "xe-0/0/9", null, TableBlock.NULL);
    assertThat(rows("SELECT DISTINCT in_if_name FROM flows_committed WHERE in_if = 5"))
        .containsExactly("xe-0/0/9");
    assertThat(rows("SELECT * FROM flows LIMIT 1").get(0)).doesNotContain("xe-0/0/9");
  }

  @Test
  void groupsHaveTheirNames() {
    toldAll();
    assertThat(top("exporter", "in_if"))
        .containsExactly("10.0.0.1 edge-1, 5 xe-0/0/5", "10.0.0.1 edge-1, 6");
    assertThat(top("in_if")).containsExactly("5", "6");
    assertThat(top("in_if_name")).containsExactly("xe-0/0/5", "null");
    SeriesResult series =
        store.series(
            FlowQuery.series(FlowQuery.Measure.BITS, "exporter", "in_if"), new Cancellation());
    assertThat(series.period().groups())
        .extracting(group -> group.key() + " " + group.labels())
        .containsExactly(
            "[10.0.0.1, 5] [10.0.0.1 edge-1, 5 xe-0/0/5]", "[10.0.0.1, 6] [10.0.0.1 edge-1, 6]");
  }

  private List<String> top(String... dimensions) {
    return top(Optional.empty(), dimensions)
        .map(row -> String.join(", ", row.values().stream().map(String::valueOf).toList()))
        .toList();
  }

  private Stream<TopResult.Row> top(Optional<String> filter, String... dimensions) {
    FlowQuery request =
        FlowQuery.top(
                List.of(dimensions),
                FlowQuery.Measure.FLOWS,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                10,
                Store.FLOWS)
            .withFilter(filter);
    return store.top(request, new Cancellation()).rows().stream();
  }

  private long flows(String filter) {
    return top(Optional.of(filter), "proto").mapToLong(TopResult.Row::flows).sum();
  }

  @Test
  void filtersUseNames() {
    toldAll();
    assertThat(flows("in_if_name = 'xe-0/0/5'")).isEqualTo(40);
    assertThat(flows("in_if_name IN ('xe-0/0/5', 'b') AND exporter_name = 'edge-1'")).isEqualTo(40);
    assertThat(flows("in_if_description LIKE '%EXCH%'")).isEqualTo(0);
    assertThat(flows("in_if_description ILIKE '%EXCH%'")).isEqualTo(40);
    assertThat(flows("in_if_name IS NULL")).isEqualTo(20);
    assertThat(flows("(in_if_name = 'xe-0/0/5') IS NOT TRUE")).isEqualTo(20);
    assertThat(flows("NOT in_if_name = 'other'")).isEqualTo(40);
    assertThat(flows("in_if_mbit_s >= 10000")).isEqualTo(40);
  }

  /** An interface has the first boundary with a pattern that its name or description matches. */
  @Test
  void boundariesFollowFromNamesAndDescriptions() {
    told("interface", 5, "xe-0/0/5", "to the Exchange", TableBlock.NULL);
    told("interface", 6, "transit-a", null, TableBlock.NULL);
    assertThat(top("in_if_boundary")).containsExactly("external");
    assertThat(top("out_if_boundary")).containsExactly("null");
    told("interface", 6, "irb.1", null, TableBlock.NULL);
    told("interface", 7, null, "core: transit of the neighbour", TableBlock.NULL);
    assertThat(
            rows(
                "SELECT in_if, in_if_boundary, out_if_boundary, count(*) FROM flows GROUP BY ALL"
                    + " ORDER BY 1"))
        .containsExactly("5|external|internal|40", "6|internal|internal|20");
    assertThat(flows("in_if_boundary = 'external' AND out_if_boundary = 'internal'")).isEqualTo(40);
    assertThat(
            rows(
                "SELECT InIfName, OutIfBoundary, count(*) FROM akvorado_flows GROUP BY ALL ORDER BY"
                    + " 1"))
        .containsExactly("irb.1|internal|20", "xe-0/0/5|internal|40");
  }

  @Test
  void wrongBoundariesAreRejected() {
    StoreConfig defaults = StoreConfig.defaults();
    assertThatThrownBy(() -> defaults.withBoundaries(Map.of("To Customers", List.of("cust%"))))
        .hasMessageContaining("store.boundaries.To Customers");
    assertThatThrownBy(() -> defaults.withBoundaries(Map.of("external", List.of())))
        .hasMessageContaining("store.boundaries.external: missing pattern");
    assertThatThrownBy(() -> defaults.withBoundaries(Map.of("outside", List.of("up%", "7"))))
        .hasMessageContaining("store.boundaries.outside: 7 is a number, expected a pattern");
  }

  @Test
  void samplersHaveTheirNames() {
    told("sampler", 2, "edge", null, TableBlock.NULL);
    FlowBlock block = Flows.bare(ROWS + 1, 0, 100);
    Arrays.fill(block.ints(FlowColumn.SAMPLER), 2);
    try (FlowWriter writer = store.table(Store.FLOWS, new FlowSchema(List.of())).writer()) {
      writer.append(block);
      writer.flush();
    }
    assertThat(rows("SELECT sampler, sampler_name, count(*) FROM flows GROUP BY ALL ORDER BY 1"))
        .containsExactly("2|edge|61", "null|null|60");
    assertThat(top("exporter", "sampler", "sampling_rate"))
        .containsExactly("10.0.0.1, 2 edge, 1000", "10.0.0.1, null, 1000");
    assertThat(top("sampler_name")).containsExactly("edge", "null");
    assertThat(flows("sampler_name = 'edge'")).isEqualTo(61);
  }

  /** The data set's column takes precedence over reported names. */
  @Test
  void declaredColumnsAreNotLookedUp() {
    toldAll();
    fill(new FlowSchema(List.of(new FlowSchema.AddedColumn("in_if_name", JoinedColumn.Kind.TEXT))));
    assertThat(
            rows(
                "SELECT in_if_name, in_if_description, count(*) FROM flows WHERE in_if = 5 GROUP BY"
                    + " ALL ORDER BY ALL"))
        .containsExactly("declared|to the exchange|40", "null|to the exchange|40");
    assertThat(rows("SELECT InIfName, count(*) FROM akvorado_flows GROUP BY 1 ORDER BY 1"))
        .containsExactly("declared|60", "null|60");
    assertThat(flows("in_if_name = 'declared'")).isEqualTo(60);
  }

  @Test
  void exporterNamesAreNextToAddresses() {
    fill(
        new FlowSchema(
            List.of(new FlowSchema.AddedColumn("exporter_name", JoinedColumn.Kind.TEXT))));
    assertThat(top("exporter")).containsExactly("10.0.0.1 declared", "10.0.0.1");
  }

  @Test
  void namesOutliveARestart() {
    toldAll();
    store.close();
    store = new DuckDbStore(directory, StoreConfig.defaults());
    assertThat(rows("SELECT DISTINCT in_if_name FROM flows WHERE in_if = 5"))
        .containsExactly("xe-0/0/5");
    assertThat(
            rows("SELECT exporter, kind, number, name FROM device_names WHERE kind = 'interface'"))
        .containsExactly("10.0.0.1|interface|5|xe-0/0/5");
  }
}

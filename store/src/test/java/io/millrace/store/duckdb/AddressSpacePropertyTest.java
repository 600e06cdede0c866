package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.AnswerRows;
import io.millrace.store.ExportedRows;
import io.millrace.store.ExporterRow;
import io.millrace.store.FlowQuery;
import io.millrace.store.FlowQuery.Measure;
import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.Flows;
import io.millrace.store.ResultTable;
import io.millrace.store.SeriesResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.StoredCounters;
import io.millrace.store.TopResult;
import io.millrace.store.remote.RemoteSink;
import io.millrace.store.remote.StoreSecret;
import io.millrace.store.remote.StoreServer;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.ExporterCounters;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.sink.BlockSink;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every place that stores addresses returns them unchanged, for the whole address space. {@code
 * -Dmillrace.addresses.seed=N} uses other addresses.
 */
class AddressSpacePropertyTest {
  private static final long SEED = Long.getLong("millrace.addresses.seed", 8000);
  private static final int RANDOM = 60;
  private static final List<String> EDGES =
      List.of(
          "::",
          "::1",
          "0.0.0.0",
          "255.255.255.255",
          "192.0.2.1",
          "::ffff:ffff:ffff",
          "::fffe:ffff:ffff",
          "0:0:0:1::",
          "::8000:0:0:0",
          "::7fff:ffff:ffff:ffff",
          "::ffff:ffff:ffff:ffff",
          "2001:db8::1",
          "7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
          "7fff::",
          "8000::",
          "8000::1",
          "fd00::1",
          "fe80::1",
          "ff02::1",
          "ffff:ffff:ffff:ffff::",
          "ffff:ffff:ffff:ffff:7fff:ffff:ffff:ffff",
          "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe");
  private static final List<FlowColumn> COLUMNS =
      FlowColumn.ALL.stream().filter(c -> c.type() == FlowColumn.Type.ADDRESS).toList();

  @TempDir static Path directory;
  private static DuckDbStore store;
  private static List<long[]> addresses;
  private static List<String> texts;

  @BeforeAll
  static void fill() {
    addresses = addresses();
    texts = addresses.stream().map(a -> Addresses.toText(a[0], a[1])).toList();
    store = new DuckDbStore(directory.resolve("first"), StoreConfig.defaults());
    FlowTable table = store.table(Store.FLOWS, Flows.SCHEMA);
    try (FlowWriter writer = table.writer()) {
      writer.append(block());
      writer.flush();
    }
    table.committed(new Frontier(Map.of(0, 1L)));
    store.rollUp();
  }

  @AfterAll
  static void close() {
    store.close();
  }

  private static List<long[]> addresses() {
    Set<String> seen = new LinkedHashSet<>();
    List<long[]> all = new ArrayList<>();
    for (String edge : EDGES) {
      long[] address = new long[2];
      assertThat(Addresses.parse(edge, address)).as(edge).isTrue();
      all.add(address);
    }
    Random random = new Random(SEED);
    for (int i = 0; i < RANDOM; i++) {
      all.add(
          new long[] {
            random.nextLong() >> random.nextInt(64), random.nextLong() >>> random.nextInt(64)
          });
    }
    all.removeIf(a -> Addresses.isNull(a[0], a[1]) || !seen.add(Addresses.toText(a[0], a[1])));
    return all;
  }

  /** The i-th row has the i-th address in each column, and as sender and agent. */
  private static FlowBlock block() {
    FlowBlock block = Flows.bare(addresses.size(), 0, 0);
    for (int i = 0; i < block.rows(); i++) {
      long[] address = addresses.get(i);
      for (FlowColumn column : COLUMNS) {
        block.addressHigh(column)[i] = address[0];
        block.addressLow(column)[i] = address[1];
      }
      int exporter =
          block
              .counters()
              .exporter(
                  address[0],
                  address[1],
                  address[0],
                  address[1],
                  Channel.of(ExportProtocol.SFLOW, 0, i));
      block.counters().add(exporter, ExporterCounters.DATAGRAMS, i + 1);
    }
    return block;
  }

  private static List<String> rows(Store of, String sql) {
    return AnswerRows.of(of, sql);
  }

  @Test
  void everyColumnShowsWhatCame() {
    for (FlowColumn column : COLUMNS) {
      assertThat(rows(store, "SELECT " + column.columnName() + " FROM flows ORDER BY log_index"))
          .as(column.columnName())
          .isEqualTo(texts);
    }
  }

  @Test
  void aLiteralFindsItsRow() {
    for (int i = 0; i < texts.size(); i += 20) {
      List<String> some = texts.subList(i, Math.min(i + 20, texts.size()));
      assertThat(
              rows(
                  store,
                  "SELECT src_addr FROM flows WHERE src_addr = '%s' ORDER BY log_index"
                      .formatted(String.join("' OR src_addr = '", some))))
          .isEqualTo(some);
    }
  }

  @Test
  void macrosReadAndWriteThem() {
    String addresses = "FROM (SELECT src_addr, ip(src_addr) AS a FROM flows) WHERE ";
    String all = Integer.toString(texts.size());
    String upper = Long.toString(upper());
    assertThat(rows(store, "SELECT count(*) " + addresses + "ip_text(a) = src_addr"))
        .containsExactly(all);
    for (int bits : new int[] {0, 1, 9, 32}) {
      assertThat(
              rows(
                  store,
                  "SELECT count(*) %sin_subnet(a, src_addr || '/%d')".formatted(addresses, bits)))
          .containsExactly(all);
    }
    assertThat(rows(store, "SELECT count(*) " + addresses + "in_subnet(a, '::/0')"))
        .containsExactly(all);
    assertThat(rows(store, "SELECT count(*) " + addresses + "in_subnet(a, '8000::/1')"))
        .containsExactly(upper);
  }

  /** Number of addresses from 8000:: on. */
  private static long upper() {
    return addresses.stream().filter(a -> a[0] < 0).count();
  }

  @Test
  void topAndFiltersKnowThemFromRollupsAndFromRows() {
    FlowQuery all = FlowQuery.top(10_000, Measure.PACKETS, "src_addr");
    TopResult rolled = store.top(all);
    assertThat(rolled.source()).contains("rollup");
    for (TopResult top : List.of(rolled, store.top(all.withScan(true)))) {
      Set<String> found = new HashSet<>();
      top.rows().forEach(row -> found.add(row.values().get(0)));
      assertThat(found).isEqualTo(new HashSet<>(texts));
    }
    for (String text : EDGES) {
      boolean scan = text.hashCode() % 2 == 0;
      for (String filter : List.of("src ip " + text, "exporter = '" + text + "'")) {
        assertThat(store.top(all.withFilter(filter).withScan(scan)).rows())
            .as(filter)
            .extracting(row -> row.values().get(0))
            .containsExactly(rows(store, "SELECT ip_text(ip('" + text + "'))").get(0));
      }
    }
    assertThat(store.top(all.withFilter("src net 8000::/1")).rows()).hasSize((int) upper());
  }

  @Test
  void seriesKnowThemFromRollupsAndFromRows() {
    FlowQuery all = FlowQuery.series(FlowQuery.Measure.PACKETS, "src_addr").withN(FlowQuery.MAX_N);
    for (boolean scan : new boolean[] {false, true}) {
      Set<String> found = new HashSet<>();
      SeriesResult.Period period = store.series(all.withScan(scan)).period();
      period.groups().forEach(group -> found.add(group.key().get(0)));
      assertThat(found).isEqualTo(new HashSet<>(texts));
    }
  }

  @Test
  void aRemoteWriterPreservesThem() throws Exception {
    try (DuckDbStore other = new DuckDbStore(directory.resolve("remote"), StoreConfig.defaults());
        StoreServer server = new StoreServer(other, StoreServer.anyLocalPort())) {
      server.start();
      try (RemoteSink<FlowBlock, Frontier> sink =
          RemoteSink.open(
              "127.0.0.1",
              server.address().getPort(),
              StoreSecret.NONE,
              Store.FLOWS,
              Flows.SCHEMA,
              Duration.ofMinutes(1))) {
        sink.rewind(1, Frontier.EMPTY);
        sink.begin(1, BlockSink.NO_CHECKPOINT);
        sink.append(block());
        sink.flush();
      }
      assertThat(rows(other, "SELECT src_addr FROM flows ORDER BY log_index")).isEqualTo(texts);
    }
  }

  @Test
  void anExportPreservesThem() throws IOException {
    ExportedRows exported =
        store.exportRows(
            Store.FLOWS,
            Instant.parse("2000-01-01T00:00:00Z"),
            Instant.parse("2100-01-01T00:00:00Z"));
    try (DuckDbStore other = new DuckDbStore(directory.resolve("other"), StoreConfig.defaults());
        InputStream in = Files.newInputStream(exported.file())) {
      other.table(Store.FLOWS, Flows.SCHEMA);
      assertThat(other.importRows(Store.FLOWS, in).added()).isEqualTo(texts.size());
      String sql = "SELECT * EXCLUDE (log_partition) FROM flows ORDER BY log_index";
      assertThat(rows(other, sql)).isEqualTo(rows(store, sql));
    } finally {
      Files.delete(exported.file());
    }
  }

  @Test
  void countersKeepSenderAndAgent() {
    StoredCounters stored = store.table(Store.FLOWS, Flows.SCHEMA).counters();
    ExporterCounters counters = stored.counts();
    assertThat(counters.size()).isEqualTo(addresses.size());
    Set<String> found = new HashSet<>();
    for (int i = 0; i < counters.size(); i++) {
      String sender = Addresses.toText(counters.senderHigh(i), counters.senderLow(i));
      assertThat(Addresses.toText(counters.agentHigh(i), counters.agentLow(i))).isEqualTo(sender);
      assertThat(counters.count(i, ExporterCounters.DATAGRAMS))
          .isEqualTo(texts.indexOf(sender) + 1);
      found.add(sender);
    }
    assertThat(found).isEqualTo(new HashSet<>(texts));
  }

  @Test
  void theTableOfExportersShowsThem() {
    List<ExporterRow> exporters = new ArrayList<>();
    for (int i = 0; i < addresses.size(); i++) {
      long[] a = addresses.get(i);
      exporters.add(
          new ExporterRow(
              a[0], a[1], a[0], a[1], "sflow5", 0, i, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    }
    store.exporters(exporters);
    assertThat(rows(store, "SELECT exporter FROM exporters ORDER BY domain")).isEqualTo(texts);
    assertThat(rows(store, "SELECT agent FROM exporters ORDER BY domain")).isEqualTo(texts);
  }

  @Test
  void resultsKeepThem() {
    TableSchema schema = TableSchema.builder().number("n").address("host").build();
    for (List<String> key : List.of(List.<String>of(), List.of("host"))) {
      String name = key.isEmpty() ? "hosts" : "hosts_by_key";
      ResultTable table = store.results(name, schema, key);
      TableBlock block = new TableBlock(schema, addresses.size());
      for (int i = 0; i < addresses.size(); i++) {
        block.longs(0)[i] = i;
        block.addressHigh(1)[i] = addresses.get(i)[0];
        block.addressLow(1)[i] = addresses.get(i)[1];
      }
      block.rows(addresses.size());
      try (BlockSink<TableBlock, Long> writer = table.writer(table.token())) {
        writer.append(block);
        writer.flush();
      }
      assertThat(rows(store, "SELECT host FROM " + name + " ORDER BY n")).isEqualTo(texts);
    }
  }
}

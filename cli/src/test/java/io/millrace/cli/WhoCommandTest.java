package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cli.console.UsageException;
import io.millrace.pipelines.flows.FlowsPipeline;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.ResultSpec;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.nat.NatEvents;
import io.millrace.wire.sink.BlockSink;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Finds holders of an address and port by NAT events in a store. */
class WhoCommandTest {
  private static final TableSchema SCHEMA = NatEvents.SCHEMA;
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  @TempDir private Path directory;
  private Store store;
  private final TableBlock rows = new TableBlock(SCHEMA, 4);

  @BeforeEach
  void open() {
    store = new DuckDbStore(directory, StoreConfig.defaults());
    new FlowsPipeline().tables().forEach(store::results);
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** An event some seconds past noon; columns that are not given are null. */
  private void event(int second, String event, Map<String, Object> values) {
    rows.reserve(1);
    int row = rows.rows();
    for (int i = 0; i < SCHEMA.size(); i++) {
      String name = SCHEMA.columns().get(i).name();
      Object value = values.get(name);
      switch (SCHEMA.type(i)) {
        case TIME -> rows.longs(i)[row] = NOON.plusSeconds(second).toEpochMilli() * 1000;
        case LONG -> rows.longs(i)[row] = value == null ? TableBlock.NULL : (Integer) value;
        case ADDRESS -> {
          long[] address = {Addresses.NULL, Addresses.NULL};
          String told = name.equals("exporter") ? "198.51.100.1" : (String) value;
          if (told != null) {
            assertThat(Addresses.parse(told, address)).isTrue();
          }
          rows.addressHigh(i)[row] = address[0];
          rows.addressLow(i)[row] = address[1];
        }
        case TEXT -> rows.texts(i).add(name.equals("event") ? event : (String) value);
        case DOUBLE -> throw new AssertionError("no column is one");
      }
    }
    rows.rows(row + 1);
  }

  private void block(int second, String event, String inside, int from, int to) {
    event(
        second,
        event,
        Map.of(
            "inside", inside,
            "outside", "192.0.2.9",
            "outside_port", from,
            "outside_port_end", to,
            "subscriber", "of " + inside));
  }

  private void session(int second, String event, String inside, int proto, String to) {
    event(
        second,
        event,
        Map.of(
            "inside",
            inside,
            "inside_port",
            5000,
            "outside",
            "192.0.2.9",
            "outside_port",
            4711,
            "outside_port_end",
            4711,
            "proto",
            proto,
            "dst_addr",
            to,
            "dst_port",
            443));
  }

  private List<String> who(String endpoint, int second, OptionalInt protocol) throws Exception {
    if (rows.rows() > 0) {
      ResultSpec table =
          new FlowsPipeline()
              .tables().stream()
                  .filter(each -> each.name().equals("nat_events"))
                  .findFirst()
                  .orElseThrow();
      try (BlockSink<TableBlock, Long> writer = store.results(table).writer(0)) {
        writer.append(rows);
        writer.flush();
      }
      rows.clear();
    }
    List<String> found = new ArrayList<>();
    String sql = WhoCommand.sql(endpoint, NOON.plusSeconds(second), protocol);
    try (QueryResult result =
        store.query(new QueryRequest(sql, Duration.ofSeconds(20), 100, false))) {
      while (result.next()) {
        found.add(
            result.value(0)
                + " "
                + result.value(2)
                + " "
                + result.value(3)
                + " "
                + result.value(4));
      }
    }
    return found;
  }

  private List<String> who(int second) throws Exception {
    return who("192.0.2.9:4711", second, OptionalInt.empty()).stream()
        .map(each -> each.replaceAll(" .*", ""))
        .toList();
  }

  @Test
  void findsTheLastUnreleasedHolderOfABlock() throws Exception {
    block(0, "allocate", "100.64.0.1", 4608, 4735);
    block(0, "allocate", "100.64.0.9", 4736, 4863);
    block(60, "release", "100.64.0.1", 4608, 4735);
    block(120, "allocate", "100.64.0.2", 4608, 4735);
    block(180, "allocate", "100.64.0.3", 4608, 4735); // the release was lost
    block(181, "release", "100.64.0.2", 4608, 4735); // or late
    assertThat(who(-1)).isEmpty();
    assertThat(who("192.0.2.9:4711", 0, OptionalInt.empty()))
        .containsExactly("100.64.0.1 of 100.64.0.1 2026-01-01 12:00:00.0 2026-01-01 12:01:00.0");
    assertThat(who(59)).containsExactly("100.64.0.1");
    assertThat(who(60)).isEmpty();
    assertThat(who(150)).containsExactly("100.64.0.2");
    assertThat(who(500)).containsExactly("100.64.0.3");
    assertThat(who("192.0.2.9:4735", 500, OptionalInt.of(6))).hasSize(1);
    assertThat(who("192.0.2.9:4736", 500, OptionalInt.of(6)).get(0)).startsWith("100.64.0.9");
    assertThat(who("192.0.2.9:4864", 500, OptionalInt.empty())).isEmpty();
    assertThat(who("192.0.2.8:4711", 500, OptionalInt.empty())).isEmpty();
  }

  @Test
  void sessionsOfAPortAreSeparateRowsByDestination() throws Exception {
    session(0, "create", "10.0.0.1", 6, "203.0.113.1");
    session(10, "create", "10.0.0.2", 6, "203.0.113.2");
    session(20, "create", "10.0.0.3", 17, "203.0.113.3");
    session(30, "delete", "10.0.0.1", 6, "203.0.113.1");
    assertThat(who(25)).containsExactly("10.0.0.3", "10.0.0.2", "10.0.0.1");
    assertThat(who(30)).containsExactly("10.0.0.3", "10.0.0.2");
    assertThat(who("192.0.2.9:4711", 30, OptionalInt.of(17))).hasSize(1);
    block(40, "allocate", "10.0.0.4", 4700, 4799); // all sessions of before have ended
    assertThat(who(50)).containsExactly("10.0.0.4");
  }

  @Test
  void atEqualTimesAReleasePrecedesACreation() throws Exception {
    session(0, "create", "10.0.0.1", 6, "203.0.113.1");
    session(10, "create", "10.0.0.1", 6, "203.0.113.1");
    session(10, "delete", "10.0.0.1", 6, "203.0.113.1");
    assertThat(who(11)).containsExactly("10.0.0.1");
  }

  @Test
  void portBlocksMayHaveASteps() throws Exception {
    event(
        0,
        "create",
        Map.of(
            "inside", "10.0.0.1",
            "outside", "192.0.2.9",
            "outside_port", 4700,
            "outside_port_end", 4800,
            "port_step", 4));
    assertThat(who("192.0.2.9:4708", 1, OptionalInt.empty())).hasSize(1);
    assertThat(who(1)).isEmpty();
  }

  @Test
  void addressesAreOfBothFamilies() throws Exception {
    event(0, "create", Map.of("inside", "fd00::1", "outside", "2001:db8::9"));
    assertThat(who("[2001:0db8::9]:1", 1, OptionalInt.empty())).hasSize(1);
  }

  @Test
  void invalidEndpointsAreRejected() {
    for (String wrong : List.of("192.0.2.9", "192.0.2.9:", "192.0.2.9:70000", "a:1", "1.2.3:4")) {
      assertThatThrownBy(() -> WhoCommand.sql(wrong, NOON, OptionalInt.empty()))
          .isInstanceOf(UsageException.class)
          .hasMessageContaining(wrong);
    }
  }
}

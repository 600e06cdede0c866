package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.pipelines.ApiEndpoint;
import io.millrace.store.DeviceNames;
import io.millrace.store.ResultSpec;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.NameKind;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.sflow.SflowEncoder;
import io.millrace.wire.sflow.SflowLayout;
import io.millrace.wire.sink.BlockSink;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportedNamesTest {
  private static final long SECOND = 1_000_000;
  private static final long HOUR = 3_600 * SECOND;

  private final ReportedNames names = new ReportedNames();

  private void report(int exporter, long micros, long number, String name) {
    names.begin(0, Addresses.v4Low(exporter), micros);
    names.name(NameKind.INTERFACE, number, name, "");
  }

  private int rows() {
    TableBlock taken = names.take();
    return taken == null ? 0 : taken.rows();
  }

  @Test
  void aNameBecomesARowWhenNewOrChangedAndOnceAnHour() {
    report(1, 0, 7, "a");
    report(1, SECOND, 7, "a");
    report(1, SECOND, 8, "a");
    report(2, SECOND, 7, "a");
    assertThat(rows()).isEqualTo(3);
    report(1, 2 * SECOND, 7, "b");
    report(1, 3 * SECOND, 7, "b");
    assertThat(rows()).isEqualTo(1);
    report(1, HOUR, 7, "b");
    assertThat(rows()).isEqualTo(1);
    assertThat(rows()).isZero();
  }

  /** One options table has the names of interfaces, another one their descriptions. */
  @Test
  void anEmptyTextDoesNotReplaceAnEarlierOne() {
    names.begin(0, Addresses.v4Low(1), 0);
    names.name(NameKind.INTERFACE, 7, "Gi0/1", "");
    names.name(NameKind.INTERFACE, 7, "", "to the peer");
    names.name(NameKind.INTERFACE, 7, "Gi0/1", "");
    names.name(NameKind.INTERFACE, 8, "", "of another");
    names.begin(0, Addresses.v4Low(2), 0);
    names.name(NameKind.INTERFACE, 7, "", "of another");
    TableBlock rows = names.take();
    assertThat(rows.rows()).isEqualTo(4);
    assertThat(texts(rows, 1)).containsExactly("Gi0/1", "to the peer");
    assertThat(texts(rows, 2)).containsExactly(null, "of another");
    assertThat(texts(rows, 3)).containsExactly(null, "of another");
  }

  private static List<String> texts(TableBlock rows, int row) {
    return Arrays.asList(rows.texts(4).get(row), rows.texts(5).get(row));
  }

  /** Senders choose the number of names. */
  @Test
  void theNumberOfNamesOfASenderIsBounded() {
    long[] rejected = new long[1];
    names.counting(n -> rejected[0] += n);
    for (int number = 0; number < 20_000; number++) {
      report(1, 0, number, "x");
    }
    assertThat(rows()).isEqualTo(16_384);
    assertThat(rejected[0]).isEqualTo(20_000 - 16_384);
    report(2, 0, 1, "of another");
    report(1, 0, 5, "another name of one that is known");
    assertThat(rows()).isEqualTo(2);
  }

  /**
   * Addresses can be forged: the least recently active sender is evicted, and its names become rows
   * again.
   */
  @Test
  void theNumberOfRememberedNamesIsBounded() {
    report(1, 0, 7, "a");
    for (int sender = 0; sender < 300; sender++) {
      for (int number = 0; number < 1_000; number++) {
        report(10 + sender, 0, number, "x");
      }
    }
    assertThat(rows()).isEqualTo(300_001);
    report(309, 0, 3, "x");
    assertThat(rows()).isZero();
    report(1, 0, 7, "a");
    assertThat(rows()).isEqualTo(1);
  }

  /** From counter samples of an interface through the decoder to the response. */
  @Test
  void interfacesHaveTheirUtilisation(@TempDir Path directory) {
    List<TableBlock> counted = new ArrayList<>();
    List<TableBlock> blocks = new ArrayList<>();
    Emitter<FlowBlock> out =
        new Emitter<>() {
          @Override
          public void emit(FlowBlock block) {}

          @Override
          public <B extends Block> void emit(Output<B> output, B block) {
            if (output.equals(ReportedNames.ROWS)) {
              blocks.add((TableBlock) block);
            } else if (output.equals(InterfaceCounters.ROWS)) {
              counted.add((TableBlock) block);
            }
          }
        };
    FlowDecoder decoder = new FlowDecoder(FlowsConfig.defaults(), 1);
    for (int second = 100; second <= 120; second += 20) {
      byte[] datagram = counters(second);
      RawBatch.Writer batch = new RawBatch.Writer(0);
      batch.add(
          second * SECOND, 0, Addresses.v4Low(0x0A000009), 6343, datagram, 0, datagram.length);
      decoder.process(RawBatch.wrap(batch.toBytes(), 0, second), out);
    }
    assertThat(blocks).hasSize(1);
    StoreConfig config = StoreConfig.defaults().withBoundaries(Map.of("external", List.of("SWP%")));
    try (Store store = new DuckDbStore(directory, config)) {
      FlowsPipeline pipeline = new FlowsPipeline();
      pipeline.tables().forEach(store::results);
      pipeline.views().forEach(store::resultView);
      write(store, InterfaceCounters.TABLE, counted);
      write(store, DeviceNames.TABLE, blocks);
      assertThat(answer(store, Map.of()))
          .isEqualTo(
              "{rows=[{exporter=10.0.0.9, interface=7, name=swp7, description=null,"
                  + " boundary=external, speed=1000000000, counted=1970-01-01T00:02:00Z,"
                  + " in_bits=2.5E8, out_bits=0.0, in_percent=25.0, out_percent=0.0}]}");
      assertThat(answer(store, Map.of("exporter", "10.0.0.8"))).isEqualTo("{rows=[]}");
    }
  }

  private static byte[] counters(int second) {
    CounterBlock counters = new CounterBlock(1);
    counters.ints(CounterColumn.IF_INDEX)[0] = 7;
    counters.longs(CounterColumn.IF_SPEED)[0] = 1_000_000_000;
    counters.longs(CounterColumn.IN_OCTETS)[0] = 31_250_000L * second;
    SflowEncoder encoder = new SflowEncoder(1_500);
    encoder.begin(0, Addresses.v4Low(0x0A000001), 2, second, 1_000 * second);
    encoder.counterSample(second, 0, 7);
    encoder.interfaceCounters(counters, 0);
    byte[] name =
        ByteBuffer.allocate(8).putInt(4).put("swp7".getBytes(StandardCharsets.UTF_8)).array();
    encoder.record(SflowLayout.PORT_NAME, name, 0, 8);
    return encoder.toBytes();
  }

  private static void write(Store store, ResultSpec table, List<TableBlock> blocks) {
    try (BlockSink<TableBlock, Long> writer = store.results(table).writer(0)) {
      blocks.forEach(writer::append);
      writer.flush();
    }
  }

  private static String answer(Store store, Map<String, String> parameters) {
    return new Interfaces(store)
        .query(
            new ApiEndpoint.Parameters() {
              @Override
              public Optional<String> get(String name) {
                return Optional.ofNullable(parameters.get(name));
              }

              @Override
              public int intParameter(String name, int fallback, int min, int max) {
                return fallback;
              }
            })
        .toString();
  }
}

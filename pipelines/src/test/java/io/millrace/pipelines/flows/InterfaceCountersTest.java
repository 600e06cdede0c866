package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.store.QueryRequest;
import io.millrace.store.QueryResult;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import io.millrace.wire.block.ExportProtocol;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.netflow.FullBlocks;
import io.millrace.wire.netflow.NetflowDecoder;
import io.millrace.wire.sflow.SflowEncoder;
import io.millrace.wire.sink.BlockSink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InterfaceCountersTest {
  private static final long SECOND = 1_000_000;
  private static final long SPEED = 10_000_000_000L;

  @TempDir private Path directory;
  private final FlowDecoder decoder = new FlowDecoder(FlowsConfig.defaults(), 1);
  private final List<TableBlock> tables = new ArrayList<>();
  private final Emitter<FlowBlock> out =
      new Emitter<>() {
        @Override
        public void emit(FlowBlock block) {}

        @Override
        public <B extends Block> void emit(Output<B> output, B block) {
          if (output.equals(InterfaceCounters.ROWS)) {
            tables.add((TableBlock) block);
          }
        }
      };

  /** Decodes a value with the counters of an agent's interface 7 at a second. */
  private void counted(int second, long octets, int unicast, int multicast, int errors) {
    CounterBlock counters = new CounterBlock(1);
    counters.ints(CounterColumn.IF_INDEX)[0] = 7;
    counters.longs(CounterColumn.IF_SPEED)[0] = SPEED;
    counters.ints(CounterColumn.IF_STATUS)[0] = 3;
    counters.longs(CounterColumn.IN_OCTETS)[0] = octets;
    counters.ints(CounterColumn.IN_UNICAST)[0] = unicast;
    counters.ints(CounterColumn.IN_MULTICAST)[0] = multicast;
    counters.ints(CounterColumn.IN_BROADCAST)[0] = FlowBlock.NULL;
    counters.ints(CounterColumn.IN_ERRORS)[0] = errors;
    counters.ints(CounterColumn.OUT_UNICAST)[0] = FlowBlock.NULL;
    counters.ints(CounterColumn.OUT_MULTICAST)[0] = FlowBlock.NULL;
    counters.ints(CounterColumn.OUT_BROADCAST)[0] = FlowBlock.NULL;
    SflowEncoder encoder = new SflowEncoder(1_500);
    encoder.begin(0, Addresses.v4Low(0x0A000001), 2, second, 1_000 * second);
    encoder.counterSample(second, 0, 7);
    encoder.interfaceCounters(counters, 0);
    byte[] datagram = encoder.toBytes();
    RawBatch.Writer batch = new RawBatch.Writer(0);
    batch.add(second * SECOND, 0, Addresses.v4Low(0x0A000009), 6343, datagram, 0, datagram.length);
    decoder.process(RawBatch.wrap(batch.toBytes(), 0, second), out);
  }

  @Test
  void everyCounterSampleIsARowAndRatesAreWhatLiesBetweenTwo() throws Exception {
    counted(100, 1_000, -5, 2, 1); // unicast 2³² − 5, about to wrap
    counted(110, 1_000 + 12_500_000_000L, 5, 2, 3);
    counted(120, 40, 1, 0, 0); // the device restarted
    counted(130, 50, 2, 0, 0);
    try (Store store = new DuckDbStore(directory, StoreConfig.defaults())) {
      FlowsPipeline pipeline = new FlowsPipeline();
      pipeline.tables().forEach(store::results);
      pipeline.views().forEach(store::resultView);
      try (BlockSink<TableBlock, Long> writer = store.results(InterfaceCounters.TABLE).writer(0)) {
        for (TableBlock rows : tables) {
          writer.append(rows);
        }
        writer.flush();
      }
      assertThat(
              rows(
                  store,
                  "SELECT epoch(time)::INT, exporter, agent, sub_agent, interface, speed, status,"
                      + " in_octets, in_packets, in_errors, out_octets, out_packets"
                      + " FROM interface_counters ORDER BY time LIMIT 1"))
          .containsExactly("100 10.0.0.9 10.0.0.1 2 7 10000000000 3 1000 4294967293 1 0 null");
      assertThat(
              rows(
                  store,
                  "SELECT epoch(time)::INT, seconds, in_bits, in_percent, in_packets, in_errors,"
                      + " out_packets FROM interface_rates ORDER BY time"))
          .containsExactly(
              "110 10.0 1.0E10 100.0 1.0 0.2 null", "130 10.0 8.0 8.0E-8 0.1 0.0 null");
    }
  }

  @Test
  void ratesOfTheGreatestCountersAreAnswered() throws Exception {
    counted(100, 0, 1, 0, 0);
    counted(101, Long.MAX_VALUE, 1, 0, 0);
    counted(102, Long.MIN_VALUE, 1, 0, 0); // 2⁶³, which its column reads as negative
    counted(103, Long.MAX_VALUE, 1, 0, 0);
    try (Store store = new DuckDbStore(directory, StoreConfig.defaults())) {
      FlowsPipeline pipeline = new FlowsPipeline();
      pipeline.tables().forEach(store::results);
      pipeline.views().forEach(store::resultView);
      try (BlockSink<TableBlock, Long> writer = store.results(InterfaceCounters.TABLE).writer(0)) {
        for (TableBlock rows : tables) {
          writer.append(rows);
        }
        writer.flush();
      }
      assertThat(rows(store, "SELECT max(in_bits) > 7e19 FROM interface_rates"))
          .containsExactly("true");
    }
  }

  @Test
  void countersOfADatagramThatCannotBeDecodedAreTakenBack() {
    FlowDecoder failing =
        new FlowDecoder(FlowsConfig.defaults(), 1) {
          @Override
          void decode(
              ExportProtocol protocol,
              RawBatch batch,
              int cursor,
              NetflowDecoder records,
              FlowBlock block,
              FullBlocks full) {
            super.decode(protocol, batch, cursor, records, block, full);
            throw new IllegalStateException("after its counters");
          }
        };
    CounterBlock counters = new CounterBlock(1);
    SflowEncoder encoder = new SflowEncoder(1_500);
    encoder.begin(0, Addresses.v4Low(1), 0, 1, 10);
    encoder.counterSample(1, 0, 7);
    encoder.interfaceCounters(counters, 0);
    byte[] datagram = encoder.toBytes();
    RawBatch.Writer batch = new RawBatch.Writer(0);
    batch.add(SECOND, 0, Addresses.v4Low(9), 6343, datagram, 0, datagram.length);
    failing.process(RawBatch.wrap(batch.toBytes(), 0, 1), out);
    assertThat(tables).isEmpty();
  }

  private static List<String> rows(Store store, String sql) throws Exception {
    List<String> rows = new ArrayList<>();
    try (QueryResult result = store.query(new QueryRequest(sql, Duration.ofMinutes(1), 100))) {
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 0; i < result.columns().size(); i++) {
          row.append(i == 0 ? "" : " ").append(result.value(i));
        }
        rows.add(row.toString());
      }
    }
    return rows;
  }
}

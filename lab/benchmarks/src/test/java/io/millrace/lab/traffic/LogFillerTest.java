package io.millrace.lab.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipelines.flows.FlowDecoder;
import io.millrace.pipelines.flows.FlowsConfig;
import io.millrace.traffic.DatagramSource;
import io.millrace.traffic.DemoData;
import io.millrace.traffic.LogFiller;
import io.millrace.traffic.PreparedTraffic;
import io.millrace.traffic.TrafficGenerator;
import io.millrace.traffic.TruthCounter;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RawBatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogFillerTest {
  private static final long START = 1_780_000_000_000_000L;
  private static final int BATCH_BYTES = 20_000;

  private final List<RawBatch> log = new ArrayList<>();
  private DatagramSource source;
  private TruthCounter truth;

  @BeforeEach
  void makeSource() throws IOException {
    TrafficGenerator generator =
        new TrafficGenerator(TrafficConfig.defaults(5, START), DemoData.pool());
    source = new PreparedTraffic(generator, 1_000); // fewer than needed: several rounds
    truth = new TruthCounter(source);
  }

  private void fill(LogFiller filler, long samples) throws IOException {
    filler.fill(
        samples,
        (value, time) -> {
          RawBatch batch = RawBatch.wrap(value, 0, log.size());
          assertThat(batch.isSound()).isTrue();
          assertThat(time).isEqualTo(lastTime(batch));
          log.add(batch);
        },
        truth);
  }

  private static long lastTime(RawBatch batch) {
    int cursor = batch.first();
    for (int i = 1; i < batch.rows(); i++) {
      cursor = batch.next(cursor);
    }
    return batch.time(cursor);
  }

  @Test
  void countedRecordsAreInTheLog() throws IOException {
    LogFiller filler = new LogFiller(source, BATCH_BYTES);
    fill(filler, 20_000);
    assertThat(truth.samples()).isBetween(20_000L, 20_010L);
    assertThat(log.stream().mapToLong(RawBatch::rows).sum()).isEqualTo(truth.datagrams());
    assertDecodesToTheTruth();
  }

  @Test
  void eachFillAddsTheRequestedRows() throws IOException {
    LogFiller filler = new LogFiller(source, BATCH_BYTES);
    fill(filler, 1_000);
    long first = truth.samples();
    fill(filler, 1_000);
    assertThat(truth.samples()).isBetween(first + 1_000, first + 1_010);
    assertDecodesToTheTruth();
  }

  private void assertDecodesToTheTruth() {
    FlowDecoder decoder = new FlowDecoder(FlowsConfig.defaults(), 1);
    long[] rowsAndBytes = new long[2];
    for (RawBatch batch : log) {
      decoder.process(
          batch,
          block -> {
            rowsAndBytes[0] += block.rows();
            rowsAndBytes[1] += bytes(block);
          });
    }
    assertThat(rowsAndBytes).containsExactly(truth.samples(), truth.bytes());
  }

  private static long bytes(FlowBlock block) {
    long sum = 0;
    for (int row = 0; row < block.rows(); row++) {
      sum += block.longs(FlowColumn.BYTES)[row];
    }
    return sum;
  }

  @Test
  void batchesByCountHoldThatNumberOfDatagrams() throws IOException {
    fill(LogFiller.byCount(source, 300), 20_000);
    assertThat(log).hasSizeGreaterThan(5);
    assertThat(log.subList(0, log.size() - 1)).allMatch(batch -> batch.rows() == 300);
    assertThat(log.get(log.size() - 1).rows()).isBetween(1, 300);
    assertDecodesToTheTruth();
  }

  @Test
  void aBatchEndsWithTheDatagramThatFillsIt() throws IOException {
    fill(new LogFiller(source, BATCH_BYTES), 20_000);
    assertThat(log).hasSizeGreaterThan(10);
    for (RawBatch batch : log.subList(0, log.size() - 1)) {
      assertThat(batch.length()).isBetween(BATCH_BYTES, BATCH_BYTES + 2_048);
    }
    assertThat(log.get(log.size() - 1).length()).isLessThan(BATCH_BYTES + 2_048);
  }
}

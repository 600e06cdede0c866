package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LoadSheddingTest {
  private static final long WINDOW_MICROS = 100_000;
  private static final int LIMIT = 1_000;

  private final LoadShedding shedding = new LoadShedding();

  @Test
  void belowTheLimitNothingIsLeftOut() {
    for (int window = 1; window <= 50; window++) {
      FlowBlock block = block(100, 0);
      assertThat(shedding.apply(block, 0, 0, 1, window * WINDOW_MICROS, LIMIT)).isZero();
      assertThat(block.rows()).isEqualTo(100);
      assertThat(block.ints(FlowColumn.SAMPLING_RATE)[99]).isEqualTo(10);
    }
  }

  @Test
  void aboveTheLimitSumsStayRight() {
    Random random = new Random(7);
    double[] sent = new double[3];
    double[] kept = new double[3];
    for (int window = 1; window <= 400; window++) {
      for (int exporter = 0; exporter < sent.length; exporter++) {
        int max = 200 << exporter;
        for (int part = 0; part < 10; part++) {
          FlowBlock block = block(random.nextInt(max), part);
          long micros = window * WINDOW_MICROS + part * WINDOW_MICROS / 10;
          sent[exporter] += sum(block);
          int before = block.rows();
          int shed = shedding.apply(block, 0, 0, exporter, micros, LIMIT);
          assertThat(shed).isEqualTo(before - block.rows());
          kept[exporter] += sum(block);
        }
      }
    }
    for (int exporter = 0; exporter < sent.length; exporter++) {
      assertThat(kept[exporter] / sent[exporter]).isCloseTo(1, within(0.01));
    }
  }

  @Test
  void whatStaysIsInOrderAndWhatWasVacatedIsNull() {
    shedding.apply(block(400, 0), 0, 0, 1, WINDOW_MICROS, LIMIT);
    FlowBlock block = block(400, 0);
    int shed = shedding.apply(block, 100, 0, 1, 2 * WINDOW_MICROS, LIMIT);
    assertThat(shed).isEqualTo(225);
    assertThat(block.rows()).isEqualTo(175);
    for (int row = 0; row < 100; row++) {
      assertThat(block.longs(FlowColumn.TIME)[row]).isEqualTo(row);
      assertThat(block.ints(FlowColumn.SAMPLING_RATE)[row]).isEqualTo(10);
    }
    for (int row = 100; row < 175; row++) {
      int source = 100 + 4 * (row - 100);
      assertThat(block.longs(FlowColumn.TIME)[row]).isEqualTo(source);
      assertThat(block.ints(FlowColumn.MPLS_LABEL)[row]).isEqualTo(source);
      assertThat(block.ints(FlowColumn.SAMPLING_RATE)[row]).isEqualTo(40);
    }
    for (int row = 175; row < 400; row++) {
      assertThat(block.ints(FlowColumn.MPLS_LABEL)[row]).isEqualTo(FlowBlock.NULL);
    }
  }

  @Test
  void rowsOfOneExporterAreNotShedForAnother() {
    shedding.apply(block(4_000, 0), 0, 0, 1, WINDOW_MICROS, LIMIT);
    shedding.apply(block(10, 0), 0, 0, 2, WINDOW_MICROS, LIMIT);
    assertThat(shedding.apply(block(40, 0), 0, 0, 1, 2 * WINDOW_MICROS, LIMIT)).isEqualTo(39);
    assertThat(shedding.apply(block(40, 0), 0, 0, 2, 2 * WINDOW_MICROS, LIMIT)).isZero();
  }

  @Test
  void aRateThatWouldNotFitIsTheLargest() {
    shedding.apply(block(4_000, 0), 0, 0, 1, WINDOW_MICROS, LIMIT);
    FlowBlock block = block(1, 0);
    block.ints(FlowColumn.SAMPLING_RATE)[0] = 1 << 30;
    shedding.apply(block, 0, 0, 1, 2 * WINDOW_MICROS, LIMIT);
    assertThat(block.ints(FlowColumn.SAMPLING_RATE)[0]).isEqualTo(0xFFFF_FFFE);
  }

  private static FlowBlock block(int rows, int salt) {
    FlowBlock block = new FlowBlock(Math.max(1, rows));
    block.rows(rows);
    for (int row = 0; row < rows; row++) {
      block.longs(FlowColumn.TIME)[row] = row;
      block.longs(FlowColumn.BYTES)[row] = 500L + (row * 7L + salt) % 100;
      block.ints(FlowColumn.SAMPLING_RATE)[row] = 10;
      block.ints(FlowColumn.MPLS_LABEL)[row] = row;
    }
    return block;
  }

  private static double sum(FlowBlock block) {
    double sum = 0;
    for (int row = 0; row < block.rows(); row++) {
      long rate = block.ints(FlowColumn.SAMPLING_RATE)[row] & 0xFFFF_FFFFL;
      sum += (double) block.longs(FlowColumn.BYTES)[row] * rate;
    }
    return sum;
  }
}

package io.millrace.analytics.windows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.testing.AnalyzerTester;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class SumsByWindowTest {
  private static final TableSchema IN =
      TableSchema.builder()
          .time("time")
          .number("source")
          .number("port")
          .address("host")
          .number("bytes")
          .build();
  private static final SlidingWindows WINDOWS = new SlidingWindows(60, 20);
  private static final SumsByWindow.Settings BY_SOURCE =
      new SumsByWindow.Settings(WINDOWS, IN, "time", List.of("source"), List.of("bytes"));

  private static TableBlock rows(long... timeSourcePortBytes) {
    int rows = timeSourcePortBytes.length / 4;
    TableBlock block = new TableBlock(IN, rows);
    for (int row = 0; row < rows; row++) {
      block.longs(0)[row] = timeSourcePortBytes[4 * row];
      block.longs(1)[row] = timeSourcePortBytes[4 * row + 1];
      block.longs(2)[row] = timeSourcePortBytes[4 * row + 2];
      block.addressLow(3)[row] = timeSourcePortBytes[4 * row + 1];
      block.addressHigh(3)[row] = 0x20010db8_00000000L;
      block.longs(4)[row] = timeSourcePortBytes[4 * row + 3];
    }
    block.rows(rows);
    return block;
  }

  @Test
  void eachWindowHasItsRows() {
    AnalyzerTester.of(() -> new SumsByWindow(BY_SOURCE))
        .keyedBy(BY_SOURCE.rowKeys())
        .feed(rows(5, 7, 80, 100, 15, 7, 443, 10, 25, 8, 80, 1))
        .watermark(19)
        .feed(rows(30, 7, 80, 1000))
        .watermark(59)
        .feed(rows(3, 9, 80, 1, 10, 7, 1, 5, 21, 7, 1, 5))
        .expect(
            "20 7 2 110",
            "40 7 3 1110",
            "40 8 1 1",
            "60 7 3 1110",
            "60 8 1 1",
            "80 7 2 1005",
            "80 8 1 1");
  }

  @Test
  void aNullAddsNothing() {
    AnalyzerTester.of(() -> new SumsByWindow(BY_SOURCE))
        .keyedBy(BY_SOURCE.rowKeys())
        .feed(rows(60, 7, 1, TableBlock.NULL, 61, 7, 1, 4))
        .watermark(70)
        .expect("80 7 2 4", "100 7 2 4", "120 7 2 4");
  }

  @Test
  void keysOfTwoColumnsAndOfAddresses() {
    SumsByWindow.Settings two =
        new SumsByWindow.Settings(
            SlidingWindows.tumbling(60), IN, "time", List.of("source", "port"), List.of());
    AnalyzerTester.of(() -> new SumsByWindow(two))
        .keyedBy(two.rowKeys())
        .feed(rows(1, 7, 80, 1, 2, 7, 443, 1, 3, 7, 80, 1))
        .expect("60 7 80 2", "60 7 443 1");
    SumsByWindow.Settings address =
        new SumsByWindow.Settings(
            SlidingWindows.tumbling(60), IN, "time", List.of("host"), List.of("bytes"));
    AnalyzerTester.of(() -> new SumsByWindow(address))
        .keyedBy(address.rowKeys())
        .feed(rows(1, 7, 80, 1, 2, 8, 443, 1, 3, 7, 80, 1))
        .expect("60 2001:db8::7 2 2", "60 2001:db8::8 1 1");
  }

  @Test
  void countsLateRows() throws Exception {
    AtomicLong late = new AtomicLong();
    SumsByWindow analyzer = new SumsByWindow(BY_SOURCE);
    analyzer.open(counting(late));
    analyzer.watermark(100, block -> {});
    analyzer.process(rows(59, 7, 1, 1, 60, 7, 1, 1, TableBlock.NULL, 7, 1, 1), block -> {});
    assertThat(late).hasValue(2);
  }

  private static AnalyzerContext counting(AtomicLong late) {
    return new AnalyzerContext() {
      @Override
      public int index() {
        return 0;
      }

      @Override
      public int count() {
        return 1;
      }

      @Override
      public KeyGroups keyGroups() {
        return KeyGroups.all();
      }

      @Override
      public Counter counter(String name) {
        return late::addAndGet;
      }

      @Override
      public void gauge(String name, LongSupplier value) {}
    };
  }

  @Test
  void rejectsMissingColumns() {
    assertThatThrownBy(
            () ->
                new SumsByWindow.Settings(WINDOWS, IN, "time", List.of("sauce"), List.of("bytes")))
        .hasMessageContaining("unknown column 'sauce'");
    assertThatThrownBy(
            () ->
                new SumsByWindow.Settings(WINDOWS, IN, "time", List.of("source"), List.of("host")))
        .hasMessageContaining("column 'host' is ADDRESS");
    assertThatThrownBy(() -> new SlidingWindows(10, 20)).hasMessageContaining("slide by 20");
  }
}

package io.millrace.pipelines.flows;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Sheds rows of an exporter that exceeds a configured rate: keeps one in {@code n} rows, with
 * {@code n} times its sampling rate, so that sums of bytes × sampling_rate stay unbiased.
 *
 * <p>Rates are measured by arrival time over windows of 100 ms; {@code n} is the smallest integer
 * that reduces the last window's rate to the configured one. Not thread-safe.
 */
final class LoadShedding {
  private static final long WINDOW_MICROS = 100_000;
  private static final int MAX_EXPORTERS = 4_096;

  private record Address(long high, long low) {}

  private static final class Flow {
    private long windowStart;
    private long rows;
    private int keepOneIn = 1;
    private int turn;
  }

  private final Map<Address, Flow> flows =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Address, Flow> eldest) {
          return size() > MAX_EXPORTERS;
        }
      };

  /**
   * Sheds rows, from row {@code from} on, to {@code limit} per second; returns the number of rows
   * dropped.
   */
  int apply(FlowBlock block, int from, long high, long low, long micros, double limit) {
    int rows = block.rows();
    Flow flow = flows.computeIfAbsent(new Address(high, low), address -> new Flow());
    adapt(flow, micros, limit);
    flow.rows += rows - from;
    int factor = flow.keepOneIn;
    if (factor == 1 || rows == from) {
      return 0;
    }
    int[] rates = block.ints(FlowColumn.SAMPLING_RATE);
    int to = from;
    for (int row = from; row < rows; row++) {
      if (flow.turn++ % factor == 0) {
        block.copyRow(row, to);
        rates[to] = raised(rates[to], factor);
        to++;
      }
    }
    flow.turn %= factor;
    block.nullOptional(to, rows);
    block.rows(to);
    return rows - to;
  }

  private static void adapt(Flow flow, long micros, double limit) {
    long elapsed = micros - flow.windowStart;
    if (elapsed < WINDOW_MICROS && elapsed >= 0) {
      return;
    }
    double rate = elapsed > 0 ? flow.rows * 1e6 / elapsed : 0;
    flow.keepOneIn = (int) Math.max(1, Math.min(1 << 20, Math.ceil(rate / limit)));
    flow.windowStart = micros;
    flow.rows = 0;
  }

  private static int raised(int rate, int factor) {
    return rate == FlowBlock.NULL
        ? rate // unknown rates stay unknown
        : (int) Math.min((rate & 0xFFFF_FFFFL) * factor, 0xFFFF_FFFEL);
  }
}

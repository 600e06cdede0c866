package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Algorithm;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.util.Arrays;
import java.util.List;

/** Flows for tests. */
final class Flows {
  static final long SECOND = 1_000_000;

  /**
   * A flow from 10.0.0.{@code source} to 10.0.1.{@code destination}.
   *
   * @param second when
   */
  record Flow(int second, int source, int destination, long packets, long bytes, int rate) {}

  private Flows() {}

  static FlowBlock block(List<Flow> flows) {
    FlowBlock block = new FlowBlock(flows.size());
    for (int row = 0; row < flows.size(); row++) {
      Flow flow = flows.get(row);
      block.longs(FlowColumn.TIME)[row] = flow.second() * SECOND;
      block.addressLow(FlowColumn.SRC_ADDR)[row] = source(flow.source());
      block.addressLow(FlowColumn.DST_ADDR)[row] = Addresses.v4Low(0x0A000100 + flow.destination());
      block.ints(FlowColumn.PROTO)[row] = 6;
      block.longs(FlowColumn.PACKETS)[row] = flow.packets();
      block.longs(FlowColumn.BYTES)[row] = flow.bytes();
      block.ints(FlowColumn.SAMPLING_RATE)[row] = flow.rate();
    }
    block.rows(flows.size());
    return block;
  }

  static FlowBlock block(Flow... flows) {
    return block(List.of(flows));
  }

  static long source(int number) {
    return Addresses.v4Low(0x0A000000 + number);
  }

  /** Settings with epochs of ten seconds. */
  static HitterSettings settings(
      HitterSettings.Measure measure, String threshold, long memory, String... keys) {
    return settings(Algorithm.MV, measure, threshold, memory, keys);
  }

  /** The same with another algorithm. */
  static HitterSettings settings(
      Algorithm algorithm,
      HitterSettings.Measure measure,
      String threshold,
      long memory,
      String... keys) {
    return new HitterSettings(
        Arrays.stream(keys).map(HitterKind::parse).toList(),
        measure,
        10 * SECOND,
        Threshold.parse(threshold),
        memory,
        algorithm,
        17);
  }
}

package io.millrace.analytics.hitters;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;

/** Columns of a block of flows used for profiles. */
final class DetailColumns {
  static final String COUNTRY = "src_country";

  final long[] times;
  final int[] protocols;
  final int[] ports;
  final int[] flags;
  private final long[] sourceHigh;
  private final long[] sourceLow;
  private final JoinedColumn countries;
  private final long seed;

  DetailColumns(FlowBlock flows, long seed) {
    times = flows.longs(FlowColumn.TIME);
    protocols = flows.ints(FlowColumn.PROTO);
    ports = flows.ints(FlowColumn.DST_PORT);
    flags = flows.ints(FlowColumn.TCP_FLAGS);
    sourceHigh = flows.addressHigh(FlowColumn.SRC_ADDR);
    sourceLow = flows.addressLow(FlowColumn.SRC_ADDR);
    countries =
        flows.joined().stream().filter(c -> c.name().equals(COUNTRY)).findFirst().orElse(null);
    this.seed = seed;
  }

  long sourceHash(int row) {
    return mix(mix(sourceHigh[row] ^ seed) + sourceLow[row]);
  }

  boolean hasCountry(int row) {
    return countries != null && countries.values()[row] != FlowBlock.NULL;
  }

  long country(int row) {
    int value = countries.values()[row];
    return countries.kind() == JoinedColumn.Kind.TEXT
        ? countries.base() + value
        : value & 0xFFFF_FFFFL;
  }

  /** The finalizer of SplitMix64: each bit of the result depends on all input bits. */
  static long mix(long number) {
    long mixed = (number ^ (number >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }
}

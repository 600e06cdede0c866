package io.millrace.datasets.range;

import io.millrace.datasets.Lookup;
import io.millrace.wire.block.Addresses;

/**
 * Address ranges in flat arrays of primitives. Addresses in {@code ::ffff:0:0/96} are IPv4.
 * Immutable and thread-safe.
 */
public final class HeapRangeTable extends RecordTable {
  private final int ranges;
  private final SlashTwentyFours v4;
  private final SlashSixtyFours v6;
  private final InnerSteps inner;
  private final long fingerprint;

  HeapRangeTable(String name, Records records, int ranges, NestedSteps steps, long fingerprint) {
    super(name, records);
    this.ranges = ranges;
    v4 = new SlashTwentyFours(steps.v4());
    v6 = new SlashSixtyFours(steps.v6());
    inner = steps.inner();
    this.fingerprint = fingerprint;
  }

  @Override
  public int entries() {
    return ranges;
  }

  @Override
  public long fingerprint() {
    return fingerprint;
  }

  @Override
  public long heapBytes() {
    return super.heapBytes() + v4.heapBytes() + v6.heapBytes() + inner.heapBytes();
  }

  @Override
  public Lookup newLookup() {
    return new TableLookup();
  }

  private final class TableLookup extends RecordLookup {
    private int[] v6Rows = new int[0];
    private long[] v6High = new long[0];
    private int[] v6Slots = new int[0];

    /** Looks IPv4 addresses up in order; IPv6 addresses are collected and looked up together. */
    @Override
    public void lookup(long[] high, long[] low, int rows, int[] out) {
      if (v6Rows.length < rows) {
        int capacity = (rows + SlashSixtyFours.LANES - 1) / SlashSixtyFours.LANES;
        v6Rows = new int[capacity * SlashSixtyFours.LANES];
        v6High = new long[v6Rows.length];
        v6Slots = new int[v6Rows.length];
      }
      int set = 0;
      for (int i = 0; i < rows; i++) {
        long h = high[i];
        long l = low[i];
        if (Addresses.isV4(h, l)) {
          int slot = v4.slot((int) l);
          out[i] = slot >= UNKNOWN ? slot : inner.find(slot, l & 0xFF);
        } else {
          v6Rows[set] = i;
          v6High[set++] = h;
        }
      }
      for (int n = 0; n < set; n += SlashSixtyFours.LANES) {
        v6.slots(v6High, n, v6Slots);
      }
      for (int n = 0; n < set; n++) {
        int i = v6Rows[n];
        int slot = v6Slots[n];
        int record = slot >= UNKNOWN ? slot : inner.find(slot, low[i]);
        out[i] = Addresses.isNull(high[i], low[i]) ? UNKNOWN : record;
      }
    }
  }
}

package io.millrace.datasets.range;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.Field;
import io.millrace.datasets.Lookup;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.NewNames;
import java.util.List;

/**
 * Ranges of addresses in flat arrays of primitives. Addresses in {@code ::ffff:0:0/96} are IPv4.
 * Immutable, and safe for use by many threads.
 */
public final class HeapRangeTable implements Dataset {
  private final String name;
  private final Records records;
  private final SlashTwentyFours v4;
  private final SlashSixtyFours v6;
  private final InnerSteps inner;
  private final long fingerprint;

  HeapRangeTable(
      String name, Records records, StepList v4, StepList v6, InnerSteps inner, long fingerprint) {
    this.name = name;
    this.records = records;
    this.v4 = new SlashTwentyFours(v4);
    this.v6 = new SlashSixtyFours(v6);
    this.inner = inner;
    this.fingerprint = fingerprint;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int records() {
    return records.size();
  }

  @Override
  public int texts(int field) {
    Texts texts = records.texts(field);
    return texts == null ? 0 : texts.size();
  }

  @Override
  public long fingerprint() {
    return fingerprint;
  }

  @Override
  public List<Field> fields() {
    return records.fields();
  }

  @Override
  public long heapBytes() {
    return records.heapBytes() + v4.heapBytes() + v6.heapBytes() + inner.heapBytes();
  }

  @Override
  public Lookup newLookup() {
    return new TableLookup();
  }

  @Override
  public void close() {}

  private int find(long high, long low) {
    if (Addresses.isV4(high, low)) {
      int slot = v4.slot((int) low);
      return slot >= UNKNOWN ? slot : inner.find(slot, low & 0xFF);
    }
    if (Addresses.isNull(high, low)) {
      return UNKNOWN;
    }
    int slot = v6.slot(high);
    return slot >= UNKNOWN ? slot : inner.find(slot, low);
  }

  private final class TableLookup implements Lookup {
    @Override
    public void lookup(long[] high, long[] low, int rows, int[] out) {
      for (int i = 0; i < rows; i++) {
        out[i] = find(high[i], low[i]);
      }
    }

    @Override
    public void values(int field, int[] from, int rows, int[] out) {
      final int[] values = records.values(field);
      for (int i = 0; i < rows; i++) {
        int record = from[i];
        out[i] = record < 0 ? UNKNOWN : values[record];
      }
    }

    @Override
    public void text(int field, int ordinal, long id, NewNames out) {
      Texts texts = records.texts(field);
      out.add(id, texts.bytes(), texts.start(ordinal), texts.length(ordinal));
    }
  }
}

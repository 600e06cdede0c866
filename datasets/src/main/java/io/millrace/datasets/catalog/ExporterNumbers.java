package io.millrace.datasets.catalog;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.Field;
import io.millrace.datasets.Lookup;
import io.millrace.wire.block.NewNames;
import java.util.List;

record ExporterNumbers(String name, List<Field> fields) implements Dataset {
  @Override
  public int records() {
    return 0;
  }

  @Override
  public int texts(int field) {
    return 0;
  }

  @Override
  public long fingerprint() {
    return 0;
  }

  @Override
  public long heapBytes() {
    return 0;
  }

  @Override
  public Lookup newLookup() {
    return new Numbers();
  }

  @Override
  public void close() {}

  private static final class Numbers implements Lookup {
    @Override
    public void lookup(long[] high, long[] low, int rows, int[] records) {
      throw new UnsupportedOperationException("exporters' numbers have no addresses");
    }

    @Override
    public void lookup(long[] high, long[] low, int[] numbers, int rows, int[] records) {
      for (int row = 0; row < rows; row++) {
        records[row] = numbers[row] == 0 ? UNKNOWN : numbers[row];
      }
    }

    @Override
    public void values(int field, int[] records, int rows, int[] values) {
      System.arraycopy(records, 0, values, 0, rows);
    }

    @Override
    public void text(int field, int ordinal, long id, NewNames out) {
      throw new UnsupportedOperationException("exporters' numbers have no texts");
    }
  }
}

package io.millrace.store.iceberg;

import org.apache.iceberg.StructLike;

/** Value of the partition by hour of arrival: hours since the epoch. */
record HourPartition(int hour) implements StructLike {
  @Override
  public int size() {
    return 1;
  }

  @Override
  public <T> T get(int position, Class<T> type) {
    return type.cast(hour);
  }

  @Override
  public <T> void set(int position, T value) {
    throw new UnsupportedOperationException("immutable");
  }
}

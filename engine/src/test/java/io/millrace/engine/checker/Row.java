package io.millrace.engine.checker;

import java.util.Comparator;

/** A row of the table: an emitted sum, and the position of the input that completed it. */
record Row(int partition, long offset, int key, long sum) implements Comparable<Row> {
  private static final Comparator<Row> ORDER =
      Comparator.comparingInt(Row::partition)
          .thenComparingLong(Row::offset)
          .thenComparingInt(Row::key)
          .thenComparingLong(Row::sum);

  @Override
  public int compareTo(Row other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return "(%d,%d) key %d sum %d".formatted(partition, offset, key, sum);
  }
}

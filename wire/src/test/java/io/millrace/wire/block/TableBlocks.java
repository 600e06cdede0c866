package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;

/** Tables for tests. */
final class TableBlocks {
  private TableBlocks() {}

  /** Any columns and values, including nulls. */
  static TableBlock random(Random random, int rows) {
    TableSchema.Builder columns = TableSchema.builder();
    for (int i = 1 + random.nextInt(6); i > 0; i--) {
      switch (random.nextInt(5)) {
        case 0 -> columns.time("time_" + i);
        case 1 -> columns.number("number_" + i);
        case 2 -> columns.fraction("fraction_" + i);
        case 3 -> columns.address("address_" + i);
        default -> columns.text("text_" + i);
      }
    }
    TableBlock block = new TableBlock(columns.build(), random.nextInt(3));
    block.reserve(rows);
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < block.schema().size(); column++) {
        put(random, block, row, column);
      }
    }
    block.rows(rows);
    return block;
  }

  private static void put(Random random, TableBlock block, int row, int column) {
    boolean none = random.nextInt(5) == 0;
    switch (block.schema().type(column)) {
      case TIME, LONG ->
          block.longs(column)[row] =
              none ? TableBlock.NULL : random.nextLong() >> random.nextInt(64);
      case DOUBLE -> block.doubles(column)[row] = none ? Double.NaN : random.nextGaussian();
      case ADDRESS -> {
        block.addressHigh(column)[row] = none ? Addresses.NULL : random.nextLong();
        block.addressLow(column)[row] = none ? Addresses.NULL : random.nextLong();
      }
      case TEXT ->
          block.texts(column).add(none ? null : "é".repeat(random.nextInt(4)) + random.nextInt());
    }
  }

  static void assertSame(TableBlock actual, TableBlock expected) {
    assertThat(actual.schema()).isEqualTo(expected.schema());
    assertThat(actual.rows()).isEqualTo(expected.rows());
    for (int row = 0; row < expected.rows(); row++) {
      for (int column = 0; column < expected.schema().size(); column++) {
        assertThat(actual.text(row, column))
            .as("row %d column %d", row, column)
            .isEqualTo(expected.text(row, column));
      }
    }
  }
}

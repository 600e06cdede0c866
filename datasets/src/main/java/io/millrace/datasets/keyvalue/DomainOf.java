package io.millrace.datasets.keyvalue;

import io.millrace.datasets.Dataset;

/** Domain of each record, as ordinal + 1 in 1 to 4 bytes. Thread-safe. */
final class DomainOf {
  private final MappedBytes bytes;
  private final int width;
  private final int mask;

  DomainOf(MappedBytes bytes, int width) {
    this.bytes = bytes;
    this.width = width;
    mask = -1 >>> (Integer.SIZE - width * Byte.SIZE);
  }

  void ordinals(int[] records, int rows, int[] ordinals) {
    final MappedBytes bytes = this.bytes;
    final int width = this.width;
    final int mask = this.mask;
    for (int i = 0; i < rows; i++) {
      int record = records[i];
      ordinals[i] = record < 0 ? Dataset.UNKNOWN : (bytes.getInt((long) record * width) & mask) - 1;
    }
  }
}

package org.example.country;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.catalog.Datasets;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Countries of addresses, from a CSV file of ranges. A country is a code of at most eight letters,
 * packed into a {@code long}: keys are numbers. Used by one thread.
 */
final class Countries {
  private static final long UNKNOWN = pack("??");
  private static final int MAX = Long.BYTES;

  private final Lookup lookup;

  /** The code of each text of the table, by its ordinal. */
  private final long[] codes;

  private int[] ordinals = {};
  private long[] result = {};

  Countries(String table) throws IOException {
    // In memory, and gone with the last who refers to it.
    Dataset dataset =
        Datasets.open(
            DatasetConfig.parse(
                "country",
                "range",
                List.of(Path.of(table)),
                List.of("start", "end", "country:text"),
                Map.of(),
                false,
                1));
    lookup = dataset.newLookup();
    codes = new long[dataset.texts(0)];
    for (int i = 0; i < codes.length; i++) {
      codes[i] = pack(lookup.text(0, i));
    }
  }

  /** The country of each row's source; the array is used again by the next call. */
  long[] ofSources(FlowBlock block) {
    int rows = block.rows();
    if (result.length < rows) {
      ordinals = new int[rows];
      result = new long[rows];
    }
    lookup.lookup(
        block.addressHigh(FlowColumn.SRC_ADDR),
        block.addressLow(FlowColumn.SRC_ADDR),
        rows,
        ordinals);
    lookup.values(0, ordinals, rows, ordinals);
    for (int row = 0; row < rows; row++) {
      result[row] = ordinals[row] == Dataset.UNKNOWN ? UNKNOWN : codes[ordinals[row]];
    }
    return result;
  }

  private static long pack(String code) {
    byte[] ascii = code.getBytes(StandardCharsets.US_ASCII);
    if (ascii.length > MAX) {
      throw new IllegalArgumentException(code + " has more than " + MAX + " letters");
    }
    long packed = 0;
    for (byte letter : ascii) {
      packed = packed << Byte.SIZE | letter;
    }
    return packed;
  }

  /** The letters of a packed code. */
  static String text(long packed) {
    StringBuilder letters = new StringBuilder();
    for (long rest = packed; rest != 0; rest >>>= Byte.SIZE) {
      letters.insert(0, (char) (rest & 0xFF));
    }
    return letters.toString();
  }
}

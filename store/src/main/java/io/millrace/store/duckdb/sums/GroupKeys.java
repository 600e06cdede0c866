package io.millrace.store.duckdb.sums;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.duckdb.ChunkFunction;

/** The columns of one set for the rows of one chunk, as 64-bit words. */
final class GroupKeys {
  private static final long FACTOR = 0x9E3779B97F4A7C15L;

  private final int[] columns;
  private final ChunkFunction.Type[] types;

  /** Words by column and row. */
  final long[][] words;

  /** NULL bits of the columns, by row, from bit 1 on. */
  final long[] nulls = new long[ChunkFunction.CAPACITY];

  /** Hash of the words, by row. */
  final long[] hashes = new long[ChunkFunction.CAPACITY];

  private final int[] ints = new int[ChunkFunction.CAPACITY];
  private final long[] pairs;

  GroupKeys(SumPlan plan, int[] columns) {
    this.columns = columns;
    types = new ChunkFunction.Type[columns.length];
    int n = 0;
    for (int i = 0; i < columns.length; i++) {
      types[i] = plan.type(columns[i]);
      n += wordsOf(types[i]);
    }
    words = new long[n][ChunkFunction.CAPACITY];
    pairs = new long[2 * ChunkFunction.CAPACITY];
  }

  static int wordsOf(ChunkFunction.Type type) {
    return type == ChunkFunction.Type.UUID ? 2 : 1;
  }

  void load(ChunkFunction.Chunk chunk) {
    int n = chunk.rows();
    Arrays.fill(nulls, 0, n, 0);
    Arrays.fill(hashes, 0, n, FACTOR);
    int at = 0;
    for (int i = 0; i < columns.length; i++) {
      ByteBuffer values = chunk.values(columns[i]);
      int count = wordsOf(types[i]);
      if (values == null) {
        nullAll(i, at, count, n);
      } else {
        copy(values, types[i], at, n);
        markNulls(chunk.validity(columns[i]), i, at, count, n);
      }
      for (int k = 0; k < count; k++) {
        hash(words[at + k], n);
      }
      at += count;
    }
  }

  private void copy(ByteBuffer values, ChunkFunction.Type type, int at, int n) {
    switch (type) {
      case INTEGER -> {
        values.asIntBuffer().get(0, ints, 0, n);
        long[] to = words[at];
        for (int i = 0; i < n; i++) {
          to[i] = ints[i];
        }
      }
      case BIGINT, TIMESTAMP -> values.asLongBuffer().get(0, words[at], 0, n);
      case UUID -> {
        values.asLongBuffer().get(0, pairs, 0, 2 * n);
        long[] low = words[at];
        long[] high = words[at + 1];
        for (int i = 0; i < n; i++) {
          low[i] = pairs[2 * i];
          high[i] = pairs[2 * i + 1];
        }
      }
    }
  }

  private void nullAll(int column, int at, int count, int n) {
    long bit = 2L << column;
    for (int i = 0; i < n; i++) {
      nulls[i] |= bit;
    }
    for (int k = 0; k < count; k++) {
      Arrays.fill(words[at + k], 0, n, 0);
    }
  }

  /** Sets the values of NULLs to 0, as they are undefined in a chunk. */
  private void markNulls(long[] validity, int column, int at, int count, int n) {
    if (validity == null) {
      return;
    }
    long bit = 2L << column;
    for (int i = 0; i < n; i++) {
      if ((validity[i >> 6] >>> i & 1) == 0) {
        nulls[i] |= bit;
        for (int k = 0; k < count; k++) {
          words[at + k][i] = 0;
        }
      }
    }
  }

  private void hash(long[] of, int n) {
    for (int i = 0; i < n; i++) {
      long h = (hashes[i] ^ of[i]) * FACTOR;
      hashes[i] = h ^ h >>> 32;
    }
  }
}

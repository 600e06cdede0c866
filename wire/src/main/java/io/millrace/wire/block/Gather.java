package io.millrace.wire.block;

/** Copies entries of an array, given their indexes, to the front of another. */
final class Gather {
  private Gather() {}

  static void longs(long[] from, int[] places, int count, long[] to) {
    for (int i = 0; i < count; i++) {
      to[i] = from[places[i]];
    }
  }

  static void ints(int[] from, int[] places, int count, int[] to) {
    for (int i = 0; i < count; i++) {
      to[i] = from[places[i]];
    }
  }

  static void doubles(double[] from, int[] places, int count, double[] to) {
    for (int i = 0; i < count; i++) {
      to[i] = from[places[i]];
    }
  }
}

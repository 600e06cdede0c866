package io.millrace.analytics.hitters;

import io.millrace.analytics.sketch.Key;
import io.millrace.analytics.sketch.KeyBlock;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keys in fewer words: an IPv4 address takes 4 bytes, a number the bytes of its column. Rows with
 * other values stay wide, so narrow and wide keys of a kind never denote the same key.
 *
 * <pre>
 *   5-tuple, 20 of 48 bytes  0 | 0000 ffff src | 0 | 0000 ffff dst | proto, src_port | dst_port, 0
 *   narrow, 13 of 16                      src dst | proto src_port dst_port, 0
 * </pre>
 *
 * Each bit of a wide word either goes into the narrow key or is the same in all of them. Not
 * thread-safe.
 */
final class NarrowKeys {
  private static final int V4_MARK = (int) (Addresses.V4_PREFIX >>> Integer.SIZE);

  private record Piece(int word, int shift, long mask, int narrowWord, int narrowShift) {}

  private final int wideBytes;
  private final List<Piece> pieces = new ArrayList<>();

  private final long[] fixed;

  private final long[] values;
  private int narrowBits;

  private final long[][] packed;

  private final long[][] widened;
  private long[] differs = {};

  private KeyBlock narrow;
  private KeyBlock wide;
  private int[] narrowRows = {};
  private int[] wideRows = {};

  private NarrowKeys(HitterKind kind) {
    wideBytes = kind.bytes();
    fixed = new long[kind.words()];
    values = new long[kind.words()];
    Arrays.fill(fixed, -1);
    int at = 0;
    for (HitterKind.Part part : kind.parts()) {
      if (part.isAddress()) {
        put(at + 2 * Integer.BYTES, V4_MARK);
        take(at + 3 * Integer.BYTES, Integer.SIZE);
      } else {
        for (int piece = 0; piece < part.bytes(); piece += Integer.BYTES) {
          take(at + piece, part.wire().map(NarrowKeys::bits).orElse(Integer.SIZE));
        }
      }
      at += part.bytes();
    }
    packed = new long[(narrowBits + Long.SIZE - 1) / Long.SIZE][0];
    widened = new long[kind.words()][0];
    makeRoom(1);
  }

  /** Narrow form of a kind's keys; null if it saves no word. */
  static NarrowKeys of(HitterKind kind) {
    NarrowKeys narrow = new NarrowKeys(kind);
    return narrow.packed.length < kind.words() ? narrow : null;
  }

  private static int bits(FlowColumn column) {
    return switch (column.type()) {
      case U8 -> Byte.SIZE;
      case U16 -> Short.SIZE;
      default -> Integer.SIZE;
    };
  }

  private static int shift(int at) {
    return at % Long.BYTES == 0 ? Integer.SIZE : 0;
  }

  private void put(int at, int value) {
    values[at / Long.BYTES] |= (value & 0xFFFF_FFFFL) << shift(at);
  }

  private void take(int at, int bits) {
    long mask = (1L << bits) - 1;
    if (narrowBits % Long.SIZE + bits > Long.SIZE) {
      narrowBits += Long.SIZE - narrowBits % Long.SIZE;
    }
    int narrowWord = narrowBits / Long.SIZE;
    narrowBits += bits;
    int narrowShift = (narrowWord + 1) * Long.SIZE - narrowBits;
    pieces.add(new Piece(at / Long.BYTES, shift(at), mask, narrowWord, narrowShift));
    fixed[at / Long.BYTES] &= ~(mask << shift(at));
  }

  int bytes() {
    return (narrowBits + Byte.SIZE - 1) / Byte.SIZE;
  }

  private void makeRoom(int rows) {
    if (differs.length < rows) {
      differs = new long[rows];
      narrow = KeyBlock.withVariances(bytes(), rows);
      wide = KeyBlock.withVariances(wideBytes, rows);
      narrowRows = new int[rows];
      wideRows = new int[rows];
      Arrays.setAll(packed, word -> new long[rows]);
    }
  }

  void divide(KeyBlock keys) {
    int rows = keys.rows();
    makeRoom(rows);
    pack(keys, rows);
    int narrowCount = 0;
    int wideCount = 0;
    for (int row = 0; row < rows; row++) {
      narrowRows[narrowCount] = row;
      wideRows[wideCount] = row;
      int isNarrow = differs[row] == 0 ? 1 : 0;
      narrowCount += isNarrow;
      wideCount += 1 - isNarrow;
    }
    for (int word = 0; word < packed.length; word++) {
      select(packed[word], narrowRows, narrowCount, narrow.word(word));
    }
    for (int word = 0; word < fixed.length; word++) {
      select(keys.word(word), wideRows, wideCount, wide.word(word));
    }
    select(keys, narrowRows, narrowCount, narrow);
    select(keys, wideRows, wideCount, wide);
  }

  private void pack(KeyBlock keys, int rows) {
    Arrays.fill(differs, 0, rows, 0);
    for (int word = 0; word < fixed.length; word++) {
      differ(keys.word(word), fixed[word], values[word], rows, differs);
    }
    for (long[] word : packed) {
      Arrays.fill(word, 0, rows, 0);
    }
    for (Piece piece : pieces) {
      move(
          keys.word(piece.word),
          piece.shift,
          piece.mask,
          packed[piece.narrowWord],
          piece.narrowShift,
          rows);
    }
  }

  private static void differ(long[] word, long mask, long value, int rows, long[] differs) {
    for (int row = 0; row < rows; row++) {
      differs[row] |= (word[row] & mask) ^ value;
    }
  }

  private static void move(
      long[] from, int fromShift, long mask, long[] to, int toShift, int rows) {
    for (int row = 0; row < rows; row++) {
      to[row] |= ((from[row] >>> fromShift) & mask) << toShift;
    }
  }

  private static void select(KeyBlock keys, int[] rows, int count, KeyBlock to) {
    select(keys.weights(), rows, count, to.weights());
    select(keys.variances(), rows, count, to.variances());
    to.setRows(count);
  }

  private static void select(long[] from, int[] rows, int count, long[] to) {
    for (int i = 0; i < count; i++) {
      to[i] = from[rows[i]];
    }
  }

  KeyBlock narrow() {
    return narrow;
  }

  int[] narrowRows() {
    return narrowRows;
  }

  KeyBlock wide() {
    return wide;
  }

  int[] wideRows() {
    return wideRows;
  }

  Key narrow(Key key) {
    long[] own = new long[packed.length];
    for (int word = 0; word < fixed.length; word++) {
      if ((key.word(word) & fixed[word]) != values[word]) {
        return null;
      }
    }
    for (Piece piece : pieces) {
      own[piece.narrowWord] |=
          ((key.word(piece.word) >>> piece.shift) & piece.mask) << piece.narrowShift;
    }
    return Key.ofWords(bytes(), own);
  }

  Key widen(Key key) {
    long[] own = values.clone();
    for (Piece piece : pieces) {
      own[piece.word] |=
          ((key.word(piece.narrowWord) >>> piece.narrowShift) & piece.mask) << piece.shift;
    }
    return Key.ofWords(wideBytes, own);
  }

  KeyBlock widen(KeyBlock keys) {
    int rows = keys.rows();
    if (widened[0].length < rows) {
      Arrays.setAll(widened, word -> new long[rows]);
    }
    for (int word = 0; word < widened.length; word++) {
      Arrays.fill(widened[word], 0, rows, values[word]);
    }
    for (Piece piece : pieces) {
      move(
          keys.word(piece.narrowWord),
          piece.narrowShift,
          piece.mask,
          widened[piece.word],
          piece.shift,
          rows);
    }
    return KeyBlock.of(wideBytes, widened, keys.weights(), keys.variances(), rows);
  }
}

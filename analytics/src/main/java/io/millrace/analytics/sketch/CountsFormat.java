package io.millrace.analytics.sketch;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.util.function.Consumer;

/**
 * Format of exact counts.
 *
 * <pre>
 *   version, algorithm, key bytes (1 byte each) | seed (8) | keys (4)
 *   of some keys: weights | variances, in version 2 | first words | second words | …
 * </pre>
 */
record CountsFormat(int keyBytes, boolean hasVariances) {
  static final int CHUNK = 256;

  private static final int VERSION = 1;
  private static final int VERSION_WITH_VARIANCES = 2;

  private int version() {
    return hasVariances ? VERSION_WITH_VARIANCES : VERSION;
  }

  KeyBlock block(int rows) {
    return hasVariances ? KeyBlock.withVariances(keyBytes, rows) : new KeyBlock(keyBytes, rows);
  }

  void writeHeader(long seed, int count, BlockBuffer out) {
    out.putByte(version());
    out.putByte(Algorithm.EXACT.ordinal());
    out.putByte(keyBytes);
    out.putLong(seed);
    out.putInt(count);
  }

  void writeRows(KeyBlock block, BlockBuffer out) {
    out.putLongs(block.weights(), block.rows());
    if (hasVariances) {
      out.putLongs(block.variances(), block.rows());
    }
    for (int word = 0; word < KeyBlock.words(keyBytes); word++) {
      out.putLongs(block.word(word), block.rows());
    }
  }

  long readSeed(BlockInput in) {
    int version = in.takeByte();
    int kind = in.takeByte();
    int bytes = in.takeByte();
    if (version != version() || kind != Algorithm.EXACT.ordinal() || bytes != keyBytes) {
      throw in.broken("not a snapshot of exact counts of this key width and version");
    }
    return in.takeLong();
  }

  void readRows(BlockInput in, int count, Consumer<KeyBlock> reader) {
    KeyBlock block = block(CHUNK);
    for (int left = count; left > 0; left -= block.rows()) {
      block.setRows(Math.min(CHUNK, left));
      in.takeLongs(block.weights(), block.rows());
      if (hasVariances) {
        in.takeLongs(block.variances(), block.rows());
      }
      for (int word = 0; word < KeyBlock.words(keyBytes); word++) {
        in.takeLongs(block.word(word), block.rows());
      }
      for (int row = 0; row < block.rows(); row++) {
        if (block.weights()[row] <= 0) {
          throw in.broken("a key with weight " + block.weights()[row]);
        }
        if (hasVariances && block.variances()[row] < 0) {
          throw in.broken("a key with variance " + block.variances()[row]);
        }
      }
      reader.accept(block);
    }
  }
}

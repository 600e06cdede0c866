package io.millrace.wire.block;

import java.util.Random;

/** Prints the encoding and decoding time per row: run it manually, for a few seconds. */
public final class BlockCodecSpeed {
  private static final int ROWS = 3500;
  private static final int ROUNDS = 2000;

  private BlockCodecSpeed() {}

  /** Measures. */
  public static void main(String[] args) {
    FlowBlock block = FlowBlocks.traffic(new Random(1), ROWS);
    FlowBlock reused = new FlowBlock(ROWS);
    BlockBuffer buffer = new BlockBuffer(0);
    long sum = 0;
    for (int repeat = 0; repeat < 5; repeat++) {
      long start = System.nanoTime();
      for (int i = 0; i < ROUNDS; i++) {
        buffer.clear();
        sum += BlockCodec.encode(block, buffer);
      }
      long encoded = System.nanoTime();
      for (int i = 0; i < ROUNDS; i++) {
        sum += BlockCodec.decode(buffer.bytes(), 0, buffer.length()).rows();
      }
      long decoded = System.nanoTime();
      for (int i = 0; i < ROUNDS; i++) {
        BlockCodec.decode(buffer.bytes(), 0, buffer.length(), reused);
        sum += reused.rows();
      }
      long end = System.nanoTime();
      double rows = (double) ROWS * ROUNDS;
      System.out.printf(
          "encode %.1f ns a row, decode %.1f, decode into a used block %.1f; %.1f bytes a row (%d)%n",
          (encoded - start) / rows,
          (decoded - encoded) / rows,
          (end - decoded) / rows,
          (double) buffer.length() / ROWS,
          sum);
    }
  }
}

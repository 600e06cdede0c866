package io.millrace.wire.sflow;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Rejects;
import java.util.Random;

/**
 * Prints the number of samples that one thread decodes per second: datagrams of 7 samples with
 * headers of 128 bytes and extended switch records, from memory into a reused block. Not a test:
 * run its main.
 */
final class SflowDecoderSpeed {
  private static final int DATAGRAMS = 512;
  private static final int SAMPLES = 7;
  private static final int ROUNDS = 20;
  private static final long ROUND_NANOS = 500_000_000L;

  private SflowDecoderSpeed() {}

  public static void main(String[] args) {
    byte[][] datagrams = datagrams(new Random(1));
    FlowBlock block = new FlowBlock(1024);
    SflowDecoder decoder = new SflowDecoder();
    for (int round = 0; round < ROUNDS; round++) {
      long samples = 0;
      long start = System.nanoTime();
      long now = start;
      while (now - start < ROUND_NANOS) {
        for (int i = 0; i < datagrams.length; i++) {
          if (i % 128 == 0) {
            samples += block.rows();
            block.clear();
          }
          byte[] d = datagrams[i];
          decoder.decode(d, 0, d.length, i, 0, 1, block, null, Rejects.NONE);
        }
        now = System.nanoTime();
      }
      System.out.printf("%.2f M samples/s%n", samples * 1e3 / (now - start));
    }
  }

  private static byte[][] datagrams(Random random) {
    SflowEncoder encoder = new SflowEncoder(1500);
    byte[][] datagrams = new byte[DATAGRAMS][];
    for (int i = 0; i < DATAGRAMS; i++) {
      encoder.begin(0, Addresses.v4Low(0x0A000001), 0, i, i);
      for (int s = 0; s < SAMPLES; s++) {
        encoder.flowSample(s, 0, 1, 1024, s, 0, 1, 0, 2);
        byte[] header = SflowSamples.header(random);
        encoder.rawHeader(SflowLayout.PROTOCOL_ETHERNET, 1518, 4, header, 0, 128);
        encoder.extendedSwitch(100, 0, 200, 0);
      }
      datagrams[i] = encoder.toBytes();
    }
    return datagrams;
  }
}

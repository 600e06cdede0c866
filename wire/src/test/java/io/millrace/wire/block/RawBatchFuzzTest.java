package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class RawBatchFuzzTest {
  @Property
  void aSoundBatchIsWalkedWithinItsBytes(@ForAll long seed) {
    Random random = new Random(seed);
    RawBatch.Writer writer = new RawBatch.Writer(0);
    for (int i = random.nextInt(4); i > 0; i--) {
      int length = random.nextInt(40);
      writer.add(i, i, i, i, new byte[length], 0, length);
    }
    byte[] bytes = writer.toBytes();
    for (int i = random.nextInt(3); i > 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    RawBatch batch = RawBatch.wrap(bytes, 0, 0);

    if (batch.isSound()) {
      int cursor = batch.first();
      for (int i = 0; i < batch.rows(); i++) {
        assertThat(batch.payload(cursor) + batch.payloadLength(cursor))
            .isLessThanOrEqualTo(bytes.length);
        cursor = batch.next(cursor);
      }
      assertThat(cursor).isEqualTo(bytes.length);
    }
  }
}

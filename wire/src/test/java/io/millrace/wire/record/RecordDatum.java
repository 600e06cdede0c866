package io.millrace.wire.record;

import io.millrace.wire.block.BlockBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Records of {@link Usage} in Avro, written field by field. */
final class RecordDatum {
  private RecordDatum() {}

  static byte[] singleObjects(Random random, int count) {
    BlockBuffer out = new BlockBuffer(64);
    for (int i = 0; i < count; i++) {
      out.putShort(0x01C3);
      out.putLong(AvroSchemas.fingerprint(Usage.SCHEMA.avroSchema()));
      Varints.put(1_700_000_000_000L + random.nextInt(), out);
      putText("s" + random.nextInt(), out);
      Varints.put(random.nextInt(1 << 20), out);
      Varints.put(1, out);
      Varints.put(random.nextLong(), out);
      out.putLong(Double.doubleToLongBits(random.nextGaussian()));
      out.putByte(random.nextInt(2));
      putText("gold", out);
      Varints.put(0, out);
      Varints.put(1, out);
      out.putLong(Double.doubleToLongBits(random.nextDouble()));
      Varints.put(1, out);
      putText("nöte", out);
    }
    return out.toBytes();
  }

  private static void putText(String text, BlockBuffer out) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    Varints.put(utf8.length, out);
    out.put(utf8, 0, utf8.length);
  }
}

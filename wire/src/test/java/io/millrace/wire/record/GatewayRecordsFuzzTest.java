package io.millrace.wire.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.TableBlock;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Any bytes: no exception, termination, and every record is either accepted or reported. */
class GatewayRecordsFuzzTest {
  private static final RecordEncoder ENCODER = new RecordEncoder(GatewayRecords.SCHEMA);
  private final RecordDecoder decoder = new RecordDecoder(GatewayRecords.SCHEMA);

  private void decode(RecordEncoding encoding, byte[] bytes) {
    TableBlock block = GatewayRecords.block(0);
    RecordErrors errors = new RecordErrors();
    int count =
        decoder.decode(
            encoding,
            bytes,
            0,
            bytes.length,
            GatewayBlocks.attribute("form", "rate"),
            block,
            errors,
            1 << 20);
    assertThat(block.rows()).isLessThanOrEqualTo(count);
    if (!errors.isTruncated()) {
      assertThat(block.rows() + errors.count()).isEqualTo(count);
    }
    for (int row = 0; row < block.rows(); row++) {
      assertThat(block.texts(GatewayRecords.ID).length(row)).isBetween(1, 64);
      assertThat(block.longs(GatewayRecords.TX)[row]).isBetween(0L, GatewayBlocks.MAX_BYTES);
    }
  }

  @Property(tries = 2_000)
  void anyBytes(@ForAll byte[] bytes, @ForAll RecordEncoding encoding) {
    decode(encoding, bytes);
  }

  @Property(tries = 2_000)
  void goodBytesWithSomeChanged(@ForAll long seed) {
    Random random = new Random(seed);
    TableBlock block = GatewayBlocks.random(random, 1 + random.nextInt(4));
    BlockBuffer out = new BlockBuffer(64);
    RecordEncoding encoding = random.nextBoolean() ? RecordEncoding.JSON : RecordEncoding.AVRO;
    if (encoding == RecordEncoding.AVRO && random.nextBoolean()) {
      ENCODER.container(block, new byte[16], out);
    } else {
      for (int row = 0; row < block.rows(); row++) {
        if (encoding == RecordEncoding.JSON) {
          ENCODER.json(block, row, out);
        } else {
          ENCODER.singleObject(block, row, out);
        }
      }
    }
    byte[] bytes = out.toBytes();
    for (int i = random.nextInt(4); i >= 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    decode(encoding, bytes);
  }
}

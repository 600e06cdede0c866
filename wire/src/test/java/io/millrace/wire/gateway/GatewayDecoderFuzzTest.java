package io.millrace.wire.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordErrors;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Any bytes: no exception, an end, and every record is either good or told. */
class GatewayDecoderFuzzTest {
  private final GatewayDecoder decoder = new GatewayDecoder();

  private void decode(RecordEncoding encoding, byte[] bytes) {
    GatewayBlock block = new GatewayBlock(0);
    RecordErrors errors = new RecordErrors();
    int count =
        decoder.decode(
            encoding, bytes, 0, bytes.length, Optional.of(GatewayForm.RATE), block, errors);
    assertThat(block.rows()).isLessThanOrEqualTo(count);
    if (!errors.isTruncated()) {
      assertThat(block.rows() + errors.count()).isEqualTo(count);
    }
    for (int row = 0; row < block.rows(); row++) {
      assertThat(block.gateways().length(row)).isBetween(1, GatewayRules.MOST_ID_BYTES);
      assertThat(block.tx()[row]).isBetween(0L, GatewayRules.MOST_BYTES);
    }
  }

  @Property(tries = 2_000)
  void anyBytes(@ForAll byte[] bytes, @ForAll RecordEncoding encoding) {
    decode(encoding, bytes);
    RecordErrors errors = new RecordErrors();
    decoder.decode(GatewayBatch.wrap(bytes, bytes.length), new GatewayBlock(0), errors);
  }

  @Property(tries = 2_000)
  void goodBytesWithSomeChanged(@ForAll long seed) {
    Random random = new Random(seed);
    GatewayBlock block = GatewayBlocks.random(random, 1 + random.nextInt(4));
    BlockBuffer out = new BlockBuffer(64);
    RecordEncoding encoding = random.nextBoolean() ? RecordEncoding.JSON : RecordEncoding.AVRO;
    if (encoding == RecordEncoding.AVRO && random.nextBoolean()) {
      GatewayEncoder.container(block, new byte[16], out);
    } else {
      for (int row = 0; row < block.rows(); row++) {
        if (encoding == RecordEncoding.JSON) {
          GatewayEncoder.json(block, row, random.nextBoolean(), out);
        } else {
          GatewayEncoder.singleObject(block, row, out);
        }
      }
    }
    byte[] bytes = out.toBytes();
    for (int i = random.nextInt(4); i >= 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    decode(encoding, bytes);
  }

  @Property(tries = 500)
  void brokenBatches(@ForAll long seed) {
    Random random = new Random(seed);
    GatewayBlock block = GatewayBlocks.random(random, 1 + random.nextInt(4));
    RecordEncoding encoding = random.nextBoolean() ? RecordEncoding.JSON : RecordEncoding.AVRO;
    GatewayBatch.Writer writer = new GatewayBatch.Writer();
    writer.begin(
        encoding, Optional.empty(), seed, random.nextBoolean() ? new byte[] {'c'} : null, 1);
    BlockBuffer record = new BlockBuffer(64);
    for (int row = 0; row < block.rows(); row++) {
      record.clear();
      if (encoding == RecordEncoding.JSON) {
        GatewayEncoder.json(block, row, true, record);
      } else {
        GatewayEncoder.datum(block, row, record);
      }
      writer.add(record.bytes(), 0, record.length());
    }
    byte[] value = writer.toBytes();
    value[random.nextInt(value.length)] = (byte) random.nextInt(256);
    int length = random.nextInt(value.length + 1);
    decoder.decode(GatewayBatch.wrap(value, length), new GatewayBlock(0), new RecordErrors());
  }
}

package io.millrace.wire.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockCodec;
import io.millrace.wire.block.GatewayBlock;
import io.millrace.wire.record.RecordEncoding;
import io.millrace.wire.record.RecordErrors;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class GatewayCodecPropertyTest {
  private final BlockBuffer out = new BlockBuffer(16);
  private final GatewayDecoder decoder = new GatewayDecoder();

  private GatewayBlock decoded(RecordEncoding encoding, Optional<GatewayForm> byPath, int rows) {
    GatewayBlock into = new GatewayBlock(4);
    RecordErrors errors = new RecordErrors();
    int count = decoder.decode(encoding, out.bytes(), 3, out.length() - 3, byPath, into, errors);
    assertThat(errors.list()).isEmpty();
    assertThat(count).isEqualTo(rows);
    return into;
  }

  private void begin() {
    out.clear();
    out.put(new byte[3], 0, 3); // an offset
  }

  @Property(tries = 300)
  void jsonOnLinesGivesTheEncodedRecords(@ForAll long seed, @ForAll @IntRange(max = 20) int rows) {
    GatewayBlock block = GatewayBlocks.random(new Random(seed), rows);
    begin();
    for (int row = 0; row < rows; row++) {
      GatewayEncoder.json(block, row, true, out);
      out.putByte('\n');
    }

    GatewayBlock again = decoded(RecordEncoding.JSON, Optional.empty(), rows);

    assertThat(GatewayBlocks.rows(again)).isEqualTo(GatewayBlocks.rows(block));
  }

  @Property(tries = 300)
  void aJsonArrayGivesTheEncodedRecords(@ForAll long seed, @ForAll @IntRange(max = 20) int rows) {
    GatewayBlock block = GatewayBlocks.random(new Random(seed), rows);
    begin();
    out.putByte('[');
    for (int row = 0; row < rows; row++) {
      if (row > 0) {
        out.putByte(',');
      }
      GatewayEncoder.json(block, row, true, out);
    }
    out.putByte(']');

    GatewayBlock again = decoded(RecordEncoding.JSON, Optional.of(GatewayForm.RATE), rows);

    assertThat(GatewayBlocks.rows(again)).isEqualTo(GatewayBlocks.rows(block));
  }

  @Property(tries = 300)
  void singleObjectsGiveTheEncodedRecords(@ForAll long seed, @ForAll @IntRange(max = 20) int rows) {
    GatewayBlock block = GatewayBlocks.random(new Random(seed), rows);
    begin();
    for (int row = 0; row < rows; row++) {
      GatewayEncoder.singleObject(block, row, out);
    }

    GatewayBlock again = decoded(RecordEncoding.AVRO, Optional.empty(), rows);

    assertThat(GatewayBlocks.rows(again)).isEqualTo(GatewayBlocks.rows(block));
  }

  @Property(tries = 100)
  void aContainerGivesTheEncodedRecords(@ForAll long seed, @ForAll @IntRange(max = 20) int rows) {
    GatewayBlock block = GatewayBlocks.random(new Random(seed), rows);
    begin();
    GatewayEncoder.container(block, new byte[16], out);

    GatewayBlock again = decoded(RecordEncoding.AVRO, Optional.empty(), rows);

    assertThat(GatewayBlocks.rows(again)).isEqualTo(GatewayBlocks.rows(block));
  }

  @Property(tries = 200)
  void aBlockComesThroughItsBytes(@ForAll long seed, @ForAll @IntRange(max = 20) int rows) {
    GatewayBlock block = GatewayBlocks.random(new Random(seed), rows);
    block.arrival(seed);
    out.clear();
    int length = BlockCodec.encode(block, out);

    GatewayBlock again = (GatewayBlock) BlockCodec.decode(out.bytes(), 0, length);

    assertThat(GatewayBlocks.rows(again)).isEqualTo(GatewayBlocks.rows(block));
    assertThat(again.arrival()).isEqualTo(seed);
  }

  @Property(tries = 200)
  void everyRecordComesThroughAValueOfTheLogAsItCame(
      @ForAll long seed, @ForAll @IntRange(max = 20) int rows, @ForAll RecordEncoding encoding) {
    GatewayBlock block = GatewayBlocks.random(new Random(seed), rows);
    begin();
    for (int row = 0; row < rows; row++) {
      if (encoding == RecordEncoding.JSON) {
        GatewayEncoder.json(block, row, true, out);
      } else {
        GatewayEncoder.singleObject(block, row, out);
      }
    }
    GatewayBlock sent = decoded(encoding, Optional.empty(), rows);
    GatewayBatch.Writer writer = new GatewayBatch.Writer();
    writer.begin(encoding, Optional.empty(), 77, "client".getBytes(StandardCharsets.UTF_8), seed);
    for (int row = 0; row < rows; row++) {
      int start = sent.sourceStart(row);
      writer.add(out.bytes(), start, sent.sourceEnd(row) - start);
    }
    byte[] value = writer.toBytes();

    GatewayBatch batch = GatewayBatch.wrap(value, value.length);
    GatewayBlock stored = new GatewayBlock(0);
    RecordErrors errors = new RecordErrors();
    int count = decoder.decode(batch, stored, errors);

    assertThat(batch.isSound()).isTrue();
    assertThat(batch.client()).contains("client");
    assertThat(batch.frame()).isEqualTo(seed);
    assertThat(errors.list()).isEmpty();
    assertThat(count).isEqualTo(rows);
    assertThat(stored.arrival()).isEqualTo(77);
    assertThat(GatewayBlocks.rows(stored)).isEqualTo(GatewayBlocks.rows(block));
  }
}

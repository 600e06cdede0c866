package io.millrace.wire.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.record.RecordSchema.Field;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class RecordEncoderPropertyTest {
  private static final RecordEncoder ENCODER = new RecordEncoder(GatewayRecords.SCHEMA);
  private final BlockBuffer out = new BlockBuffer(16);
  private final RecordDecoder decoder = new RecordDecoder(GatewayRecords.SCHEMA);

  private TableBlock decoded(RecordEncoding encoding, RecordAttributes attributes, int rows) {
    TableBlock into = GatewayRecords.block(4);
    RecordErrors errors = new RecordErrors();
    int count =
        decoder.decode(
            encoding, out.bytes(), 3, out.length() - 3, attributes, into, errors, 1 << 20);
    assertThat(errors.list()).isEmpty();
    assertThat(count).isEqualTo(rows);
    return into;
  }

  private void begin() {
    out.clear();
    out.put(new byte[3], 0, 3); // prefix, so that the offset is not 0
  }

  @Property(tries = 300)
  void jsonOnLinesGivesTheEncodedRecords(@ForAll long seed, @ForAll @IntRange(max = 20) int rows) {
    TableBlock block = GatewayBlocks.random(new Random(seed), rows);
    begin();
    for (int row = 0; row < rows; row++) {
      ENCODER.json(block, row, out);
      out.putByte('\n');
    }

    TableBlock again = decoded(RecordEncoding.JSON, RecordAttributes.NONE, rows);

    assertThat(GatewayBlocks.rows(again)).isEqualTo(GatewayBlocks.rows(block));
  }

  @Property(tries = 300)
  void aJsonArrayGivesTheEncodedRecords(@ForAll long seed, @ForAll @IntRange(max = 20) int rows) {
    TableBlock block = GatewayBlocks.random(new Random(seed), rows);
    begin();
    out.putByte('[');
    for (int row = 0; row < rows; row++) {
      if (row > 0) {
        out.putByte(',');
      }
      ENCODER.json(block, row, out);
    }
    out.putByte(']');

    TableBlock again = decoded(RecordEncoding.JSON, GatewayBlocks.attribute("form", "rate"), rows);

    assertThat(GatewayBlocks.rows(again)).isEqualTo(GatewayBlocks.rows(block));
  }

  @Property(tries = 300)
  void singleObjectsGiveTheEncodedRecords(@ForAll long seed, @ForAll @IntRange(max = 20) int rows) {
    TableBlock block = GatewayBlocks.random(new Random(seed), rows);
    begin();
    for (int row = 0; row < rows; row++) {
      ENCODER.singleObject(block, row, out);
    }

    TableBlock again = decoded(RecordEncoding.AVRO, RecordAttributes.NONE, rows);

    assertThat(GatewayBlocks.rows(again)).isEqualTo(GatewayBlocks.rows(block));
  }

  @Property(tries = 100)
  void aContainerGivesTheEncodedRecords(@ForAll long seed, @ForAll @IntRange(max = 20) int rows) {
    TableBlock block = GatewayBlocks.random(new Random(seed), rows);
    begin();
    ENCODER.container(block, new byte[16], out);

    TableBlock again = decoded(RecordEncoding.AVRO, RecordAttributes.NONE, rows);

    assertThat(GatewayBlocks.rows(again)).isEqualTo(GatewayBlocks.rows(block));
  }

  /** Fields of every type, present and absent. */
  @Property(tries = 300)
  void encodedRecordsOfAnySchemaAreDecoded(@ForAll long seed, @ForAll RecordEncoding encoding) {
    RecordSchema schema =
        new RecordSchema(
            "every",
            List.of(
                Field.number("id", Long.MIN_VALUE, Long.MAX_VALUE),
                Field.time("at").in(TimeUnit.SECONDS),
                Field.fraction("share").orNull(),
                Field.text("note", 0, 20).orElse("none"),
                Field.flag("on").orElse(true),
                Field.choice("kind", List.of("a", "b")).orElse("b"),
                Field.number("size", -5, 5).orNull()),
            "at",
            "id");
    Random random = new Random(seed);
    TableBlock block = new TableBlock(schema.columns(), 0);
    for (int row = 0; row < 10; row++) {
      block.reserve(1);
      block.longs(0)[row] = random.nextLong() >> random.nextInt(64) | 1;
      block.longs(1)[row] = (1_700_000_000L + random.nextInt(1_000_000)) * 1_000_000;
      block.doubles(2)[row] = random.nextBoolean() ? Double.NaN : random.nextGaussian() * 1e9;
      block.texts(3).add(random.nextBoolean() ? "none" : "\"" + random.nextInt() + "\n\u20ac");
      block.longs(4)[row] = random.nextInt(2);
      block.longs(5)[row] = 1 + random.nextLong(2);
      block.longs(6)[row] = random.nextBoolean() ? TableBlock.NULL : random.nextLong(11) - 5;
      block.rows(row + 1);
    }
    out.clear();
    RecordEncoder encoder = new RecordEncoder(schema);
    for (int row = 0; row < block.rows(); row++) {
      if (encoding == RecordEncoding.JSON) {
        encoder.json(block, row, out);
      } else {
        encoder.singleObject(block, row, out);
      }
    }
    TableBlock again = new TableBlock(schema.columns(), 0);
    RecordErrors errors = new RecordErrors();
    byte[] bytes = out.toBytes();
    new RecordDecoder(schema)
        .decode(
            encoding, bytes, 0, bytes.length, RecordAttributes.NONE, again, errors, bytes.length);
    assertThat(errors.list()).isEmpty();
    assertThat(again.rows()).isEqualTo(block.rows());
    for (int row = 0; row < block.rows(); row++) {
      for (int column = 0; column < schema.columns().size(); column++) {
        assertThat(again.text(row, column)).isEqualTo(block.text(row, column));
      }
    }
  }
}

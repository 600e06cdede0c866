package io.millrace.wire.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.TableBlock;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Any bytes: no exception, termination, and every record is either accepted or reported. */
class RecordDecoderFuzzTest {
  private static final byte[] JSON =
      """
      [{"time":1700000000000,"subscriber":"a\\u00e9","used":7,"balance":-1.5e2,"share":0.25,
        "granted":true,"plan":"gold","until":"1700000000","weight":null,"x":[{"y":1}]},
       {"time":"2026-01-31T23:59:59Z","subscriber":"\uD83D\uDE00","used":"12","note":""}]
      """
          .getBytes(StandardCharsets.UTF_8);

  private static void decode(RecordEncoding encoding, byte[] bytes) {
    RecordErrors errors = new RecordErrors();
    TableBlock block = new TableBlock(Usage.SCHEMA.columns(), 0);
    int count =
        new RecordDecoder(Usage.SCHEMA)
            .decode(
                encoding, bytes, 0, bytes.length, RecordAttributes.NONE, block, errors, 1 << 20);
    assertThat(block.rows()).isLessThanOrEqualTo(count);
    if (!errors.isTruncated()) {
      assertThat(block.rows() + errors.count()).isEqualTo(count);
    }
    for (int row = 0; row < block.rows(); row++) {
      assertThat(block.texts(1).length(row)).isBetween(1, 32);
      assertThat(block.longs(2)[row]).isBetween(0L, 1_000_000_000_000L);
    }
  }

  private static void change(Random random, byte[] bytes) {
    for (int i = random.nextInt(4); i >= 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
  }

  @Property(tries = 2_000)
  void anyBytes(@ForAll byte[] bytes, @ForAll RecordEncoding encoding) {
    decode(encoding, bytes);
    RecordBatch batch = RecordBatch.wrap(bytes, bytes.length);
    assertThat(batch.isSound() && batch.block().isEmpty() && bytes.length == 0).isFalse();
  }

  @Property(tries = 3_000)
  void goodBytesWithSomeChanged(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] json = JSON.clone();
    change(random, json);
    decode(RecordEncoding.JSON, json);
    byte[] avro = RecordDatum.singleObjects(random, 1 + random.nextInt(3));
    change(random, avro);
    decode(RecordEncoding.AVRO, avro);
  }

  @Property(tries = 1_000)
  void brokenBatches(@ForAll long seed) {
    Random random = new Random(seed);
    RecordBatch.Writer writer = new RecordBatch.Writer();
    writer.addSender(new byte[] {'c'}, 1);
    byte[] value =
        writer.write(Usage.decode(RecordEncoding.JSON, JSON, new RecordErrors()), 0, seed);
    change(random, value);
    RecordBatch batch = RecordBatch.wrap(value, random.nextInt(value.length + 1));
    if (batch.isSound()) {
      batch.senders((client, frame) -> assertThat(client.length()).isLessThan(256));
      batch
          .block()
          .flatMap(block -> new RecordColumns(Usage.SCHEMA).place(block, 0, 0, 0))
          .ifPresent(block -> assertThat(block.rows()).isEqualTo(batch.count()));
    }
  }
}

package io.millrace.wire.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.TableBlock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecordBatchTest {
  private static final String GOLDEN = "record-batch-version-1.bin";
  private static final long ARRIVAL = 1_700_000_001_000_000L;
  private static final String RECORDS =
      """
      {"time":1700000000000,"subscriber":"a","used":7,"note":"x"}
      {"time":1700000002000,"subscriber":"b","used":8,"share":1.5}
      {"time":1700000001000,"subscriber":"a","used":9,"granted":true}
      """;

  /** The value in the golden file of version 1; must never change. */
  private static byte[] golden() {
    RecordBatch.Writer writer = new RecordBatch.Writer();
    writer.addSender("first".getBytes(StandardCharsets.UTF_8), 17);
    writer.addSender("zweíter".getBytes(StandardCharsets.UTF_8), Long.MAX_VALUE);
    return writer.write(block(), 0, ARRIVAL);
  }

  private static TableBlock block() {
    return Usage.decodeJson(RECORDS, new RecordErrors());
  }

  /** Writes the golden file; argument: the resources directory. */
  public static void main(String[] args) throws IOException {
    Files.write(Path.of(args[0], GOLDEN), golden());
  }

  @Test
  void theFileOfVersion1IsRead() throws IOException {
    byte[] bytes;
    try (InputStream in = RecordBatchTest.class.getResourceAsStream(GOLDEN)) {
      bytes = in.readAllBytes();
    }
    RecordBatch batch = RecordBatch.wrap(bytes, bytes.length);
    assertThat(batch.isSound()).isTrue();
    assertThat(batch.arrival()).isEqualTo(ARRIVAL);
    assertThat(batch.newest()).isEqualTo(1_700_000_002_000_000L);
    assertThat(batch.count()).isEqualTo(3);
    Map<String, Long> senders = new LinkedHashMap<>();
    batch.senders(senders::put);
    assertThat(senders)
        .containsExactly(Map.entry("first", 17L), Map.entry("zweíter", Long.MAX_VALUE));
    assertThat(Usage.rows(batch.block().orElseThrow())).isEqualTo(Usage.rows(block()));
    assertThat(golden()).as("bytes of today").isEqualTo(bytes);
  }

  @Test
  void anEmptyBatchIsOne() {
    TableBlock none = new TableBlock(Usage.SCHEMA.columns(), 0);
    byte[] bytes = new RecordBatch.Writer().write(none, 0, ARRIVAL);
    RecordBatch batch = RecordBatch.wrap(bytes, bytes.length);
    assertThat(batch.isSound()).isTrue();
    assertThat(batch.newest()).isZero();
    assertThat(batch.block().orElseThrow().rows()).isZero();
  }
}

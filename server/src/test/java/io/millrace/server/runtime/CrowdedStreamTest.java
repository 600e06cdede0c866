package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipelines.RecordStream;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.RecordSchema.Field;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@code doctor} says of records that are dated ahead. */
class CrowdedStreamTest {
  private static final RecordStream VISITS =
      RecordStream.of(
          new RecordSchema(
              "visits", List.of(Field.time("time"), Field.text("who", 1, 20)), "time", "who"));

  @Test
  void tellsOfRecordsThatWereLeftOut() {
    assertThat(Jobs.crowded(VISITS, Map.of(VISITS.rowsCounter(), 7L))).isEmpty();
    assertThat(Jobs.crowded(VISITS, Map.of(VISITS.crowdedCounter(), 12_345L)).orElseThrow())
        .startsWith("stream visits: dropped 12,345 records with timestamps in the future")
        .contains("correct the senders");
  }
}

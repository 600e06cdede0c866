package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pipelines.RecordStream;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.RecordSchema.Field;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class JobsTest {
  private static final RecordStream VISITS =
      RecordStream.of(
          new RecordSchema(
              "visits", List.of(Field.time("time"), Field.text("who", 1, 20)), "time", "who"));

  @Test
  void reportsDroppedRecords() {
    assertThat(Jobs.crowded(VISITS, Map.of(VISITS.rowsCounter(), 7L))).isEmpty();
    assertThat(Jobs.crowded(VISITS, Map.of(VISITS.crowdedCounter(), 12_345L)).orElseThrow())
        .startsWith("stream visits: dropped 12,345 records with timestamps in the future")
        .contains("correct the senders");
  }

  @Test
  void settingsOfUnknownStepsAreRejected() {
    Set<String> steps = Set.of("decode", "hitters-judge");
    assertThatCode(() -> Jobs.checkSteps(Set.of("decode"), steps)).doesNotThrowAnyException();
    assertThatThrownBy(() -> Jobs.checkSteps(Set.of("hiters-judge"), steps))
        .hasMessage("job.steps.hiters-judge: no job has this step; did you mean hitters-judge?");
    assertThatThrownBy(() -> Jobs.checkSteps(Set.of("x"), steps)).hasMessageContaining("/metrics");
  }
}

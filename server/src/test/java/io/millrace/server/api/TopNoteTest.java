package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.TopResult;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopNoteTest {
  @Test
  void onlyRowsWhoseRateIsKnownAreCalledExact() {
    assertThat(TopEndpoint.note(result(false), 0)).isEqualTo("exact: no row was sampled");
    assertThat(TopEndpoint.note(result(false), 5))
        .startsWith("sampling rate unknown, counted as 1");
    assertThat(TopEndpoint.note(result(true), 0)).doesNotContain("unknown");
    assertThat(TopEndpoint.note(result(true), 5))
        .startsWith("estimated")
        .endsWith("where the sampling rate is unknown, as 1");
  }

  private static TopResult result(boolean isEstimated) {
    TopResult.Row row = new TopResult.Row(List.of("64500"), 1, 1);
    return new TopResult(
        List.of("as"), List.of(row), 1, 0, 1, isEstimated, "", Instant.EPOCH, Instant.EPOCH, 0);
  }
}

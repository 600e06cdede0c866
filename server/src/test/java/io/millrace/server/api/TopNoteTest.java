package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TopNoteTest {
  @Test
  void estimatesFromASampleHaveAConfidenceInterval() {
    assertThat(TopEndpoint.sampled(0, 100)).isEmpty();
    assertThat(TopEndpoint.sampled(3.21, 100)).startsWith("estimated ± 3.2% (95%)");
    assertThat(TopEndpoint.sampled(30, 100)).startsWith("estimated ± 30.0% (95%)");
    assertThat(TopEndpoint.sampled(31, 100)).startsWith("too few samples");
    assertThat(TopEndpoint.sampled(5, 0)).startsWith("too few samples");
  }

  @Test
  void onlyRowsWhoseRateIsKnownAreCalledExact() {
    assertThat(TopEndpoint.volumes(false, 0)).isEqualTo("exact: no row was sampled");
    assertThat(TopEndpoint.volumes(false, 5)).startsWith("sampling rate unknown, counted as 1");
    assertThat(TopEndpoint.volumes(true, 0)).doesNotContain("unknown");
    assertThat(TopEndpoint.volumes(true, 5))
        .startsWith("estimated")
        .endsWith("or by 1 if it is unknown");
  }
}

package io.millrace.pipelines;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PipelineTest {
  @Test
  void discoveryFindsThePipelinesOfTheTreeInTheirOrder() {
    assertThat(Pipeline.all())
        .extracting(Pipeline::name)
        .containsExactly(
            "flows",
            "gateways",
            "hitters",
            "quota",
            "count",
            "apps",
            "ads",
            "trends",
            "flow_trends",
            "voice",
            "packets");
  }
}

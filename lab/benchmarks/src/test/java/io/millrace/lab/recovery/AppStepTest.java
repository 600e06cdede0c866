package io.millrace.lab.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pipelines.Run;
import io.millrace.pipelines.StoreLink;
import io.millrace.server.runtime.MillraceConfig;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.api.Test;

class AppStepTest {
  @Test
  void eachStepHasItsOwnSlots() throws Exception {
    StreamExecutionEnvironment job = StreamExecutionEnvironment.getExecutionEnvironment();
    AppStep.pipeline()
        .build(
            job,
            Run.live(
                "localhost:1", new StoreLink.Local("none"), MillraceConfig.defaults().shared(), 1));
    Map<String, String> groups =
        job.getStreamGraph().getStreamNodes().stream()
            .collect(
                Collectors.toMap(
                    node -> node.getOperatorName().replace("Source: ", ""),
                    StreamNode::getSlotSharingGroup));
    assertThat(groups)
        .containsEntry("apps-log", "decoder")
        .containsEntry("apps-decode", "decoder")
        .containsEntry("apps-flows-scatter", "decoder")
        .containsEntry("apps-flows", "classifier")
        .containsEntry("apps-subscribers", "tracker")
        .containsEntry("apps-store", "tracker")
        .containsEntry("app-flows-store", "tracker");
    assertThat(groups.values()).containsOnly("decoder", "classifier", "tracker");
  }

  @Test
  void findsAStepInItsChain() {
    assertThat(AppStep.names("Source: apps-log -> apps-decode -> (apps-control, apps-x: Writer)"))
        .contains("apps-log", "apps-decode", "apps-control", "apps-x", "Writer")
        .doesNotContain("apps-flows");
  }
}

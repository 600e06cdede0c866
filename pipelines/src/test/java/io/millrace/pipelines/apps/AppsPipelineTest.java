package io.millrace.pipelines.apps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pipelines.Figure;
import io.millrace.pipelines.count.CountPipeline;
import io.millrace.wire.packet.PacketReject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AppsPipelineTest {
  private static final AppsPipeline APPS = new AppsPipeline();

  @Test
  void eachReasonForWhichPacketsCannotBeUsedIsAFigure() {
    List<String> names = APPS.figures().stream().map(Figure::name).toList();
    for (PacketReject reason : PacketReject.values()) {
      assertThat(names).containsOnlyOnce(reason.label().replace('-', '_'));
    }
    List<String> counted = new CountPipeline().figures().stream().map(Figure::name).toList();
    assertThat(counted).contains("bad_ip_header", "unknown_link").doesNotContain("bad_fragment");
  }

  @Test
  void givesARemedyIfOneInAHundredIsRejected() {
    Map<String, Long> well =
        Map.of(
            "apps-decode.rowsOut", 1_000L,
            "apps-flows.not-ip", 1_000L,
            "apps-flows.cut-ip-header", 5L,
            "apps-flows.cut-transport-header", 5L,
            "apps-sessions.rowsOut", 200L,
            "apps-tunnels.lateOwners", 2L);
    assertThat(APPS.problems(well)).isEmpty();
    Map<String, Long> bad =
        Map.of(
            "apps-decode.rowsOut", 1_000L,
            "apps-flows.unknown-link", 500L,
            "apps-flows.cut-ip-header", 11L,
            "apps-sessions.rowsOut", 200L,
            "apps-tunnels.lateOwners", 3L);
    assertThat(APPS.problems(bad))
        .containsExactly(
            "apps: 500 of 1000 packets have an unsupported link type: capture on another interface",
            "apps: 11 of 1000 packets are truncated within their headers: raise the snap length of"
                + " the capture (capture.snap-length)",
            "apps: 3 of 200 tunnel owners were reported late: raise apps.watermark-delay, or"
                + " find out why control-plane messages arrive later than packets of the same time");
  }

  @Test
  void latenessIsBounded() {
    assertThat(AppsConfig.defaults().watermarkDelay()).isEqualTo(Duration.ofSeconds(1));
    assertThatThrownBy(() -> AppsConfig.defaults().withWatermarkDelay(Duration.ofHours(2)))
        .hasMessageStartingWith("watermark-delay: ");
  }
}

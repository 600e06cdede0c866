package io.millrace.lab.apps;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.app.AppNames;
import io.millrace.analytics.app.AppTracker;
import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.pcap.CaptureReader;
import java.io.ByteArrayInputStream;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AppsBenchmarkTest {
  private static final int PACKETS = 60_000;

  @Test
  void theTraceIsACaptureWhoseApplicationsAreFound() throws Exception {
    AppTrace trace = new AppTrace(PACKETS, 1);
    Map<String, Integer> wrong = new HashMap<>();
    int[] right = {0};
    AppTracker tracker =
        new AppTracker(
            FlowTableConfig.defaults(),
            IpLayer.INNER,
            AppNames.builtIn(),
            flow -> {
              String app = trace.app((int) flow.clientLow(), flow.clientPort());
              if (flow.app().equals(app)) {
                right[0]++;
              } else if (app != null) {
                wrong.merge(app + " as " + flow.app(), 1, Integer::sum);
              }
            });
    CaptureReader capture =
        CaptureReader.open(new ByteArrayInputStream(trace.file(), 0, trace.end()));
    while (capture.next()) {
      tracker.packet(
          capture.timeMicros(),
          capture.linkType(),
          capture.bytes(),
          capture.offset(),
          capture.length());
    }
    tracker.endAll();
    assertThat(capture.frame()).isEqualTo(PACKETS);
    assertThat(wrong).isEmpty();
    assertThat(right[0]).isEqualTo(trace.identifiable()).isGreaterThan(trace.flows() / 3);
  }
}

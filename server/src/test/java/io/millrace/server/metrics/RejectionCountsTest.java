package io.millrace.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.ingest.IngestRejection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RejectionCountsTest {
  private final AtomicLong nanos = new AtomicLong();
  private final RejectionCounts<IngestRejection> rejections =
      new RejectionCounts<>(IngestRejection.class, nanos::get);

  @Test
  void reportsMostRejectedSendersWithCauseAndAdvice() {
    rejections.add(IngestRejection.SLOW, "192.0.2.1");
    for (int i = 0; i < 1_200; i++) {
      rejections.add(IngestRejection.RATE, "2001:db8::/64");
    }
    assertThat(rejections.lines("records"))
        .containsExactly(
            "records: 2001:db8::/64 was rejected 1,200 times: "
                + IngestRejection.RATE.cause()
                + "; "
                + IngestRejection.RATE.advice(),
            "records: 192.0.2.1 was rejected once: "
                + IngestRejection.SLOW.cause()
                + "; "
                + IngestRejection.SLOW.advice());
  }

  @Test
  void reportsFiveSendersAndDropsOldOnes() {
    for (int i = 0; i < 1_000; i++) {
      rejections.add(IngestRejection.RATE, "sender " + i);
    }
    assertThat(rejections.lines("records")).hasSize(5).allMatch(line -> line.contains("sender 9"));
    nanos.addAndGet(TimeUnit.MINUTES.toNanos(50));
    rejections.add(IngestRejection.RATE, "sender 999");
    nanos.addAndGet(TimeUnit.MINUTES.toNanos(50));
    assertThat(rejections.lines("records")).singleElement().asString().contains("sender 999", "2");
  }
}

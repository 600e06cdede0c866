package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.job.JobStatusReport;
import io.millrace.store.StoreException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LiveRatesTest {
  private static JobStatusReport status() {
    return new JobStatusReport(
        "flows",
        "RUNNING",
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        0,
        Map.of("decode.rowsOut", 1L));
  }

  /** An exception would cancel the periodic task. */
  @Test
  void aReopenedStoreDoesNotStopTheSamples() {
    AtomicInteger looks = new AtomicInteger();
    try (LiveRates rates =
        new LiveRates(
            () -> {
              if (looks.incrementAndGet() == 2) {
                throw new StoreException("the disk is full", null);
              }
              return Map.of("flows", status());
            },
            null,
            () -> 0)) {
      for (int i = 0; i < 3; i++) {
        rates.sample();
      }
      assertThat(looks).hasValue(3);
    }
  }
}

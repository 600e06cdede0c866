package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  private final AtomicLong nanos = new AtomicLong();
  private final Refusals refusals = new Refusals(nanos::get);

  @Test
  void saysWhoWasRefusedMostWhyAndWhatToDo() {
    refusals.add(ClientRejection.SLOW, "192.0.2.1");
    for (int i = 0; i < 1_200; i++) {
      refusals.add(ClientRejection.EACH, "2001:db8::/64");
    }
    assertThat(refusals.lines("queries"))
        .containsExactly(
            "queries: 2001:db8::/64 was rejected 1,200 times: "
                + ClientRejection.EACH.cause()
                + "; "
                + ClientRejection.EACH.advice(),
            "queries: 192.0.2.1 was rejected once: "
                + ClientRejection.SLOW.cause()
                + "; "
                + ClientRejection.SLOW.advice());
  }

  @Test
  void fewAreToldAndOldOnesForgotten() {
    for (int i = 0; i < 1_000; i++) {
      refusals.add(ClientRejection.EACH, "sender " + i);
    }
    assertThat(refusals.lines("queries")).hasSize(5).allMatch(line -> line.contains("sender 9"));
    nanos.addAndGet(TimeUnit.MINUTES.toNanos(50));
    refusals.add(ClientRejection.EACH, "sender 999");
    nanos.addAndGet(TimeUnit.MINUTES.toNanos(50));
    assertThat(refusals.lines("queries")).singleElement().asString().contains("sender 999", "2");
  }
}

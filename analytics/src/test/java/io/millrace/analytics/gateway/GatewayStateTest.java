package io.millrace.analytics.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class GatewayStateTest {
  /** For example if all its records were from the future: it has days, but no series. */
  @Test
  void theIdOfAGatewayWithoutSeriesIsRemovedOnceItsDaysAreEmitted() {
    GatewayState state =
        new GatewayState(AnalyzerContext.alone().keyGroups(), GatewayDaysConfig.defaults());
    byte[] name = "a name that is longer than its key".getBytes(StandardCharsets.UTF_8);
    GatewayKey key = new GatewayKey();
    key.of(name, 0, name.length);
    state.ids().put(key.hash(), key.first(), key.second(), name, 0, name.length);
    int day = state.days().entry(0, key.hash(), key.first(), key.second(), 30_000);
    state.days().add(day, Days.DROPPED, 1);
    assertThat(state.forget(20_000)).isFalse(); // the first day begins with the process
    assertThat(state.forget(20_001)).isTrue();
    assertThat(state.ids().table().size()).isPositive();
    state.days().write(state.ids(), block -> assertThat(block.rows()).isEqualTo(1));
    assertThat(state.forget(20_002)).isTrue();
    assertThat(state.ids().table().size()).isZero();
    assertThat(state.days().table().size()).isZero();
  }
}

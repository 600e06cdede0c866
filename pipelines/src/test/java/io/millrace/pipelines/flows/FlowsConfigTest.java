package io.millrace.pipelines.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FlowsConfigTest {
  @Test
  void changesOneThingAtATime() {
    FlowsConfig config =
        FlowsConfig.defaults().withMaxRowsPerSecond(5).withSampling(Map.of("::/0", 2L));
    assertThat(config.maxRowsPerSecond()).isEqualTo(5);
    assertThat(config.sampling()).containsExactly(Map.entry("::/0", 2L));
    assertThat(config.netflow()).isEqualTo(FlowsConfig.NetflowBounds.defaults());
  }

  @Test
  void ratesAreCopiedAndChecked() {
    Map<String, Long> rates = new HashMap<>(Map.of("::/0", 2L));
    FlowsConfig config = FlowsConfig.defaults().withSampling(rates);
    rates.clear();
    assertThat(config.sampling()).hasSize(1);
    assertThatThrownBy(() -> config.withSampling(Map.of("x", 2L)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sampling.x");
  }

  @Test
  void badNumbersAreNamedWithTheirBounds() {
    assertThatThrownBy(() -> FlowsConfig.defaults().withMaxRowsPerSecond(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("max-rows-per-second: -1 is less than 0");
    assertThatThrownBy(() -> new FlowsConfig.NetflowBounds(0, 1, 1, 1, 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("max-sessions: 0 is not in 1 to 1048576");
    assertThatThrownBy(() -> new FlowsConfig.NetflowBounds(1, 1, 0, 1, 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("max-all-templates: 0 is not in 1 to 1048576");
    assertThatThrownBy(() -> new FlowsConfig.NetflowBounds(1, 1, 1, 1, -1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("hold: -1 ");
  }
}

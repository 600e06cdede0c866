package io.millrace.lab.soak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlanTest {
  @ParameterizedTest
  @ValueSource(ints = {40, 600, 1_800})
  void killsEndBeforeTheLastRunAndFloodsBeforeTheCalm(int seconds) {
    for (long seed = 0; seed < 20; seed++) {
      Plan plan = Plan.of(seed, seconds);
      assertThat(plan).isEqualTo(Plan.of(seed, seconds));
      assertThat(plan.kills()).isNotEmpty().isSorted().allMatch(at -> at < seconds * 0.6);
      assertThat(plan.floods()).isNotEmpty().isSorted().allMatch(at -> at < plan.calm());
      assertThat(plan.isFlood(plan.floods().get(0))).isTrue();
      assertThat(plan.isFlood(seconds - 0.1)).isFalse();
    }
  }

  @org.junit.jupiter.api.Test
  void anotherSeedGivesAnotherPlan() {
    assertThat(Plan.of(1, 600)).isNotEqualTo(Plan.of(2, 600));
  }
}

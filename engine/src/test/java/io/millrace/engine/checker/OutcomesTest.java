package io.millrace.engine.checker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class OutcomesTest {
  private static Scenario.Input input(int key, long number) {
    return new Scenario.Input(key, number);
  }

  /** The order decides: 7 + 6, or 7 + 9, or 9 + 6, each emitted as soon as it is above 12. */
  @Test
  void theOrderOfArrivalDecides() {
    Scenario scenario =
        new Scenario(List.of(List.of(input(0, 7), input(0, 6)), List.of(input(0, 9))));
    Outcomes outcomes = new Outcomes(scenario, 1, false);
    assertThat(outcomes.count()).isEqualTo(3);
    assertThat(outcomes.contains(List.of(new Row(0, 1, 0, 13)))).isTrue(); // 7 6 | 9
    assertThat(outcomes.contains(List.of(new Row(1, 0, 0, 16)))).isTrue(); // 7 9 | 6
    assertThat(outcomes.contains(List.of(new Row(0, 0, 0, 16)))).isTrue(); // 9 7 | 6
    assertThat(outcomes.contains(List.of(new Row(0, 1, 0, 15)))).isFalse(); // 9 6 is out of order
    assertThat(outcomes.contains(List.of())).isFalse();
    assertThat(outcomes.contains(List.of(new Row(0, 1, 0, 13), new Row(0, 1, 0, 13)))).isFalse();
  }

  @Test
  void subtasksDoNotWaitForEachOther() {
    Scenario scenario =
        new Scenario(List.of(List.of(input(0, 7), input(1, 7)), List.of(input(1, 9), input(0, 9))));
    Outcomes together = new Outcomes(scenario, 1, false);
    Outcomes apart = new Outcomes(scenario, 2, false);
    // For each key, the source that has its number second comes first: possible only separately.
    List<Row> crossed = List.of(new Row(0, 0, 0, 16), new Row(1, 0, 1, 16));
    assertThat(apart.count()).isEqualTo(4);
    assertThat(together.count()).isEqualTo(3);
    assertThat(apart.contains(crossed)).isTrue();
    assertThat(together.contains(crossed)).isFalse();
  }
}

package io.millrace.wire.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FrontierTest {
  @Test
  void coversWhatLiesInFrontOfTheNextOffset() {
    Frontier frontier = new Frontier(Map.of(1, 10L));

    assertThat(frontier.covers(1, 9)).isTrue();
    assertThat(frontier.covers(1, 10)).isFalse();
    assertThat(frontier.covers(2, 0)).isFalse();
    assertThat(Frontier.EMPTY.covers(0, 0)).isFalse();
  }

  @Test
  void isNotChangedThroughTheMapItWasMadeOf() {
    Map<Integer, Long> next = new HashMap<>(Map.of(1, 10L));
    Frontier frontier = new Frontier(next);
    next.put(1, 20L);

    assertThat(frontier.next(1)).isEqualTo(10);
  }
}

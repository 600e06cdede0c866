package io.millrace.lab.week;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LevelTest {
  private static List<Day> days(long bytesMore) {
    return IntStream.range(0, 4)
        .mapToObj(
            i -> new Day(4 + i, (100L << 20) + i * bytesMore, 500L << 20, 120, 300, 8, 40, 30))
        .toList();
  }

  @Test
  void constantValuesAreLevel() {
    assertThat(Level.growth(days(0))).isEmpty();
    assertThat(Level.growth(days(1 << 20))).isEmpty();
  }

  @Test
  void growthByAFifthADayIsNotLevel() {
    assertThat(Level.growth(days(20 << 20)))
        .singleElement()
        .asString()
        .startsWith("the store's size grew from ");
  }
}

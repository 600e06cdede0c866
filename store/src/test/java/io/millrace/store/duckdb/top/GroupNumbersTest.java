package io.millrace.store.duckdb.top;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GroupNumbersTest {
  @Test
  void numbersStayWhenGroupsAreAdded() {
    GroupNumbers numbers = new GroupNumbers(2);
    Random random = new Random(2);
    List<long[]> keys = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      long[] key = {random.nextInt(3), random.nextInt(4_000)};
      boolean isKnown = numbers.find(key) >= 0;
      int number = numbers.number(key);
      assertThat(number).isLessThan(numbers.size()).isEqualTo(numbers.find(key));
      if (!isKnown) {
        assertThat(number).isEqualTo(keys.size());
        keys.add(key);
      }
    }
    assertThat(keys).hasSize(numbers.size()).hasSizeGreaterThan(9_000);
    long[] key = new long[2];
    for (int i = 0; i < keys.size(); i++) {
      numbers.key(i, key);
      assertThat(key).isEqualTo(keys.get(i));
    }
  }
}

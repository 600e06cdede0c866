package io.millrace.analytics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.analytics.keyed.Hash;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyGroupsTest {
  @Test
  void everyGroupBelongsToOneSubtask() {
    for (int subtasks = 1; subtasks <= 130; subtasks++) {
      int next = 0;
      for (int i = 0; i < subtasks; i++) {
        KeyGroups groups = KeyGroups.of(128, i, subtasks);
        assertThat(groups.first()).isEqualTo(next);
        next = groups.last() + 1;
        for (int group = groups.first(); group <= groups.last(); group++) {
          assertThat(KeyGroups.subtaskOf(group, 128, subtasks)).isEqualTo(i);
        }
      }
      assertThat(next).isEqualTo(128);
    }
  }

  @Test
  void hashesOfNeighboursAreSpreadOverAllGroups() {
    int[] counts = new int[128];
    for (int key = 0; key < 128_000; key++) {
      counts[KeyGroups.groupOf(key, 128)]++;
    }
    assertThat(IntStream.of(counts)).allMatch(count -> count > 800 && count < 1_200);
  }

  /** Part of checkpoints, so a newer release must find what an older one wrote. */
  @Test
  void hashesAndGroupsNeverChange() {
    assertThat(Hash.of(0)).isZero();
    assertThat(Hash.of(64_500)).isEqualTo(HASH_OF_64500);
    assertThat(Hash.of(1, 2)).isEqualTo(HASH_OF_1_2);
    assertThat(Hash.of("DE".getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0, 2))
        .isEqualTo(HASH_OF_DE);
    assertThat(KeyGroups.groupOf(Hash.of(1, 2), 128)).isEqualTo(GROUP_OF_1_2);
  }

  private static final int HASH_OF_64500 = 1_070_744_588;
  private static final int HASH_OF_1_2 = -800_349_022;
  private static final int HASH_OF_DE = -1_125_372_119;
  private static final int GROUP_OF_1_2 = 76;

  @Test
  void rejectsAnInvalidRange() {
    assertThatIllegalArgumentException().isThrownBy(() -> new KeyGroups(128, 3, 128));
    assertThatIllegalArgumentException().isThrownBy(() -> new KeyGroups(40_000, 0, 1));
  }
}

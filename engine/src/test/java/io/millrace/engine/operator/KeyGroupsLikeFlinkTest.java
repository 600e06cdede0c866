package io.millrace.engine.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.KeyGroups;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.junit.jupiter.api.Test;

/** Flink moves state and Millrace moves rows: both must send a group to the same subtask. */
class KeyGroupsLikeFlinkTest {
  @Test
  void rangesAndReceiversAreFlinks() {
    for (int max : new int[] {1, 7, 128, 32_768}) {
      for (int subtasks = 1; subtasks <= Math.min(max, 200); subtasks++) {
        for (int i = 0; i < subtasks; i++) {
          KeyGroupRange flinks =
              KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(max, subtasks, i);
          KeyGroups ours = KeyGroups.of(max, i, subtasks);
          assertThat(ours)
              .isEqualTo(new KeyGroups(max, flinks.getStartKeyGroup(), flinks.getEndKeyGroup()));
        }
        for (int group = 0; group < max; group += Math.max(1, max / 100)) {
          assertThat(KeyGroups.subtaskOf(group, max, subtasks))
              .isEqualTo(
                  KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(max, subtasks, group));
        }
      }
    }
  }
}

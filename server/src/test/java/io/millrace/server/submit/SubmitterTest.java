package io.millrace.server.submit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubmitterTest {
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "3, 2", "4, 2", "8, 4"})
  void aJobWithDefaultParallelismLeavesFreeSlots(int free, int taken) {
    assertThat(Submitter.share(free)).isEqualTo(taken);
  }
}

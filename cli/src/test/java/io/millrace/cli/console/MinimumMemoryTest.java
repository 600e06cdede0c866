package io.millrace.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MinimumMemoryTest {
  private static final long MIB = 1 << 20;

  @Test
  void rejectsTooLittleMemoryInOneLine() {
    MinimumMemory.require(960 * MIB);
    assertThatThrownBy(() -> MinimumMemory.require(960 * MIB - 1))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("is 959 MiB, required are 960 MiB")
        .hasMessageNotContaining("\n");
  }

  @Test
  void defaultsFitIntoOneGibibyteAndExcessIsReported() {
    long store = (1024 - 512) * MIB / 4;
    assertThat(MinimumMemory.advice(1024 * MIB, 256 * MIB, store)).isEmpty();
    assertThat(MinimumMemory.advice(960 * MIB, 240 * MIB, 112 * MIB)).isEmpty();
    assertThat(MinimumMemory.advice(1024 * MIB, 2048 * MIB, store))
        .hasValueSatisfying(text -> assertThat(text).contains("2,048 MiB", "1,024 MiB", "-Xmx"));
  }
}

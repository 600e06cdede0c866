package io.millrace.lab.siege;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Kills a process above its memory budget, and none below it. */
@EnabledOnOs(OS.LINUX)
class MemoryGuardTest {
  private static final double LITTLE_MIB = 0.01;
  private static final double MUCH_MIB = 1_000;

  @Test
  void killsOnlyProcessesAboveTwiceTheirBudget() throws Exception {
    Process modest = new ProcessBuilder("sleep", "120").start();
    Process greedy = new ProcessBuilder("sleep", "120").start();
    try (MemoryGuard within = new MemoryGuard(modest.pid(), MUCH_MIB);
        MemoryGuard beyond = new MemoryGuard(greedy.pid(), LITTLE_MIB)) {
      assertThat(greedy.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(beyond.hasEnded()).isTrue();
      assertThat(modest.isAlive()).isTrue();
      assertThat(within.hasEnded()).isFalse();
      while (within.peakMib() == 0 && modest.isAlive()) {
        Thread.onSpinWait();
      }
      assertThat(within.peakMib()).isPositive().isLessThan(MUCH_MIB);
    } finally {
      modest.destroy();
      greedy.destroy();
    }
  }
}

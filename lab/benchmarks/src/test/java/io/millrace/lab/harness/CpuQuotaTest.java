package io.millrace.lab.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuQuotaTest {
  private static final String NAME = "millrace-test-" + ProcessHandle.current().pid();

  @TempDir Path root;

  private static String text(Path file) throws IOException {
    return Files.readString(file);
  }

  @Test
  void version1HasSeparateFilesForPeriodAndQuota() throws IOException {
    Path cpu = Files.createDirectory(root.resolve("cpu"));
    CpuQuota quota = CpuQuota.create(root, "one");
    Path group = cpu.resolve("one");
    assertThat(quota.version()).isEqualTo("cgroup version 1");
    assertThat(text(group.resolve("cpu.cfs_quota_us"))).isEqualTo("-1");
    quota.limit(0.35);
    assertThat(text(group.resolve("cpu.cfs_period_us"))).isEqualTo("20000");
    assertThat(text(group.resolve("cpu.cfs_quota_us"))).isEqualTo("7000");
    quota.add(4711);
    assertThat(text(group.resolve("cgroup.procs"))).isEqualTo("4711");
    quota.unlimit();
    assertThat(text(group.resolve("cpu.cfs_quota_us"))).isEqualTo("-1");
  }

  @Test
  void version2HasOneFileAndNeedsTheController() throws IOException {
    Files.writeString(root.resolve("cgroup.controllers"), "cpuset cpu io memory\n");
    CpuQuota quota = CpuQuota.create(root, "one");
    Path group = root.resolve("one");
    assertThat(quota.version()).isEqualTo("cgroup version 2");
    assertThat(text(root.resolve("cgroup.subtree_control"))).isEqualTo("+cpu");
    assertThat(text(group.resolve("cpu.max"))).isEqualTo("max 20000");
    quota.limit(2);
    assertThat(text(group.resolve("cpu.max"))).isEqualTo("40000 20000");
    Files.writeString(group.resolve("cpu.stat"), "usage_usec 12\nnr_periods 9\nnr_throttled 7\n");
    assertThat(quota.throttledPeriods()).isEqualTo(7);
  }

  @Test
  void aClosedGroupMovesItsProcessesToTheParent() throws IOException {
    Path cpu = Files.createDirectory(root.resolve("cpu"));
    CpuQuota quota = CpuQuota.create(root, "one");
    quota.add(4711);
    Path group = cpu.resolve("one");
    Thread kernel = // removes the group's files, as the kernel does
        new Thread(
            () -> {
              Await.until("moved", () -> Files.exists(cpu.resolve("cgroup.procs")));
              for (String file : new String[] {"cgroup.procs", "cpu.cfs_quota_us"}) {
                assertThat(group.resolve(file).toFile().delete()).isTrue();
              }
            });
    kernel.start();
    quota.close();
    assertThat(group).doesNotExist();
    assertThat(text(cpu.resolve("cgroup.procs"))).isEqualTo("4711");
  }

  @Test
  void reportsAMissingControllerInOneLine() throws IOException {
    assertThatThrownBy(() -> CpuQuota.create(root, "one"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no control groups for processor time")
        .hasMessageContaining(root.resolve("cgroup.controllers").toString())
        .message()
        .doesNotContain("\n");
    Files.writeString(root.resolve("cgroup.controllers"), "memory\n");
    assertThatThrownBy(() -> CpuQuota.create(root, "one")).isInstanceOf(IOException.class);
    assertThat(root.resolve("one")).doesNotExist();
  }

  @Test
  void namesAGroupThatCannotBeCreated() throws IOException {
    Files.createFile(Files.createDirectory(root.resolve("cpu")).resolve("one"));
    assertThatThrownBy(() -> CpuQuota.create(root, "one"))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "cannot create the control group " + root.resolve("cpu/one") + ": ");
  }

  @Test
  void rejectsQuotasThatTheKernelRejects() throws IOException {
    Files.createDirectory(root.resolve("cpu"));
    CpuQuota quota = CpuQuota.create(root, "one");
    for (double cores : new double[] {0, -1, 0.01, Double.NaN}) {
      assertThatThrownBy(() -> quota.limit(cores))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("quota: " + cores);
    }
  }

  @Test
  void throttlesAProcess() throws Exception {
    CpuQuota quota;
    try {
      quota = CpuQuota.create(CpuQuota.SYSTEM, NAME);
    } catch (IOException e) {
      assumeTrue(false, e.getMessage());
      return;
    }
    Process busy = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
    try (quota) {
      quota.add(busy.pid());
      quota.limit(0.05);
      long before = quota.throttledPeriods();
      ProcessUse start = ProcessUse.of(busy.pid());
      long began = System.nanoTime();
      Await.until("throttled", () -> quota.throttledPeriods() >= before + 20);
      double seconds = (System.nanoTime() - began) / 1e9;
      double used = ProcessUse.of(busy.pid()).since(start).cpuSeconds();
      assertThat(used).isLessThan(0.05 * seconds + 0.05); // two clock ticks and a period
    } finally {
      busy.destroyForcibly().waitFor();
    }
    assertThat(CpuQuota.SYSTEM.resolve("cpu").resolve(NAME)).doesNotExist();
    assertThat(CpuQuota.SYSTEM.resolve(NAME)).doesNotExist();
  }
}

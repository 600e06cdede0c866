package io.millrace.pulse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostMemoryTest {
  private static final long MIB = 1 << 20;

  @TempDir Path root;

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text + "\n");
  }

  private void version2(String group, String mounted) throws IOException {
    write("proc/self/cgroup", "0::" + group);
    write(
        "proc/self/mountinfo",
        "22 1 0:20 / /proc rw - proc proc rw\n30 22 0:26 %s /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"
            .formatted(mounted));
  }

  @Test
  void takesTheSmallestLimitUpTheHierarchyOfVersion2() throws IOException {
    version2("/system.slice/millrace.service", "/");
    write("sys/fs/cgroup/system.slice/memory.max", Long.toString(768 * MIB));
    write("sys/fs/cgroup/system.slice/millrace.service/memory.max", Long.toString(1024 * MIB));
    assertThat(new HostMemory(root).limit()).hasValue(768 * MIB);
    write("sys/fs/cgroup/system.slice/memory.max", "max");
    assertThat(new HostMemory(root).limit()).hasValue(1024 * MIB);
    write("sys/fs/cgroup/system.slice/millrace.service/memory.max", "max");
    assertThat(new HostMemory(root).limit()).isEmpty();
  }

  @Test
  void readsTheLimitOfAContainerWithANamespaceOfItsOwn() throws IOException {
    version2("/", "/");
    write("sys/fs/cgroup/memory.max", Long.toString(512 * MIB));
    assertThat(new HostMemory(root).limit()).hasValue(512 * MIB);
  }

  @Test
  void readsWhereAPartOfTheHierarchyIsMounted() throws IOException {
    version2("/docker/1234/inner", "/docker/1234");
    write("sys/fs/cgroup/memory.max", Long.toString(2048 * MIB));
    write("sys/fs/cgroup/inner/memory.max", Long.toString(900 * MIB));
    assertThat(new HostMemory(root).limit()).hasValue(900 * MIB);
    version2("/../other", "/docker/1234");
    assertThat(new HostMemory(root).limit()).hasValue(2048 * MIB);
  }

  @Test
  void readsVersion1WithAnEmptyVersion2() throws IOException {
    write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/a/b\n0::/");
    write(
        "proc/self/mountinfo",
        "33 25 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,cpu,memory\n"
            + "34 25 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
    write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", Long.toString(1024 * MIB));
    write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", Long.toString(1536 * MIB));
    assertThat(new HostMemory(root).limit()).hasValue(1024 * MIB);
  }

  @Test
  void hasNoLimitWithoutControlGroups() {
    assertThat(new HostMemory(root).limit()).isEmpty();
    assertThat(HostMemory.bytes()).isPositive();
  }
}

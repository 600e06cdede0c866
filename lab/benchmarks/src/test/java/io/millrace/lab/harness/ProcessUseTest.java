package io.millrace.lab.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class ProcessUseTest {
  private static final long OWN = ProcessHandle.current().pid();
  private static final int BYTES = 5_000_000;

  @TempDir Path directory;

  @Test
  void countsWrittenAndReadBytes() throws Exception {
    Path file = directory.resolve("file");
    ProcessUse before = ProcessUse.of(OWN);
    Files.write(file, new byte[BYTES]);
    assertThat(Files.readAllBytes(file)).hasSize(BYTES);
    ProcessUse used = ProcessUse.of(OWN).since(before);
    assertThat(used.writtenBytes()).isGreaterThanOrEqualTo(BYTES);
    assertThat(used.readBytes()).isGreaterThanOrEqualTo(BYTES);
  }

  @Test
  void processorTimeGrowsAndIsPartOfThatOfTheMachine() throws Exception {
    double machine = ProcessUse.machineSeconds();
    ProcessUse before = ProcessUse.of(OWN);
    Await.until("some processor time", () -> ProcessUse.of(OWN).since(before).cpuSeconds() >= 0.1);
    assertThat(ProcessUse.machineSeconds()).isGreaterThan(machine);
  }

  @Test
  void endedProcessesUseNothing() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    assertThat(ProcessUse.ofAll(List.of(ended.pid()))).isEqualTo(new ProcessUse(0, 0, 0));
  }
}

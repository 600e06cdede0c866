package io.millrace.pulse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildProcessTest {
  @TempDir Path dir;

  @BeforeEach
  void hasAShell() {
    assumeThat(Path.of("/bin/sh")).isExecutable();
  }

  @Test
  void returnsTheOutputOfBothStreams() throws IOException {
    List<String> command = List.of("/bin/sh", "-c", "echo one; echo two >&2");
    assertThat(ChildProcess.run(dir.resolve("out"), Duration.ofSeconds(10), command))
        .isEqualTo("one\ntwo\n");
  }

  @Test
  void killsATimedOutProgramAndItsChildren() {
    List<String> command = List.of("/bin/sh", "-c", "sleep 600 & sleep 600; wait");
    assertThatThrownBy(() -> ChildProcess.run(dir.resolve("out"), Duration.ofMillis(200), command))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("still running");
    assertThat(ProcessHandle.current().descendants())
        .noneMatch(child -> child.info().commandLine().orElse("").contains("sleep 600"));
  }

  /** Starts a program while shutting down. */
  static final class EndingProgram {
    private EndingProgram() {}

    public static void main(String[] out) {
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    try (ChildProcess child =
                        ChildProcess.start(Path.of(out[0]), List.of("sleep", "601"))) {
                      System.out.println("started");
                    } catch (IOException e) {
                      System.out.println(e.getMessage());
                    }
                  }));
    }
  }

  @Test
  void noChildOutlivesAProcessThatIsShuttingDown() throws IOException {
    List<String> command =
        ChildProcess.java(List.of(), EndingProgram.class, List.of(dir.resolve("child").toString()));
    assertThat(ChildProcess.run(dir.resolve("out"), Duration.ofMinutes(1), command))
        .contains("sleep: not started, because this process is shutting down");
    assertThat(ProcessHandle.allProcesses())
        .noneMatch(process -> process.info().commandLine().orElse("").contains("sleep 601"));
  }

  /** Prints the command of a child JVM. */
  static final class Parent {
    private Parent() {}

    public static void main(String[] args) {
      System.out.println(ChildProcess.java(List.of(), Parent.class, List.of()));
    }
  }

  @Test
  void aJvmMapsTheClassesThatItsParentMaps() throws IOException {
    List<String> archive = List.of("-XX:SharedArchiveFile=/none.jsa", "-Xlog:cds*=off");
    List<String> command = ChildProcess.java(archive, Parent.class, List.of());
    assertThat(ChildProcess.run(dir.resolve("out"), Duration.ofMinutes(1), command))
        .contains(archive);
  }
}

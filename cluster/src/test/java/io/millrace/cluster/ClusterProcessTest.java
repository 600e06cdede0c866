package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.pulse.ChildMain;
import io.millrace.pulse.ChildProcess;
import io.millrace.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uses processes other than JVMs, since operations must not depend on the program. */
class ClusterProcessTest {
  @TempDir Path dir;

  private ClusterProcess started(String... command) throws IOException {
    ClusterDirectory directory = new ClusterDirectory(dir);
    Files.createDirectories(directory.run());
    Files.createDirectories(directory.logs());
    ClusterProcess process =
        directory.process(
            new ProcessRecord(
                "broker-1", Role.BROKER, "localhost", "127.0.0.1:1", List.of(command), 0, 0));
    process.start();
    return process;
  }

  @Test
  void isFoundAgainFromItsFile() throws IOException {
    ClusterProcess process = started("sleep", "600");
    ClusterDirectory directory = new ClusterDirectory(dir);
    ClusterProcess found = directory.processes().get(0);
    assertThat(found.pid()).isEqualTo(process.pid());
    assertThat(found.alive()).isTrue();
    assertThat(directory.runs()).isTrue();
    assertThat(directory.stop()).hasSize(1);
    assertThat(process.alive()).isFalse();
    assertThat(directory.processes()).isEmpty();
    assertThat(directory.stop()).isEmpty();
  }

  @Test
  void aProcessThatReusesThePidIsNotTouched() throws Exception {
    Process other = new ProcessBuilder("sleep", "600").start();
    ClusterDirectory directory = new ClusterDirectory(dir);
    Files.createDirectories(directory.run());
    long longBefore =
        other.info().startInstant().orElseThrow().toEpochMilli() - 60_000; // a boot ago
    new ProcessRecord(
            "broker-1", Role.BROKER, "localhost", "", List.of("x"), other.pid(), longBefore)
        .write(directory.run());
    assertThat(directory.processes()).hasSize(1).noneMatch(ClusterProcess::alive);
    assertThat(directory.stop()).isEmpty();
    assertThat(other.isAlive()).isTrue();
    other.destroyForcibly().waitFor();
  }

  @Test
  void freezesThawsAndRestarts() throws IOException {
    ClusterProcess process = started("sleep", "600");
    long first = process.pid();
    process.freeze();
    assertThat(process.frozen()).isTrue();
    process.thaw();
    assertThat(process.frozen()).isFalse();
    assertThatThrownBy(process::restart).hasMessage("broker-1 is running; kill it first");
    process.kill();
    assertThat(process.alive()).isFalse();
    assertThatThrownBy(process::freeze).hasMessage("broker-1 is not running");
    process.restart();
    assertThat(process.pid()).isNotEqualTo(first);
    assertThat(new ClusterDirectory(dir).processes().get(0).pid()).isEqualTo(process.pid());
    process.kill();
  }

  @Test
  void lastErrorsHaveTheCauseWithoutTheStackTrace() throws IOException {
    ClusterProcess process =
        started("printf", "1 INFO up\\njava.net.BindException: taken\\n\\tat Broker.main\\n");
    assertThat(process.awaitEnd(java.time.Duration.ofMinutes(1))).isTrue();
    assertThat(process.lastErrors()).isEqualTo("java.net.BindException: taken");
  }

  @Test
  void aProcessOfATestEndsWithItsParent() throws Exception {
    Process parent = new ProcessBuilder("sleep", "600").start();
    ClusterProcess child =
        started(
            ChildProcess.jdk("java"),
            "-cp",
            System.getProperty("java.class.path"),
            ChildMain.class.getName(),
            Long.toString(parent.pid()),
            Sleeper.class.getName(),
            "600");
    Await.until("it sleeps", () -> child.lastErrors().endsWith("sleeping 600"));
    parent.destroyForcibly().waitFor();
    Await.until("it has ended too", () -> !child.alive());
  }

  /** Program of a child. */
  public static final class Sleeper {
    private Sleeper() {}

    /** Sleeps for a number of seconds. */
    public static void main(String[] seconds) throws InterruptedException {
      System.out.println("sleeping " + seconds[0]);
      TimeUnit.SECONDS.sleep(Long.parseLong(seconds[0]));
    }
  }
}

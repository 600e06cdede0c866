package io.millrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.cli.CommandLineRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands on the directory of a cluster with one process and no leader. */
class ClusterCommandTest {
  @TempDir Path dir;
  private Process process;

  @BeforeEach
  void aProcessIsWrittenDown() throws IOException {
    process = new ProcessBuilder("sleep", "600").start();
    Files.createDirectories(dir.resolve("conf"));
    Files.createDirectories(dir.resolve("run"));
    Files.writeString(
        dir.resolve("cluster.json"),
        """
        {"rest": ["http://127.0.0.1:1"], "bootstrapServers": "127.0.0.1:2",
         "checkpoints": "file:///x"}
        """);
    Files.writeString(
        dir.resolve("run").resolve("taskmanager-1.json"),
        """
        {"name": "taskmanager-1", "role": "TASKMANAGER", "host": "localhost",
         "address": "127.0.0.1", "command": ["sleep", "600"], "pid": %d, "startMillis": %d}
        """
            .formatted(process.pid(), process.info().startInstant().orElseThrow().toEpochMilli()));
  }

  @AfterEach
  void nothingIsLeft() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  private CommandLineRun run(String... command) {
    String[] words = new String[command.length + 3];
    words[0] = "cluster";
    System.arraycopy(command, 0, words, 1, command.length);
    words[command.length + 1] = "--dir";
    words[command.length + 2] = dir.toString();
    return CommandLineRun.of(words);
  }

  @Test
  void statusListsProcessesWithoutALeader() throws IOException {
    CommandLineRun table = run("status");
    assertThat(table.status()).as(table.err()).isZero();
    assertThat(table.out())
        .containsPattern("taskmanager-1 +taskmanager +localhost +" + process.pid() + " +up ")
        .contains("Kafka  127.0.0.1:2")
        .endsWith("! no JobManager responds\n");
    JsonNode json = new ObjectMapper().readTree(run("status", "--json").out());
    assertThat(json.path("answers").asBoolean()).isFalse();
    assertThat(json.path("processes")).hasSize(1);
    assertThat(json.path("processes").get(0).path("state").asText()).isEqualTo("up");
  }

  @Test
  void statusShowsDeadProcesses() throws Exception {
    process.destroyForcibly().waitFor();
    assertThat(run("status").out()).containsPattern("taskmanager-1 .* dead ");
    CommandLineRun stop = run("stop");
    assertThat(stop.status()).isZero();
    assertThat(stop.out()).isEqualTo("no process of the cluster was running\n");
  }

  @Test
  void trinoOptionsRequireTrino() {
    CommandLineRun start = run("start", "--trino-workers", "2");
    assertThat(start.status()).isNotZero();
    assertThat(start.err()).contains("require --trino");
  }

  @Test
  void startRejectsTheDirectoryOfARunningCluster() {
    CommandLineRun start = run("start");
    assertThat(start.status()).isEqualTo(2);
    assertThat(start.err())
        .isEqualTo(
            "millrace: a cluster is running in " + dir + "; stop it, or choose another --dir\n");
    assertThat(process.isAlive()).isTrue();
  }

  @Test
  void stopEndsIt() throws InterruptedException {
    CommandLineRun stop = run("stop");
    assertThat(stop.status()).as(stop.err()).isZero();
    assertThat(stop.out()).isEqualTo("stopped taskmanager-1\n");
    assertThat(process.waitFor()).isEqualTo(128 + 15);
    CommandLineRun status = run("status");
    assertThat(status.status()).isEqualTo(2);
    assertThat(status.err()).isEqualTo("millrace: no cluster is running in " + dir + "\n");
  }

  @Test
  void aDeadProcessIsRestarted() throws Exception {
    CommandLineRun running = run("start", "--only", "taskmanager-1");
    assertThat(running.status()).isEqualTo(2);
    assertThat(running.err()).contains("taskmanager-1 is running");
    CommandLineRun unknown = run("start", "--only", "taskmanager-7");
    assertThat(unknown.status()).isEqualTo(2);
    assertThat(unknown.err()).contains("taskmanager-7").contains("expected one of taskmanager-1");

    process.destroyForcibly().waitFor();
    Files.createDirectories(dir.resolve("logs"));
    CommandLineRun again = run("start", "--only", "taskmanager-1");
    assertThat(again.status()).as(again.err()).isZero();
    assertThat(run("status").out()).containsPattern("taskmanager-1 .* up ");
    assertThat(run("stop").out()).isEqualTo("stopped taskmanager-1\n");
  }
}

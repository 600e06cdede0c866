package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.host.ListeningSockets;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandIT {
  @TempDir Path dir;

  @Test
  void nothingOfADemonstrationIsOpenToTheNetwork() {
    CompletableFuture<CommandLineRun> demo =
        CompletableFuture.supplyAsync(
            () ->
                CommandLineRun.of(
                    "demo", "--seconds", "1", "--rate", "200", "--data", dir.toString()));
    Set<InetSocketAddress> listening = new HashSet<>();
    while (!demo.isDone()) {
      listening.addAll(ListeningSockets.of(ProcessHandle.current().pid()));
      LockSupport.parkNanos(20_000_000);
    }
    CommandLineRun run = demo.join();
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out()).contains("the job is submitted").contains("sent ");
    assertThat(dir.resolve("engine.log")).isNotEmptyFile();
    assertThat(listening)
        .hasSizeGreaterThan(4) // API, Flight SQL, Kafka, Flink
        .allMatch(listener -> listener.getAddress().isLoopbackAddress());
  }
}

package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.host.ListeningSockets;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandIT {
  @TempDir Path dir;

  @Test
  void countsACapture() throws IOException {
    Path capture = dir.resolve("three.pcap");
    HexFormat hex = HexFormat.of();
    String packet =
        "00".repeat(12) + "0800" + "4500002800000000400600000a0000010a000002" + "00".repeat(20);
    String record = "00f15365" + "00000000" + "36000000" + "99010000" + packet;
    Files.write(
        capture,
        hex.parseHex("d4c3b2a102000400" + "00".repeat(8) + "ffff000001000000" + record.repeat(3)));
    CommandLineRun run =
        CommandLineRun.of(
            "demo", "--pcap", capture.toString(), "--seconds", "20", "--data", dir.toString());
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out()).containsPattern("protocol 6 +3 packets +1,227 bytes");
  }

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
      LockSupport.parkNanos(100_000_000);
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

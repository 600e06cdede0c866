package io.millrace.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineRun;
import io.millrace.testing.Await;
import io.millrace.testing.ListeningSockets;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandIT {
  private static final List<Pattern> SHOWN =
      Stream.of(
              "protocol 6 +3 packets +1,227 bytes",
              "protocol 17 +18 packets",
              "application NetFlix +[0-9,]+ packets",
              "subscriber 491722334455 +[0-9,]+ packets",
              "heavy +10\\.9\\.0\\.2.*: [0-9.]+% of the bytes")
          .map(Pattern::compile)
          .toList();

  @TempDir Path dir;

  @Test
  void showsPacketsApplicationsSubscribersAndHeavyHittersOfACapture() throws Exception {
    Path capture = Files.write(dir.resolve("mobile.pcap"), MobileCapture.bytes());
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Thread demo =
        new Thread(
            () ->
                CommandLineRun.into(
                    out, err, "demo", "--pcap", capture.toString(), "--data", dir.toString()));
    demo.start();
    try {
      Await.until(
          "all of " + SHOWN,
          () -> {
            assertThat(demo.isAlive()).as("demo: " + err).isTrue();
            return SHOWN.stream().allMatch(line -> line.matcher(out.getBuffer()).find());
          });
    } finally {
      while (demo.isAlive()) { // a query may have taken the first one for its own
        demo.interrupt();
        demo.join(60_000);
      }
    }
  }

  @Test
  void allListenersOfADemoAreOnLoopback() {
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
    assertThat(run.out()).contains("job submitted").contains("sent ");
    assertThat(dir.resolve("engine.log")).isNotEmptyFile();
    assertThat(listening)
        .hasSizeGreaterThan(4) // API, Flight SQL, Kafka, Flink
        .allMatch(listener -> listener.getAddress().isLoopbackAddress());
  }
}

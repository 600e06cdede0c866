package io.millrace.server.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.MillraceConfig;
import io.millrace.server.runtime.TestExporter;
import io.millrace.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store older than the job's checkpoint, such as a restored backup, or no store. */
class OlderStoreIT {
  private static final String ROWS =
      "SELECT count(*), count(DISTINCT (time, log_offset, log_index)) FROM flows";

  @TempDir Path directory;

  private static void send(Millrace millrace, TestExporter exporter, int datagrams)
      throws IOException {
    exporter.send(Instances.udp(millrace), datagrams);
    Instances.drain(millrace);
    long last = millrace.job().checkpoint().map(each -> each.id()).orElse(0L);
    Await.until(
        "a checkpoint of all",
        () -> millrace.job().checkpoint().map(each -> each.id()).orElse(0L) > last + 1);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    }
  }

  @Test
  void missingValuesAreReadAgain() throws Exception {
    Path data = directory.resolve("data");
    Path store = data.resolve("store");
    MillraceConfig config = Instances.config(data);
    String rows;
    try (TestExporter exporter = new TestExporter(0x0A000009)) {
      try (Millrace millrace = new Millrace(config)) {
        millrace.start();
        send(millrace, exporter, 200);
      }
      copy(store, directory.resolve("backup"));
      try (Millrace millrace = new Millrace(config)) {
        millrace.start();
        send(millrace, exporter, 300);
        rows = Instances.rows(millrace.store(), ROWS).get(0);
      }
    }
    Files.move(store, directory.resolve("newest"));
    copy(directory.resolve("backup"), store);
    hasAll(config, rows);
    Files.move(store, directory.resolve("again"));
    hasAll(config, rows);
  }

  private static void hasAll(MillraceConfig config, String rows) throws Exception {
    try (Millrace millrace = new Millrace(config)) {
      millrace.start();
      assertThat(millrace.status().toString()).contains("the store lacks rows of values");
      Await.until(
          "the rows of values that were read before",
          () -> Instances.rows(millrace.store(), ROWS).get(0).equals(rows));
      Instances.drain(millrace);
      assertThat(Instances.rows(millrace.store(), ROWS)).containsExactly(rows);
    }
  }
}

package io.millrace.server.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pulse.DirectoryTree;
import io.millrace.server.runtime.Instances;
import io.millrace.server.runtime.Millrace;
import io.millrace.server.runtime.TestExporter;
import io.millrace.testing.Await;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * If a part of the data directory is older than the rest, damaged or missing, each row stays stored
 * once.
 */
class DamagedDataIT {
  private static final int BURST = 40;
  private static final int ROWS = BURST * TestExporter.SAMPLES;
  private static final String ROWS_ONCE =
      "SELECT count(*), count(DISTINCT (log_partition, log_offset, log_index)) FROM flows";

  @TempDir Path root;

  private Path data;
  private TestExporter exporter;

  @BeforeEach
  void open() throws IOException {
    data = root.resolve("data");
    exporter = new TestExporter(1);
  }

  @AfterEach
  void close() throws IOException {
    exporter.close();
  }

  private Millrace start() throws IOException {
    Millrace millrace = new Millrace(Instances.config(data));
    millrace.start();
    return millrace;
  }

  /** Sends a burst and waits until a checkpoint covers all rows. */
  private void send(Millrace millrace, int rows) throws IOException {
    exporter.send(Instances.udp(millrace), BURST);
    Await.until(
        "all rows in a checkpoint",
        () ->
            Instances.number(millrace.store(), "SELECT count(*) FROM flows_committed") == rows
                && Instances.number(millrace.store(), "SELECT count(*) FROM flows") == rows);
    assertThat(Instances.rows(millrace.store(), ROWS_ONCE)).containsExactly(rows + " " + rows);
  }

  /** Runs an instance that receives a burst. */
  private void live(int rows) throws IOException {
    try (Millrace millrace = start()) {
      send(millrace, rows);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  /** The newest complete checkpoint: a stop may have left an aborted one. */
  private Path newestCheckpoint() throws IOException {
    try (Stream<Path> files = Files.walk(data.resolve("checkpoints"))) {
      return files
          .filter(file -> file.getFileName().toString().matches("chk-\\d+"))
          .filter(file -> Files.exists(file.resolve("_metadata")))
          .max(Comparator.comparingInt(DamagedDataIT::number))
          .orElseThrow();
    }
  }

  private static int number(Path checkpoint) {
    return Integer.parseInt(checkpoint.getFileName().toString().substring("chk-".length()));
  }

  private static List<String> problems(Millrace millrace) {
    return ((List<?>) millrace.status().get("problems")).stream().map(String::valueOf).toList();
  }

  @Test
  void rowsOfAnOlderOrAnotherLogStayAndNewOnesAreAdded() throws IOException {
    live(ROWS);
    Path older = root.resolve("older");
    copy(data.resolve("log"), older);
    live(2 * ROWS);

    DirectoryTree.delete(data.resolve("log"));
    copy(older, data.resolve("log"));
    try (Millrace millrace = start()) {
      assertThat(problems(millrace))
          .anyMatch(problem -> problem.contains("the log of topic millrace.flows has lost values"));
      assertThat(millrace.job().problem()).isEmpty();
      send(millrace, 3 * ROWS);
    }

    DirectoryTree.delete(data.resolve("log"));
    try (Millrace millrace = start()) {
      assertThat(problems(millrace))
          .anyMatch(problem -> problem.contains("millrace.flows was replaced"));
      send(millrace, 4 * ROWS);
    }
    try (Millrace millrace = start()) {
      assertThat(problems(millrace)).noneMatch(problem -> problem.contains("the log of topic"));
      send(millrace, 5 * ROWS);
    }
  }

  @Test
  void aDamagedCheckpointDuplicatesNothingAndIsReported() throws IOException {
    live(ROWS);
    try (Millrace millrace = start()) {
      send(millrace, 2 * ROWS);
      send(millrace, 3 * ROWS); // by another checkpoint, so that the last but one has fewer rows
    }
    Path metadata = newestCheckpoint().resolve("_metadata");
    Files.write(metadata, java.util.Arrays.copyOf(Files.readAllBytes(metadata), 100));
    try (Millrace millrace = start()) {
      assertThat(problems(millrace)).anyMatch(problem -> problem.contains("is damaged"));
      send(millrace, 4 * ROWS);
    }
  }

  @Test
  void importedRowsDoNotStopTheJob() throws IOException {
    Path file = root.resolve("flows.parquet");
    try (Millrace millrace = start()) {
      send(millrace, ROWS);
      Path exported =
          millrace.store().exportRows("flows", Instant.EPOCH, Instant.now().plusSeconds(60)).file();
      Files.move(exported, file);
    }
    DirectoryTree.delete(data);
    try (Millrace millrace = start()) {
      var unused =
          millrace.store().importRows("flows", new ByteArrayInputStream(Files.readAllBytes(file)));
      assertThat(Instances.number(millrace.store(), "SELECT count(*) FROM flows")).isEqualTo(ROWS);
      send(millrace, 2 * ROWS);
    }
    live(3 * ROWS);
    DirectoryTree.delete(data.resolve("checkpoints"));
    live(4 * ROWS);
  }
}

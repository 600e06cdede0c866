package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.store.Cancellation;
import io.millrace.store.ExportedRows;
import io.millrace.store.Store;
import io.millrace.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An instance whose directory has a name with special characters of SQL, URIs and other languages.
 */
class PathsIT {
  private static final String NAME = "g x%20%,#';:[\"*$]{a}&+~ö日";
  private static final int DATAGRAMS = 20;
  private static final int ROWS = DATAGRAMS * TestExporter.SAMPLES;

  @TempDir Path dir;

  @Test
  void keepsEverythingInItsDirectoryAndFindsItAgain() throws Exception {
    Path data = dir.resolve(NAME).resolve("data,%41");
    try (TestExporter exporter = new TestExporter(1)) {
      try (Millrace first = new Millrace(Instances.config(data))) {
        first.start();
        exporter.send(Instances.udp(first), DATAGRAMS);
        Await.until(
            "a checkpoint that covers all rows",
            () -> Instances.number(first.store(), "SELECT count(*) FROM flows_committed") == ROWS);
        assertThat(exportedAndImported(first.store())).isEqualTo(ROWS);
      }
    }
    try (Millrace second = new Millrace(Instances.config(data))) {
      second.start();
      assertThat(second.job().restored()).isPresent();
      assertThat(Instances.number(second.store(), "SELECT count(*) FROM flows")).isEqualTo(ROWS);
    }
    assertThat(entries(dir)).containsExactly(NAME);
    assertThat(entries(dir.resolve(NAME))).containsExactly("data,%41");
  }

  /** Exports rows and imports them again; returns the rows that the store had already. */
  private static long exportedAndImported(Store store) throws IOException {
    Instant now = Instant.now();
    ExportedRows exported =
        store.exportRows(
            "flows",
            now.minus(Duration.ofHours(1)),
            now.plus(Duration.ofHours(1)),
            new Cancellation());
    try (InputStream file = Files.newInputStream(exported.file())) {
      return store.importRows("flows", file).skipped();
    }
  }

  private static List<String> entries(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName().toString()).toList();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a?b", "a\\b", "a\nb", "a\u0085b", "a\u007fb"})
  void anUnusableDirectoryIsRejectedBeforeTheStart(String name) throws IOException {
    assertThatThrownBy(() -> Instances.config(dir.resolve(name)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "data: the path of the data directory must not contain the character ")
        .hasMessageEndingWith("; choose another --data");
    assertThat(entries(dir)).isEmpty();
  }
}

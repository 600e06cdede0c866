package io.millrace.store.duckdb.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiskSpaceTest {
  @Test
  void reportsDirectoryAndSize() {
    AtomicLong free = new AtomicLong(200L << 20);
    DiskSpace space = new DiskSpace(Path.of("/data/store"), 144L << 20, free::get);
    assertThat(space.problem()).isEmpty();
    free.set(3L << 20);
    assertThat(space.isShort()).isTrue();
    assertThat(space.problem())
        .hasValueSatisfying(
            message ->
                assertThat(message)
                    .startsWith(
                        "the disk of /data/store is full: 3 MiB are free, and 144 MiB are needed")
                    .doesNotContain("\n"));
    free.set(200L << 20);
    assertThat(space.isShort()).isFalse();
  }

  @Test
  void isTakenByTemporaryFilesWithTooLittleSpace(@TempDir Path passing) throws IOException {
    AtomicLong free = new AtomicLong(0);
    DiskSpace space = new DiskSpace(passing, 1, free::get);
    assertThat(space.isTakenBy(passing)).isFalse();
    assertThat(space.isTakenBy(passing.resolve("none"))).isFalse();
    Files.createFile(passing.resolve("spilled.tmp"));
    assertThat(space.isTakenBy(passing)).isTrue();
    free.set(1);
    assertThat(space.isTakenBy(passing)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "No space left on device, free some space or lower store.retention",
    "Read-only file system, remount the file system read-write",
    "Permission denied, grant this user write permission",
    "Corrupt database file: computed checksum 1 does not match, restore it from a backup"
  })
  void failuresSayWhatToDo(String cause, String advice) {
    SQLException failure = new SQLException("IO Error: x\n" + cause);
    String line = DiskFailures.explain(failure);
    assertThat(DiskFailures.isDiskFailure(failure)).isTrue();
    assertThat(line).contains(cause, advice).doesNotContain("\n");
  }

  @Test
  void unknownNamesAreReported() {
    SQLException failure = new SQLException("Parser Error: syntax");
    assertThat(DiskFailures.isDiskFailure(failure)).isFalse();
    assertThat(DiskFailures.explain(failure)).isEqualTo("Parser Error: syntax");
  }
}

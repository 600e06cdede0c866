package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.pulse.ChildProcess;
import io.millrace.pulse.DataVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DataDirectoryTest {
  @TempDir Path dir;

  @Test
  void aDiskWithoutSpaceIsReportedFirst() throws IOException {
    Path disk = Files.createDirectory(dir.resolve("disk"));
    assumeThat(ChildProcess.succeeds("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk + ""))
        .as("a small disk, which root can mount")
        .isTrue();
    try {
      assertThatThrownBy(() -> DataDirectory.open(disk.resolve("a").resolve("b")))
          .isInstanceOf(IOException.class)
          .hasMessage(
              "disk of %s is full: 1 MiB free, a start needs 128 MiB; delete files, or choose another --data"
                  .formatted(disk.resolve("a").resolve("b")));
      assertThat(disk).isEmptyDirectory();
    } finally {
      var unused = ChildProcess.check("umount", disk.toString());
    }
  }

  @Test
  void keepsItsIdentity() throws IOException {
    try (DataDirectory directory = DataDirectory.open(dir)) {
      assertThat(directory.id()).hasSize(36).isEqualTo(directory.id());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "2f6e", "\u0000\u0000\u0000\u0000"})
  void aDamagedIdentitySaysWhatToDo(String content) throws IOException {
    try (DataDirectory directory = DataDirectory.open(dir)) {
      Files.writeString(dir.resolve("id"), content);
      assertThatThrownBy(directory::id)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(dir.resolve("id") + " is damaged: ");
    }
  }

  @Test
  void aDirectoryOfALaterReleaseIsNotChanged() throws IOException {
    DataVersion later = new DataVersion("99.0.0", DataVersion.FORMAT + 1);
    later.write(dir);
    Files.createDirectory(dir.resolve("jvm-tmp"));
    assertThatThrownBy(() -> DataDirectory.open(dir))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "%s was written by Millrace 99.0.0 (format %d), this is Millrace %s (format %d): install Millrace 99.0.0 or later, or restore a backup into another --data"
                .formatted(dir, later.format(), DataVersion.CURRENT.release(), DataVersion.FORMAT));
    assertThat(dir.toFile().list()).containsExactlyInAnyOrder("version", "jvm-tmp");
    assertThat(DataVersion.read(dir)).contains(later);
  }

  @Test
  void aDirectoryIsMarkedByTheReleaseThatOpensIt() throws IOException {
    new DataVersion("0.0.9", 1).write(dir);
    for (int i = 0; i < 2; i++) {
      DataDirectory.open(dir).close();
      assertThat(DataVersion.read(dir)).contains(DataVersion.CURRENT);
    }
  }

  @Test
  void onlyItsOwnerHasAccess() throws IOException {
    Path root = dir.resolve("a").resolve("b");
    try (DataDirectory directory = DataDirectory.open(root)) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root)))
          .isEqualTo("rwx------");
      assertThat(directory.warning()).isEmpty();
    }
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-x---"));
    try (DataDirectory directory = DataDirectory.open(root)) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root)))
          .isEqualTo("rwxr-x---");
      assertThat(directory.warning())
          .contains(
              "other users of this machine can enter "
                  + root
                  + " (rwxr-x---): chmod 700 it, unless this is intended");
    }
  }
}

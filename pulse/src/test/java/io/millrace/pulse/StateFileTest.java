package io.millrace.pulse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateFileTest {
  private static final byte[] STATE = "what is kept".getBytes(StandardCharsets.US_ASCII);

  @TempDir Path dir;

  private StateFile file() {
    return new StateFile(dir.resolve("state"));
  }

  @Test
  void readsTheLastWrittenContent() throws IOException {
    assertThat(file().read()).isEmpty();
    file().write(new byte[0]);
    assertThat(file().read()).get().isEqualTo(new byte[0]);
    file().write(STATE);
    assertThat(file().read()).get().isEqualTo(STATE);
    assertThat(dir.toFile().list()).containsExactly("state");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve("state"))))
        .isEqualTo("rw-------");
  }

  @Test
  void everyChangedByteAndLengthIsDetected() throws IOException {
    file().write(STATE);
    byte[] whole = Files.readAllBytes(dir.resolve("state"));
    for (int length = 0; length < whole.length; length++) {
      Files.write(dir.resolve("state"), Arrays.copyOf(whole, length));
      assertThatThrownBy(() -> file().read())
          .isInstanceOf(StateFile.DamagedException.class)
          .hasMessageContaining("state is damaged: ");
      byte[] changed = whole.clone();
      changed[length] ^= 0x10;
      Files.write(dir.resolve("state"), changed);
      assertThatThrownBy(() -> file().read()).isInstanceOf(StateFile.DamagedException.class);
    }
  }

  @Test
  void aDirectoryInItsPlaceIsReportedAsDamage() throws IOException {
    Files.createDirectory(dir.resolve("state"));
    assertThatThrownBy(() -> file().read())
        .isInstanceOf(StateFile.DamagedException.class)
        .hasMessageEndingWith("state is damaged: not a regular file");
    file().setAside();
    file().write(STATE);
    assertThat(file().read()).get().isEqualTo(STATE);
  }

  @Test
  void aDamagedOneIsKept() throws IOException {
    assertThat(file().damagedAt()).isEmpty();
    Files.writeString(dir.resolve("state"), "?");
    file().setAside();
    assertThat(file().read()).isEmpty();
    assertThat(file().damaged()).hasContent("?");
    assertThat(file().damagedAt()).isPresent();
  }

  @Test
  void leftoversOfAKilledProcessAreOverwritten() throws IOException {
    Files.writeString(dir.resolve("state.new"), "half");
    file().write(STATE);
    assertThat(file().read()).get().isEqualTo(STATE);
  }
}

package io.millrace.pulse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DataVersionTest {
  private static final String REMEDY = "choose another directory";

  @TempDir Path directory;

  @Test
  void theReleaseIsThatOfThePom() throws IOException {
    assertThat(Files.readString(Path.of("pom.xml")))
        .contains("<version>" + DataVersion.CURRENT.release() + "</version>");
  }

  @Test
  void aDirectoryHasTheVersionThatMarkedIt() throws IOException {
    assertThat(DataVersion.read(directory)).isEmpty();
    new DataVersion("0.0.9", 1).write(directory);
    DataVersion.mark(directory);
    assertThat(DataVersion.read(directory)).contains(DataVersion.CURRENT);
    assertThat(directory.resolve("version"))
        .hasContent(
            "release=" + DataVersion.CURRENT.release() + "\nformat=" + DataVersion.FORMAT + "\n");
    assertThat(directory).isDirectoryContaining("glob:**/version");
    assertThat(directory.toFile().list()).containsExactly("version");
  }

  @Test
  void markingAgainWritesNothing() throws IOException {
    DataVersion.mark(directory);
    Object before = Files.readAttributes(directory.resolve("version"), "unix:ino");
    DataVersion.mark(directory);
    assertThat((Object) Files.readAttributes(directory.resolve("version"), "unix:ino"))
        .isEqualTo(before);
  }

  @Test
  void aLaterReleaseOfTheSameFormatIsOpened() throws IOException {
    new DataVersion("99.0.0", DataVersion.FORMAT).write(directory);
    assertThatCode(() -> DataVersion.check(directory, REMEDY)).doesNotThrowAnyException();
    assertThatCode(() -> DataVersion.check(directory.resolve("missing"), REMEDY))
        .doesNotThrowAnyException();
  }

  @Test
  void aLaterFormatIsRejectedInOneLine() throws IOException {
    new DataVersion("99.0.0", DataVersion.FORMAT + 1).write(directory);
    assertThatThrownBy(() -> DataVersion.check(directory, REMEDY))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "%s was written by Millrace 99.0.0 (format %d), this is Millrace %s (format %d): install Millrace 99.0.0 or later, or choose another directory"
                .formatted(
                    directory,
                    DataVersion.FORMAT + 1,
                    DataVersion.CURRENT.release(),
                    DataVersion.FORMAT));
  }

  /** The file stays readable if a later release adds keys. */
  @Test
  void otherKeysAreIgnored() throws IOException {
    Files.writeString(directory.resolve("version"), "release=9.0\nformat=7\nwritten-by=all\n");
    assertThat(DataVersion.read(directory)).contains(new DataVersion("9.0", 7));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "release=0.1.0",
        "format=1",
        "release=0.1.0\nformat=x",
        "\\u12",
        "release=a\nformat=0"
      })
  void aDamagedFileSaysWhatToDo(String content) throws IOException {
    Files.writeString(directory.resolve("version"), content);
    assertThatThrownBy(() -> DataVersion.check(directory, REMEDY))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(directory.resolve("version") + " is damaged: expected the lines")
        .hasMessageNotContaining("\n");
  }
}

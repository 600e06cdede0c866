package io.millrace.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cli.console.RuntimeOptions;
import io.millrace.server.runtime.MillraceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FilePathsTest {
  @TempDir Path dir;

  @Test
  void aConfigurationThatIsNotUtf8SaysSo() throws IOException {
    Path file = Files.write(dir.resolve("latin1.yaml"), new byte[] {'d', ':', ' ', (byte) 0xF6});
    assertThatThrownBy(() -> YamlFile.read(file, MillraceConfig.defaults()))
        .isInstanceOf(ConfigException.class)
        .hasMessage(file + " is not text in UTF-8; save it in that encoding");
  }

  @Test
  void theDirectoryOfBundledDataSetsIsForItsOwnerAloneToo() throws IOException {
    Path data = dir.resolve("data");
    var unused =
        RuntimeOptions.withBundledDatasets(
            MillraceConfig.defaults().withData(data), data.resolve("datasets"));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
        .isEqualTo("rwx------");
  }

  @ParameterizedTest
  @CsvSource({"10, \\u000a, 000A", "127, \\u007f, 007F", "155, \\u009b, 009B", "0, \\u0000, 0000"})
  void controlCharactersAreRejectedByName(int code, String shown, String name) {
    assertThatThrownBy(() -> FilePaths.parse("a" + (char) code + "b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a%sb: path with control character U+%s; rename the file or directory"
                .formatted(shown, name));
  }
}

package io.millrace.cli.config;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FilePathsTest {
  @TempDir Path dir;

  @ParameterizedTest
  @CsvSource({"10, \\u000a, 000A", "127, \\u007f, 007F", "155, \\u009b, 009B", "0, \\u0000, 0000"})
  void aControlCharacterIsRefusedByName(int code, String shown, String name) {
    assertThatThrownBy(() -> FilePaths.parse("a" + (char) code + "b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the path a%sb has the control character U+%s; rename the file or directory"
                .formatted(shown, name));
  }
}

package io.millrace.cli.print;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.pulse.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShellWordTest {
  @ParameterizedTest
  @ValueSource(strings = {"/a/b", "g x", "it's", "$HOME", "`id`", "a\\b", "\"#;&*[?]~", "ö", ""})
  void quotedWordsAreReadBackByAShell(String word) throws IOException {
    assumeThat(Path.of("/bin/sh")).isExecutable();
    assertThat(ChildProcess.check("/bin/sh", "-c", "printf %s " + ShellWord.of(word)))
        .isEqualTo(word);
  }

  @Test
  void plainPathsAreNotQuoted() {
    assertThat(ShellWord.of(Path.of("/var/lib/millrace"))).isEqualTo("/var/lib/millrace");
  }
}

package io.millrace.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PagerTest {
  @TempDir Path directory;

  @Test
  void theCommandOfTheUserGetsTheTextWithoutControlCharacters() throws IOException {
    Path file = directory.resolve("shown");
    Pager pager = Pager.of(Map.of("PAGER", "cat > '" + file + "'")).orElseThrow();
    pager.show(out -> out.print("größe\u001b[2J\nend\n"));
    assertThat(file).hasContent("größe\\u001b[2J\nend\n");
  }

  @Test
  void closingThePagerEndsTheOutput() throws IOException {
    Pager pager = Pager.of(Map.of("PAGER", "true")).orElseThrow();
    pager.show(
        out -> {
          for (int i = 0; i < 100_000; i++) {
            out.println("a line of many");
          }
        });
  }

  @Test
  void withoutAPagerTextIsPrinted() throws IOException {
    assertThat(Pager.of(Map.of("PAGER", " "))).isEmpty();
    assertThat(Pager.of(Map.of("PATH", directory.toString()))).isEmpty();
    Path less = Files.createFile(directory.resolve("less"));
    assertThat(less.toFile().setExecutable(true)).isTrue();
    assertThat(Pager.of(Map.of("PATH", "/nowhere:" + directory))).isPresent();
  }
}

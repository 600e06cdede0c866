package io.millrace.engine.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ListedDirectoryTest {
  @TempDir Path dir;

  @Test
  void aNameWithoutACommaLeadsToTheDirectory() throws IOException {
    assumeThat(Path.of("/proc/self/fd")).isDirectory();
    for (String each : new String[] {"a,b", ",", "c, d"}) {
      Path directory = Files.createDirectories(dir.resolve(each).resolve("log"));
      String name = ListedDirectory.name(directory);
      assertThat(name).doesNotContain(",").isEqualTo(ListedDirectory.name(directory));
      Files.writeString(Path.of(name, "file"), each);
      assertThat(directory.resolve("file")).hasContent(each);
    }
  }

  @Test
  void anyOtherHasItsOwnName() throws IOException {
    assertThat(ListedDirectory.name(dir)).isEqualTo(dir.toString());
  }
}

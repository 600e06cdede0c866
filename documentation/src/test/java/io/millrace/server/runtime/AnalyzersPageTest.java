package io.millrace.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The guide shows the example's own files, which {@link PluginsIT} compiles and runs. */
class AnalyzersPageTest {
  private static final Pattern BLOCK = Pattern.compile("(?s)<!-- (\\S+) -->\n```java\n(.*?)```");

  @Test
  void eachBlockOfThePageIsTheFileThatItNames() throws IOException {
    String page = Files.readString(Path.of("../docs/analyzers.md"));
    int blocks = 0;
    for (MatchResult block : BLOCK.matcher(page).results().toList()) {
      String file = Files.readString(Path.of("..").resolve(block.group(1)));
      assertThat(block.group(2)).as(block.group(1)).isEqualTo(file);
      blocks++;
    }
    assertThat(blocks).isEqualTo(page.split("```java\n", -1).length - 1).isPositive();
  }
}

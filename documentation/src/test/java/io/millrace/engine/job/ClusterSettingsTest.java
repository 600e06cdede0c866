package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ClusterSettingsTest {
  @Test
  void thePageForOperatorsHasTheSettingsAsTheyAre() throws IOException {
    String expected =
        ClusterSettings.recommended().entrySet().stream()
            .map(setting -> setting.getKey() + ": " + setting.getValue() + "\n")
            .collect(Collectors.joining());
    assertThat(Files.readString(Path.of("../docs/operators.md")))
        .contains("```yaml\n" + expected + "```");
  }
}

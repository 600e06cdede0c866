package io.millrace.cli.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.runtime.MillraceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigurationPageTest {
  @Test
  void thePageListsTheKeys() throws IOException {
    String page = ConfigWriter.reference(MillraceConfig.defaults());
    Files.writeString(Path.of("target/configuration.md"), page);
    assertThat(Path.of("../docs/reference/configuration.md"))
        .as("rewrite it: cp documentation/target/configuration.md docs/reference/")
        .hasContent(page);
  }
}

package io.millrace.lab.rivals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaRivalTest {
  @TempDir private Path directory;

  /** These programs need no download. */
  @Test
  void programsThatUseTheProductsLibrariesCompile() throws Exception {
    for (String name : new String[] {"FlinkAds", "BareConsumer"}) {
      JavaRival.compile(directory, name + ".java", JavaRival.ownClassPath());
      assertThat(directory.resolve(name + ".class")).exists();
    }
  }

  @Test
  void sourcesThatDoNotCompileAreReported() throws IOException {
    Files.createDirectories(directory);
    assertThatThrownBy(() -> JavaRival.compile(directory, "StormAds.java", ""))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("package org.apache.storm");
    assertThatThrownBy(() -> JavaRival.compile(directory, "Nobody.java", ""))
        .hasMessage("there is no resource Nobody.java");
  }
}

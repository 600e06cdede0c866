package io.millrace.pulse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryTreeTest {
  @TempDir Path dir;

  @Test
  void deletesItsContentsAndNothingElse() throws IOException {
    Path tree = dir.resolve("tree");
    Path elsewhere = Files.createDirectory(dir.resolve("elsewhere"));
    Path kept = Files.writeString(elsewhere.resolve("kept"), "x");
    Files.writeString(Files.createDirectories(tree.resolve("a/b")).resolve("file"), "x");
    Files.createSymbolicLink(tree.resolve("a/link"), elsewhere);
    DirectoryTree.delete(tree);
    assertThat(tree).doesNotExist();
    assertThat(kept).exists();
  }

  @Test
  void aMissingDirectoryIsNoError() throws IOException {
    DirectoryTree.delete(dir.resolve("missing"));
    assertThat(dir).isEmptyDirectory();
  }
}

package io.millrace.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlinkPathTest {
  @TempDir Path dir;

  @ParameterizedTest
  @ValueSource(
      strings = {"plain", "g x", " x ", "g%20x", "%", "#", "a:b", "?", ",;'\"", "[*]{}$&+~", "ö日"})
  void flinkReadsThePathThatWasMeant(String name) {
    Path path = dir.resolve(name).resolve("chk-1");
    String text = FlinkPath.of(path);
    assertThat(new org.apache.flink.core.fs.Path(text).getPath()).isEqualTo(path.toString());
    assertThat(FlinkPath.of(path.toUri())).isEqualTo(text);
    assertThat(FlinkPath.of(CheckpointHome.parse(path.toString()))).isEqualTo(text);
    assertThat(FlinkPath.of(CheckpointHome.parse(path.toUri().toString()))).isEqualTo(text);
    String again = new org.apache.flink.core.fs.Path(text).toString();
    assertThat(new org.apache.flink.core.fs.Path(again).getPath()).isEqualTo(path.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"g x", "g%20x", "50%", "a#b"})
  void aFileIsFoundUnderTheNameThatFlinkPrints(String name) throws IOException {
    Path path = Files.createDirectories(dir.resolve(name));
    assertThat(Path.of(CheckpointHome.parse(FlinkPath.of(path)))).isEqualTo(path);
  }

  @Test
  void otherSchemesStayAsTheyAre() {
    assertThat(FlinkPath.of(URI.create("s3://bucket/a%20b"))).isEqualTo("s3://bucket/a%20b");
  }

  @Test
  void aBackslashIsRejected() {
    assertThatThrownBy(() -> FlinkPath.of(dir.resolve("a\\b")))
        .hasMessageEndingWith(
            "a\\b: Flink cannot use a path with a backslash; use another directory");
  }
}

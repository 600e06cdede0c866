package io.millrace.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class EngineLogTest {
  @TempDir Path dir;

  @Test
  void linesOfLibrariesGoIntoTheFileWhileItIsOpen() throws Exception {
    Path file;
    try (EngineLog log = EngineLog.into(dir.resolve("data"))) {
      file = log.file();
      LoggerFactory.getLogger("org.apache.kafka.Broker").info("a partition moved");
      LoggerFactory.getLogger("org.apache.flink.Job").warn("a heartbeat is late");
      java.util.logging.Logger.getLogger("io.grpc.netty.Transport").info("a preface is wrong");
    }
    LoggerFactory.getLogger("org.apache.kafka.Broker").error("not any more");
    assertThat(file).isEqualTo(dir.resolve("data").resolve("engine.log").toAbsolutePath());
    assertThat(Files.readString(file))
        .contains("a partition moved")
        .contains("a heartbeat is late")
        .contains("a preface is wrong")
        .doesNotContain("not any more");
  }
}

package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FrameMemoryTest {
  private static final long[] NEXT = {0};

  @TempDir Path dir;

  @Test
  void whatCouldNotBeSavedIsSavedTheNextTime() throws Exception {
    Path file = dir.resolve("missing").resolve("frames");
    FrameMemory memory = new FrameMemory(1, 10);
    memory.restore("client", 0, 7);
    memory.changed();
    assertThatThrownBy(() -> memory.save(file, NEXT)).isInstanceOf(IOException.class);
    Files.createDirectory(file.getParent());
    memory.save(file, NEXT);
    FrameMemory later = new FrameMemory(1, 10);
    later.restore(file, new StallingLog(1), 0);
    assertThat(later.client("", "client").last()).isEqualTo(7);
  }
}

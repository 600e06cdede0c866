package io.millrace.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IngestServerCloseTest {
  /** Otherwise two processes could write the file. */
  @Test
  void theFileIsNotWrittenAfterClose(@TempDir Path dir) throws Exception {
    StallingLog log = new StallingLog(1);
    List<Thread> before = savers();
    IngestServer server = IngestLog.server(IngestLog.config(), log, dir.resolve("frames"));
    server.start();
    assertThat(savers()).hasSize(before.size() + 1);
    server.close();
    assertThat(savers()).isSubsetOf(before);
  }

  private static List<Thread> savers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("ingest-frames"))
        .toList();
  }
}

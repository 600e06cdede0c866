package io.millrace.engine.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pulse.ChildProcess;
import io.millrace.testing.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker on a real file system that becomes full; requires permission to mount. */
class EmbeddedLogDiskIT {
  private static final String TOPIC = "values";
  private static final int VALUE_BYTES = 100_000;

  /** Values that do not fit on a full disk fail soon. */
  private static final LogConfig CONFIG =
      LogConfig.defaults().withBuffer(64L << 20, Duration.ofSeconds(3));

  @TempDir Path directory;

  @Test
  void theBrokerEndsAndIsThereAgain() throws Exception {
    Path mounted = Files.createDirectory(directory.resolve("disk"));
    Assumptions.assumeTrue(
        ChildProcess.succeeds(
            "mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", mounted.toString()),
        "no right to mount a file system");
    try (EmbeddedLog log = new EmbeddedLog(CONFIG, mounted.resolve("log"))) {
      log.start();
      new LogTopics(log, CONFIG).ensure(TOPIC);
      try (LogWriter writer = new LogWriter(log.bootstrapServers(), TOPIC, CONFIG)) {
        awaitAcknowledged(writer, 0);
        Path filler = fill(mounted);
        for (int i = 0; i < 20; i++) {
          write(writer);
        }
        writer.flush();
        assertThat(writer.counts().failedValues() + writer.counts().rejectedValues()).isPositive();
        Files.delete(filler);
        long full = writer.counts().acknowledgedValues();
        awaitAcknowledged(writer, full);
      }
    } finally {
      ChildProcess.succeeds("umount", "-l", mounted.toString());
    }
  }

  private static void awaitAcknowledged(LogWriter writer, long before) {
    Await.until(
        "values acknowledged",
        () -> {
          write(writer);
          writer.flush();
          return writer.counts().acknowledgedValues() > before;
        });
  }

  private static void write(LogWriter writer) {
    byte[] value = new byte[VALUE_BYTES];
    new SplittableRandom(1).nextBytes(value);
    writer.offer(null, value, 1);
  }

  private static Path fill(Path mounted) throws IOException {
    Path filler = mounted.resolve("filler");
    byte[] some = new byte[4 << 10];
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (true) {
        out.write(some);
      }
    } catch (IOException full) {
      return filler;
    }
  }
}

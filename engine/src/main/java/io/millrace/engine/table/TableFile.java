package io.millrace.engine.table;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/**
 * A file whose contents are published as versions of a table in the log.
 *
 * @param file that is rewritten or replaced when the table changes
 * @param topic of the table
 */
public record TableFile(Path file, TableTopic<?> topic) {
  /**
   * Publishes the file's content, unless it equals the last version.
   *
   * @return start of its validity
   * @throws IOException if the file cannot be read or parsed; names the file, the line and the
   *     reason
   */
  public Instant publish() throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException(file + ": file not found");
    }
    byte[] version = Files.readAllBytes(file);
    try {
      return topic.publish(version);
    } catch (IOException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }
}

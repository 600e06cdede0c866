package io.millrace.server.collect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/**
 * The file that keeps a ledger over restarts, replaced as a whole so that a reader finds the old
 * state or the new one and nothing between.
 */
final class LedgerFile {
  private final Path path;
  private final Path fresh;

  LedgerFile(Path path) {
    this.path = path.toAbsolutePath();
    this.fresh = this.path.resolveSibling(path.getFileName() + ".new");
  }

  Optional<byte[]> read() throws IOException {
    try {
      return Optional.of(Files.readAllBytes(path));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  void write(byte[] state) throws IOException {
    Files.createDirectories(path.getParent());
    Files.write(fresh, state);
    Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public String toString() {
    return path.toString();
  }
}

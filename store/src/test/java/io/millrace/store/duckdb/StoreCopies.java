package io.millrace.store.duckdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Copies of store directories, as left by a killed process. */
public final class StoreCopies {
  private StoreCopies() {}

  /**
   * Replaces the directory with a copy of the open store.
   *
   * @param close closes the store after it was copied
   */
  public static void crash(Path store, Runnable close) throws IOException {
    Path copy = store.resolveSibling(store.getFileName() + "-copy");
    copy(store, copy);
    close.run();
    Files.move(store, store.resolveSibling(store.getFileName() + "-closed"));
    Files.move(copy, store);
  }

  /** Copies the directory of an open store. */
  public static void copy(Path store, Path copy) throws IOException {
    try (Stream<Path> files = Files.walk(store)) {
      for (Path file : files.toList()) {
        Path to = copy.resolve(store.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(to);
        } else {
          Files.copy(file, to);
        }
      }
    }
  }
}

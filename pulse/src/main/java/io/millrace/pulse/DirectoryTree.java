package io.millrace.pulse;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** A directory with its contents. */
public final class DirectoryTree {
  private DirectoryTree() {}

  /**
   * Deletes recursively; ignores missing files, does not follow links.
   *
   * @throws IOException if a file cannot be deleted, or is created concurrently
   */
  public static void delete(Path tree) throws IOException {
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            return failure instanceof NoSuchFileException
                ? FileVisitResult.CONTINUE
                : super.visitFileFailed(file, failure);
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException failure)
              throws IOException {
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}

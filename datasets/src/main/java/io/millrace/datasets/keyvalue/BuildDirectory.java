package io.millrace.datasets.keyvalue;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.millrace.datasets.DatasetException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The hidden directory beside a target file in which it is built: {@code .NAME.building}. A lock in
 * it, which the system takes away from a process that dies, tells a build that runs from the
 * remains of one that does not; remains are deleted by the next build of the same target.
 */
final class BuildDirectory implements Closeable {
  private static final String LOCK = "lock";

  private final Path directory;
  private final FileChannel lock;

  private BuildDirectory(Path directory, FileChannel lock) {
    this.directory = directory;
    this.lock = lock;
  }

  /**
   * Makes the directory, or takes over a dead one.
   *
   * @throws DatasetException if the same target is being built
   */
  static BuildDirectory of(Path target) throws IOException {
    Path directory = of(target.toAbsolutePath(), ".building");
    Files.createDirectories(directory);
    FileChannel lock = FileChannel.open(directory.resolve(LOCK), CREATE, WRITE);
    try {
      if (lock.tryLock() == null) {
        throw new DatasetException(target, "is being built by another process");
      }
    } catch (OverlappingFileLockException e) {
      lock.close();
      throw new DatasetException(target, "is being built by this process already");
    } catch (IOException e) {
      lock.close();
      throw e;
    }
    BuildDirectory build = new BuildDirectory(directory, lock);
    build.deleteContents();
    return build;
  }

  private static Path of(Path target, String ending) {
    return target.resolveSibling("." + target.getFileName() + ending);
  }

  /** A file in the directory. */
  Path file(String name) {
    return directory.resolve(name);
  }

  /** Puts a finished and synchronised file in the target's place, all at once. */
  void publish(Path file, Path target) throws IOException {
    Files.move(file, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel parent = FileChannel.open(target.toAbsolutePath().getParent(), READ)) {
      parent.force(true);
    }
  }

  private void deleteContents() throws IOException {
    List<Path> contents;
    try (Stream<Path> list = Files.list(directory)) {
      contents = list.collect(Collectors.toList());
    }
    for (Path path : contents) {
      if (!path.endsWith(LOCK)) {
        Files.deleteIfExists(path);
      }
    }
  }

  /** Deletes the directory and all that is left in it. */
  @Override
  public void close() throws IOException {
    try (lock) {
      deleteContents();
      Files.deleteIfExists(directory.resolve(LOCK));
      Files.deleteIfExists(directory);
    } catch (NoSuchFileException e) {
      throw new DatasetException(directory, "was taken away while it was in use");
    }
  }
}

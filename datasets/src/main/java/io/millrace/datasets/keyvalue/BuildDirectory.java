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
 * Hidden build directory of a target file: {@code .NAME.building}. A file lock, which the system
 * releases when a process dies, distinguishes a running build from the leftovers of a dead one,
 * which the next build of the same target deletes.
 */
final class BuildDirectory implements Closeable {
  private static final String LOCK = "lock";

  private final Path directory;
  private final FileChannel lock;

  private BuildDirectory(Path directory, FileChannel lock) {
    this.directory = directory;
    this.lock = lock;
  }

  /** Creates the directory, or reuses that of a dead build. */
  static BuildDirectory of(Path target) throws IOException {
    if (Files.exists(target) && !Files.isRegularFile(target)) {
      throw new DatasetException(target, "exists but is not a regular file; choose another target");
    }
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

  Path file(String name) {
    return directory.resolve(name);
  }

  /** Moves a finished and synchronised file to the target atomically. */
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

  @Override
  public void close() throws IOException {
    try (lock) {
      deleteContents();
      Files.deleteIfExists(directory.resolve(LOCK));
      Files.deleteIfExists(directory);
    } catch (NoSuchFileException e) {
      throw new DatasetException(directory, "was deleted during the build; build again");
    }
  }
}

package io.millrace.store.storage;

import io.millrace.store.ObjectsConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * Where the files of tables are kept. Each file has a path on this machine, by which the database
 * reads it, and a location, by which metadata refer to it. Files never change. Thread-safe.
 */
public interface TableStorage extends AutoCloseable {
  /** Files that are only on this machine, or on a shared file system. */
  static TableStorage local() {
    return LocalStorage.INSTANCE;
  }

  /**
   * The storage of files below a directory.
   *
   * @throws IOException if the object store cannot be written
   */
  static TableStorage of(Path directory, ObjectsConfig config) throws IOException {
    if (config.location() == null) {
      return local();
    }
    ObjectStore objects = new ObjectStore(config);
    try {
      objects.checkWrites();
    } catch (IOException e) {
      objects.close();
      throw e;
    }
    return new ObjectStorage(directory, objects);
  }

  /**
   * A file.
   *
   * @param modified when it was written
   */
  record Entry(Path path, Instant modified) {}

  /** Files that stay on this machine until this is closed. */
  @FunctionalInterface
  interface Use extends AutoCloseable {
    @Override
    void close();
  }

  /** Location of a file or folder. */
  String location(Path path);

  /**
   * Path of a location.
   *
   * @throws IllegalArgumentException if it is not a location of this storage
   */
  Path path(String location);

  /** Whether readers elsewhere have only what was published. */
  boolean isRemote();

  /** Makes a complete file of this machine available under its location. */
  void publish(Path file) throws IOException;

  /**
   * Gives a complete file its name, unless the name is in use; only one of several writers
   * succeeds. If it fails, it may have succeeded.
   *
   * @param temporary the file; deleted
   * @return false if the name is in use by another file
   */
  boolean publishAs(Path temporary, Path file) throws IOException;

  /** Content of a small file as others read it; empty if it does not exist. */
  Optional<String> read(Path file) throws IOException;

  /** Makes a small file available at its path; returns false if it does not exist. */
  boolean fetch(Path file) throws IOException;

  /** Size of a file, bytes; empty if it does not exist. */
  OptionalLong size(Path file) throws IOException;

  /** Deletes a file; does nothing if it does not exist. */
  void delete(Path file) throws IOException;

  /**
   * Deletes a file that no snapshot contains, perhaps later; if that fails, the file is left to a
   * later start. Does not block.
   */
  void deleteUnused(Path file);

  /** Deletes a folder and all files below it. */
  void deleteAll(Path folder) throws IOException;

  /** Renames a folder; does nothing if it does not exist. */
  void move(Path folder, Path target) throws IOException;

  /** Names of the folders in a folder that have files, sorted. */
  List<String> folders(Path folder) throws IOException;

  /** The files below a folder that others can read. */
  List<Entry> list(Path folder) throws IOException;

  /** Records a file of rows that is published, so that it need not be, or stay, on this machine. */
  void published(String path, long bytes);

  /**
   * Makes files of rows available at their paths. Files that are on this machine already and were
   * not {@linkplain #published recorded} stay there.
   *
   * @param isEnded whether the caller no longer waits for them
   * @throws io.millrace.store.QueryException if they do not fit on this machine
   * @throws java.io.InterruptedIOException if the caller no longer waits
   */
  Use use(Collection<String> paths, BooleanSupplier isEnded) throws IOException;

  /** Like {@link #use(Collection, BooleanSupplier)}, for a caller that waits. */
  default Use use(Collection<String> paths) throws IOException {
    return use(paths, () -> false);
  }

  @Override
  void close();
}

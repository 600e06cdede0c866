package io.millrace.store.iceberg;

import io.millrace.store.storage.TableStorage;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;

/**
 * Copies the newest snapshot of a table to another directory as hard links, which works because
 * files of a table never change. Data files in an object store stay there.
 */
final class TableBackup {
  private TableBackup() {}

  /** Links the files of a table; nobody may commit to it meanwhile. */
  static void link(TableStorage storage, Table table, Path from, Path to) throws IOException {
    Path metadata = from.resolve("metadata");
    Files.createDirectories(to.resolve("metadata"));
    try (Stream<Path> files = Files.list(metadata)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        link(file, from, to);
      }
    }
    if (storage.isRemote()) {
      return;
    }
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      for (FileScanTask task : tasks) {
        link(storage.path(task.file().location()), from, to);
      }
    }
  }

  /**
   * Makes the copy a table of its own, with the newest snapshot only. A copy without data files
   * remains a copy of that in the object store, whose newest snapshot it gets when it is opened.
   *
   * @param properties names of snapshot properties to keep
   */
  static void finish(TableStorage storage, Path copy, Set<String> properties) {
    if (!storage.isRemote()) {
      TableDirectory.relocate(copy, properties);
    }
  }

  private static void link(Path file, Path from, Path to) throws IOException {
    Path target = to.resolve(from.relativize(file));
    Files.createDirectories(target.getParent());
    try {
      Files.createLink(target, file);
    } catch (FileAlreadyExistsException e) {
      throw new IOException("the backup folder is in use, it has the file " + target, e);
    }
  }
}

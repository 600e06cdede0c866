package io.millrace.engine.table;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/**
 * State of a set of files; differs after any of them was written or replaced.
 *
 * @param each identity, time and size of each
 */
public record FileState(List<Object> each) {
  /**
   * Reads the current state.
   *
   * @throws IOException if a file does not exist
   */
  public static FileState of(List<Path> files) throws IOException {
    List<Object> each = new ArrayList<>();
    for (Path file : files) {
      BasicFileAttributes its = Files.readAttributes(file, BasicFileAttributes.class);
      each.add(List.of(String.valueOf(its.fileKey()), its.lastModifiedTime(), its.size()));
    }
    return new FileState(List.copyOf(each));
  }
}

package io.millrace.store.duckdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * DuckDB's native library (72 MB), which the driver unpacks to a temporary file. The driver deletes
 * the file when the process exits, but not if it is killed, so {@link #unlink} deletes it once it
 * is mapped. Thread-safe.
 */
final class DriverLibrary {
  private static final Path MAPPED = Path.of("/proc/self/maps"); // proc(5): the path is last

  private static final Pattern FILE = Pattern.compile("(?m)/.*/libduckdb_java\\d+\\.so$");

  private DriverLibrary() {}

  static void unlink() {
    try {
      List<String> files =
          FILE.matcher(Files.readString(MAPPED))
              .results()
              .map(MatchResult::group)
              .distinct()
              .toList();
      for (String file : files) {
        Files.deleteIfExists(Path.of(file));
      }
    } catch (IOException e) {
      return; // the driver deletes it when the process exits
    }
  }
}

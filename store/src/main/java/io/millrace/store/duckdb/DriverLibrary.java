package io.millrace.store.duckdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * DuckDB's library, 72 MB, which its driver unpacks to a file in the temporary directory. The
 * driver deletes the file when the process ends, and so not when it is killed. Thread-safe.
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
      return; // it stays until the process ends
    }
  }
}

package io.millrace.store.duckdb.query;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Resident memory of this process. Thread-safe. */
final class ResidentMemory {
  private static final Path PAGES = Path.of("/proc/self/statm"); // proc(5): size, then resident
  private static final int PAGE_BYTES = 4096;

  private ResidentMemory() {}

  static long bytes() {
    try {
      String text = new String(Files.readAllBytes(PAGES), StandardCharsets.US_ASCII);
      return Long.parseLong(text.split(" ", 3)[1]) * PAGE_BYTES;
    } catch (IOException | UnsupportedOperationException e) {
      return 0;
    }
  }
}

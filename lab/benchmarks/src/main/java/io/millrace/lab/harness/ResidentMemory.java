package io.millrace.lab.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Resident memory of this process, including native memory. */
public final class ResidentMemory {
  private ResidentMemory() {}

  /** Resident bytes on Linux; 0 on other systems. */
  public static long bytes() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("VmRSS:")) {
          return Long.parseLong(line.replaceAll("\\D", "")) << 10;
        }
      }
    } catch (IOException e) {
      return 0; // another operating system
    }
    return 0;
  }
}

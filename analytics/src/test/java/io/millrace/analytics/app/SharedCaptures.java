package io.millrace.analytics.app;

import io.millrace.wire.pcap.CaptureReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Third-party captures, if present. */
final class SharedCaptures {
  private SharedCaptures() {}

  /** The captures of a kind; a missing directory if there are none. */
  static Path folder(String kind) {
    return Path.of(System.getProperty("millrace.shared", "../../shared"), "captures", kind);
  }

  /** All captures in a folder, by name. */
  static List<Path> in(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().matches(".*\\.p?cap(ng)?")).sorted().toList();
    }
  }

  /**
   * Passes a capture's packets to a tracker, and ends their flows.
   *
   * @throws io.millrace.wire.pcap.CaptureException after the packets before damage
   */
  static void track(Path capture, AppTracker tracker) throws IOException {
    try (InputStream in = Files.newInputStream(capture)) {
      CaptureReader reader = CaptureReader.open(in);
      while (reader.next()) {
        tracker.packet(
            reader.timeMicros(),
            reader.linkType(),
            reader.bytes(),
            reader.offset(),
            reader.length(),
            reader.wireLength());
      }
    } finally {
      tracker.endAll();
    }
  }
}

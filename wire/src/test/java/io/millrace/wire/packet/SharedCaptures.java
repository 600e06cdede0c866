package io.millrace.wire.packet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The captures in the shared directory, with the output of an independent decoder. */
public final class SharedCaptures {
  private SharedCaptures() {}

  /** All captures of a folder with an oracle; skips the test if the folder is missing. */
  public static List<Path> in(String folder) throws IOException {
    Path path = Path.of(System.getProperty("millrace.shared", "../shared"), "captures", folder);
    Assumptions.assumeTrue(Files.isDirectory(path), () -> "no shared captures at " + path);
    try (Stream<Path> files = Files.list(path)) {
      return files
          .filter(f -> f.toString().endsWith(".pcap") || f.toString().endsWith(".pcapng"))
          .filter(f -> Files.exists(oracle(f)))
          .sorted()
          .toList();
    }
  }

  /** A capture without an oracle; skips the test if it is missing. */
  public static Path file(String folder, String name) {
    Path path =
        Path.of(System.getProperty("millrace.shared", "../shared"), "captures", folder, name);
    Assumptions.assumeTrue(Files.isRegularFile(path), () -> "no shared capture " + path);
    return path;
  }

  /** The rows of a capture's oracle, each by the names in the header line. */
  public static List<Map<String, String>> rows(Path capture) throws IOException {
    List<Map<String, String>> rows = new ArrayList<>();
    String[] names = null;
    for (String line : Files.readAllLines(oracle(capture))) {
      if (line.startsWith("# ")) {
        continue;
      }
      String[] values = line.split("\t", -1);
      if (names == null) {
        names = values;
        continue;
      }
      Map<String, String> row = new LinkedHashMap<>();
      for (int i = 0; i < names.length; i++) {
        row.put(names[i], i < values.length ? values[i] : "");
      }
      rows.add(row);
    }
    return rows;
  }

  /** The first of values separated by commas; empty if there is none. */
  public static String first(String values) {
    int comma = values.indexOf(',');
    return comma < 0 ? values : values.substring(0, comma);
  }

  private static Path oracle(Path capture) {
    String name = capture.getFileName().toString().replaceFirst("\\.pcap(ng)?$", "");
    return capture.resolveSibling(name + ".oracle.tsv");
  }
}

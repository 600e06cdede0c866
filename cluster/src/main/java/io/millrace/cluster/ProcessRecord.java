package io.millrace.cluster;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.pulse.StateFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A process's saved identity and command, for finding and restarting it.
 *
 * @param host network namespace, or {@code localhost}
 * @param address listen address; for a TaskManager its host's
 * @param startMillis since the epoch, from the kernel: a pid may be reused
 */
record ProcessRecord(
    String name,
    Role role,
    String host,
    String address,
    List<String> command,
    long pid,
    long startMillis) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SUFFIX = ".json";

  ProcessRecord {
    command = List.copyOf(command);
  }

  ProcessRecord started(long pid, long startMillis) {
    return new ProcessRecord(name, role, host, address, command, pid, startMillis);
  }

  /** Written atomically. */
  void write(Path directory) throws IOException {
    StateFile.replace(
        directory.resolve(name + SUFFIX),
        JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this));
  }

  void delete(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve(name + SUFFIX));
  }

  /** By role and name; empty if the directory is missing. */
  static List<ProcessRecord> readAll(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (var files = Files.list(directory)) {
      List<Path> found = files.filter(file -> file.toString().endsWith(SUFFIX)).sorted().toList();
      List<ProcessRecord> records = new java.util.ArrayList<>();
      for (Path file : found) {
        try {
          records.add(JSON.readValue(file.toFile(), new TypeReference<ProcessRecord>() {}));
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
          throw new IOException(
              file + " is damaged: stop its process, if running, and delete the file", e);
        } catch (FileNotFoundException e) {
          // stopped and deleted concurrently
        }
      }
      records.sort(
          java.util.Comparator.comparing(ProcessRecord::role).thenComparing(ProcessRecord::name));
      return records;
    }
  }
}

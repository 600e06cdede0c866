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
 * Saved identity and command of a process, to find and restart it.
 *
 * @param host network namespace, or {@code localhost}
 * @param address listen address; for a TaskManager the address of its host
 * @param startMillis start time from the kernel, milliseconds since the epoch; identifies the
 *     process, as pids are reused
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

  /** Writes the record atomically. */
  void write(Path directory) throws IOException {
    StateFile.replace(
        directory.resolve(name + SUFFIX),
        JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this));
  }

  void delete(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve(name + SUFFIX));
  }

  /** Reads all records, sorted by role and name; none if the directory is missing. */
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
          // deleted concurrently, when the process was stopped
        }
      }
      records.sort(
          java.util.Comparator.comparing(ProcessRecord::role).thenComparing(ProcessRecord::name));
      return records;
    }
  }
}

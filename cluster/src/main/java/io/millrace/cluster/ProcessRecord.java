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
 * What is remembered of a process: enough to find exactly it again, and to start it again.
 *
 * @param name of the process
 * @param role of it
 * @param host it runs on: the network namespace, or {@code localhost}
 * @param address where it listens; for a TaskManager, its host's
 * @param command it was started with
 * @param pid that the kernel gave it
 * @param startMillis since the epoch, as the kernel says: a pid alone may be another's by now
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

  /** Written whole or not at all. */
  void write(Path directory) throws IOException {
    StateFile.replace(
        directory.resolve(name + SUFFIX),
        JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this));
  }

  void delete(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve(name + SUFFIX));
  }

  /** All of a directory, by role and name; none where there is no directory. */
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
              file
                  + " is damaged: end the process that it stands for, if it runs, and delete the file",
              e);
        } catch (FileNotFoundException e) {
          // stopped and forgotten by somebody else just now
        }
      }
      records.sort(
          java.util.Comparator.comparing(ProcessRecord::role).thenComparing(ProcessRecord::name));
      return records;
    }
  }
}

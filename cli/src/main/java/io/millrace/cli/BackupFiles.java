package io.millrace.cli;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.pulse.DataVersion;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * File list of a backup, {@code backup.json}, with functions on its files.
 *
 * @param version version of the instance, which also determines the format of this list
 * @param created time of the backup
 * @param files files, sorted by path
 */
record BackupFiles(DataVersion version, Instant created, List<StoredFile> files) {
  static final String NAME = "backup.json";

  private static final String RELEASE = "release";
  private static final String FORMAT = "format";
  private static final int BUFFER_BYTES = 1 << 20;
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * A file.
   *
   * @param path relative to the backup
   */
  record StoredFile(Path path, long bytes, String sha256) {}

  /** Progress of a copy. */
  interface Listener {
    void copied(long bytes);
  }

  long bytes() {
    return files.stream().mapToLong(StoredFile::bytes).sum();
  }

  /**
   * Reads the file list of a backup.
   *
   * @throws IOException if the directory is not a backup, or a later release is required to read
   *     it; the message is one line
   */
  static BackupFiles read(Path directory) throws IOException {
    Path list = directory.resolve(NAME);
    if (!Files.isRegularFile(list)) {
      throw new IOException(directory + " is not a backup: it has no " + NAME);
    }
    try {
      JsonNode json = JSON.readTree(list.toFile());
      DataVersion version = new DataVersion(json.path(RELEASE).asText(), json.path(FORMAT).asInt());
      if (version.release().isEmpty() || version.format() < 1) {
        throw new IOException(list + " is damaged: release or format is missing");
      }
      version.check(directory + " was made by", "use", "another backup");
      List<StoredFile> files = new ArrayList<>();
      for (JsonNode file : json.path("files")) {
        Path path = Path.of(file.path("path").asText());
        if (path.isAbsolute() || !path.equals(path.normalize()) || path.startsWith("..")) {
          throw new IOException(list + ": invalid path " + path);
        }
        files.add(
            new StoredFile(path, file.path("bytes").asLong(-1), file.path("sha256").asText()));
      }
      return new BackupFiles(version, Instant.parse(json.path("created").asText()), files);
    } catch (JacksonException | InvalidPathException | java.time.DateTimeException e) {
      throw new IOException(list + " is damaged: " + e.getMessage(), e);
    }
  }

  void write(Path directory) throws IOException {
    ObjectNode json = JSON.createObjectNode();
    json.put(RELEASE, version.release());
    json.put(FORMAT, version.format());
    json.put("created", created.toString());
    for (StoredFile file : files) {
      json.withArray("files")
          .addObject()
          .put("path", file.path().toString())
          .put("bytes", file.bytes())
          .put("sha256", file.sha256());
    }
    Path list = directory.resolve(NAME);
    JSON.writerWithDefaultPrettyPrinter().writeValue(list.toFile(), json);
    sync(list);
    sync(directory);
  }

  /** All files in a directory and below, sorted. */
  static List<Path> below(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).map(directory::relativize).sorted().toList();
    }
  }

  /** Copies a file durably; returns its list entry. */
  static StoredFile copy(Path from, Path path, Path to, Listener listener) throws IOException {
    MessageDigest digest = sha256();
    Path target = to.resolve(path);
    Files.createDirectories(target.getParent());
    long bytes = 0;
    try (InputStream in = Files.newInputStream(from.resolve(path));
        FileChannel out =
            FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      byte[] buffer = new byte[BUFFER_BYTES];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        digest.update(buffer, 0, read);
        ByteBuffer written = ByteBuffer.wrap(buffer, 0, read);
        while (written.hasRemaining()) {
          out.write(written);
        }
        bytes += read;
        listener.copied(read);
      }
      out.force(true);
    }
    return new StoredFile(path, bytes, HexFormat.of().formatHex(digest.digest()));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // required of every JDK
    }
  }

  private static void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Deletes an incomplete directory of an interrupted command. */
  static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  /** Temporary name of a directory until it is complete. */
  static Path partial(Path directory) {
    Path whole = directory.toAbsolutePath().normalize();
    return whole.resolveSibling("." + whole.getFileName() + ".partial");
  }

  /** Renames a complete directory to its final name. */
  static void complete(Path partial, Path directory) throws IOException {
    Path whole = directory.toAbsolutePath().normalize();
    Files.deleteIfExists(whole); // it may exist, empty
    Files.move(partial, whole);
    sync(whole.getParent());
  }

  /** Whether a directory is missing or empty. */
  static boolean isFree(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return true;
    }
    if (!Files.isDirectory(directory)) {
      return false;
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.findAny().isEmpty();
    }
  }
}

package io.millrace.store.iceberg;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.store.StoreException;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Files that one sink has sealed at one checkpoint. The list is stored in the table's directory
 * until a snapshot contains the files: if the process is killed between a checkpoint and its
 * commit, the next rewind commits them.
 *
 * @param covered first offset not covered, by partition
 */
record SealedPart(
    @JsonProperty("token") long token,
    @JsonProperty("checkpoint") long checkpoint,
    @JsonProperty("covered") Map<Integer, Long> covered,
    @JsonProperty("files") List<StoredFile> files) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SUFFIX = ".json";

  Frontier frontier() {
    return new Frontier(covered);
  }

  /** Whether a checkpoint with this frontier covers all of this. */
  boolean isWithin(Frontier frontier) {
    return covered.entrySet().stream()
        .allMatch(partition -> partition.getValue() <= frontier.next(partition.getKey()));
  }

  /** Writes the list, durable on return, and returns its file. */
  Path write(Path folder, long number) {
    try {
      Files.createDirectories(folder);
      Path file = folder.resolve(token + "-" + checkpoint + "-" + number + SUFFIX);
      TableDirectory.replace(file, JSON.writeValueAsString(this));
      return file;
    } catch (IOException e) {
      throw new StoreException("cannot write to " + folder + ": " + e.getMessage(), e);
    }
  }

  /** The same list after the folder of the data files was moved. */
  SealedPart in(Path data) {
    List<StoredFile> moved = new ArrayList<>();
    for (StoredFile file : files) {
      Path path = Path.of(file.path());
      moved.add(file.at(data.resolve(path.getParent().getFileName()).resolve(path.getFileName())));
    }
    return new SealedPart(token, checkpoint, covered, moved);
  }

  /** Reads all lists of a folder, by file. */
  static Map<Path, SealedPart> read(Path folder) {
    Map<Path, SealedPart> parts = new TreeMap<>();
    if (!Files.isDirectory(folder)) {
      return parts;
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        if (file.getFileName().toString().startsWith(".")) {
          Files.delete(file); // written only in part, so its checkpoint has not completed
        } else if (file.toString().endsWith(SUFFIX)) {
          parts.put(file, JSON.readValue(file.toFile(), SealedPart.class));
        }
      }
    } catch (IOException e) {
      throw new StoreException("cannot read " + folder + ": " + e.getMessage(), e);
    }
    return parts;
  }

  static SealedPart of(long token, long checkpoint, Frontier covered, List<StoredFile> files) {
    return new SealedPart(token, checkpoint, new TreeMap<>(covered.next()), new ArrayList<>(files));
  }
}

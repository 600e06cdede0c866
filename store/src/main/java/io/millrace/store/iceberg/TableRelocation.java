package io.millrace.store.iceberg;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.store.StoreException;
import io.millrace.store.storage.TableFileIO;
import io.millrace.store.storage.TableStorage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.LocationProvider;
import org.apache.iceberg.io.OutputFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rewrites the metadata of a table whose directory was moved or copied, since Iceberg's metadata
 * has absolute paths. The new metadata has one snapshot, which lists the files at their new paths.
 * The old directory is not touched.
 */
final class TableRelocation {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Logger LOG = LoggerFactory.getLogger(TableRelocation.class);

  /** Uploaded files after which progress is logged. */
  private static final int PROGRESS_FILES = 100;

  private final String oldLocation;
  private final TableStorage storage;
  private final Path directory;
  private int uploaded;

  private TableRelocation(String oldLocation, TableStorage storage, Path directory) {
    this.oldLocation = oldLocation;
    this.storage = storage;
    this.directory = directory;
  }

  /**
   * Returns metadata for the new directory or storage, after writing the manifests that it refers
   * to. If the storage is remote, publishes all files.
   *
   * @param properties names of snapshot properties to keep
   * @throws StoreException if a file was only in another storage
   */
  static TableMetadata relocate(
      TableMetadata metadata, TableStorage storage, Path directory, Set<String> properties) {
    try {
      return new TableRelocation(metadata.location(), storage, directory)
          .relocate(metadata, properties);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open the table " + directory, e);
    }
  }

  private TableMetadata relocate(TableMetadata metadata, Set<String> kept) throws IOException {
    InMemory moved = new InMemory(withoutSnapshots(metadata));
    if (metadata.currentSnapshot() == null) {
      return moved.current;
    }
    AppendFiles append = new BaseTable(moved, "moved").newAppend();
    Map<String, String> properties = properties(metadata, kept);
    for (Map.Entry<String, String> property : properties.entrySet()) {
      append.set(property.getKey(), property.getValue());
    }
    BaseTable old = new BaseTable(new InMemory(metadata), "old");
    try (CloseableIterable<FileScanTask> tasks = old.newScan().includeColumnStats().planFiles()) {
      for (FileScanTask task : tasks) {
        String location = relocated(task.file().location());
        publish(storage.path(location));
        append.appendFile(
            DataFiles.builder(old.spec()).copy(task.file()).withPath(location).build());
      }
    }
    append.commit();
    return moved.current;
  }

  private void publish(Path file) throws IOException {
    if (storage.isRemote() || !oldLocation.startsWith("file:")) {
      if (!Files.exists(file)) {
        throw new StoreException(
            "cannot move the table %s: %s is only in %s, and not on this machine; set store.objects.location as before"
                .formatted(directory, file, oldLocation),
            null);
      }
      storage.publish(file);
      if (storage.isRemote() && ++uploaded % PROGRESS_FILES == 0) {
        LOG.info("uploaded {} files to {}", uploaded, storage.location(directory));
      }
    }
  }

  private TableMetadata withoutSnapshots(TableMetadata metadata) throws IOException {
    ObjectNode json = (ObjectNode) JSON.readTree(TableMetadataParser.toJson(metadata));
    json.put("location", storage.location(directory));
    json.put("current-snapshot-id", -1);
    json.remove(List.of("refs", "statistics", "partition-statistics"));
    for (String list : List.of("snapshots", "snapshot-log", "metadata-log")) {
      json.putArray(list);
    }
    return TableMetadataParser.fromJson(JSON.writeValueAsString(json));
  }

  /** The newest value of each property to keep. */
  private static Map<String, String> properties(TableMetadata metadata, Set<String> kept) {
    Map<String, String> properties = new TreeMap<>();
    for (Snapshot snapshot = metadata.currentSnapshot(); snapshot != null; ) {
      snapshot
          .summary()
          .forEach(
              (name, value) -> {
                if (kept.contains(name)) {
                  properties.putIfAbsent(name, value);
                }
              });
      Long parent = snapshot.parentId();
      snapshot = parent == null ? null : metadata.snapshot(parent);
    }
    return properties;
  }

  /** New location of a file. */
  private String relocated(String location) {
    if (!location.startsWith(oldLocation + "/")) {
      throw new StoreException(
          "the table %s lists %s, which is not in its directory %s"
              .formatted(directory, location, oldLocation),
          null);
    }
    return storage.location(directory) + location.substring(oldLocation.length());
  }

  /** Deletes metadata files that the metadata does not refer to. */
  static void deleteOthers(Path metadataFolder, TableMetadata metadata, TableStorage storage)
      throws IOException {
    FileIO io = new TableFileIO(storage);
    Set<String> used = new HashSet<>();
    if (metadata.currentSnapshot() != null) {
      used.add(metadata.currentSnapshot().manifestListLocation());
      for (ManifestFile manifest : metadata.currentSnapshot().allManifests(io)) {
        used.add(manifest.path());
      }
    }
    used.add(metadata.metadataFileLocation());
    try (Stream<Path> files = Files.list(metadataFolder)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        boolean isOurs = name.endsWith(".avro") || name.endsWith(".metadata.json");
        if (isOurs && !used.contains(storage.location(file))) {
          Files.delete(file);
        }
      }
    }
  }

  /** Keeps commits in memory, and reads files at their new locations. */
  private final class InMemory implements TableOperations {
    private final FileIO io = new TableFileIO(storage);
    private TableMetadata current;

    InMemory(TableMetadata current) {
      this.current = current;
    }

    @Override
    public TableMetadata current() {
      return current;
    }

    @Override
    public TableMetadata refresh() {
      return current;
    }

    @Override
    public void commit(TableMetadata base, TableMetadata metadata) {
      current = metadata;
    }

    @Override
    public FileIO io() {
      return new FileIO() {
        private static final long serialVersionUID = 1L;

        @Override
        public InputFile newInputFile(String location) {
          return io.newInputFile(
              location.startsWith(oldLocation + "/") ? relocated(location) : location);
        }

        @Override
        public OutputFile newOutputFile(String location) {
          return io.newOutputFile(location);
        }

        @Override
        public void deleteFile(String location) {} // left to deleteOthers
      };
    }

    @Override
    public String metadataFileLocation(String name) {
      return storage.location(directory.resolve("metadata").resolve(name));
    }

    @Override
    public LocationProvider locationProvider() {
      throw new UnsupportedOperationException("no data files are written");
    }
  }
}

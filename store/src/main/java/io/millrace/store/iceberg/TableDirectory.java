package io.millrace.store.iceberg;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A table in a directory, without a catalog: {@code metadata/v1.metadata.json}, {@code v2…}, and
 * the number of the newest version in {@code version-hint.text}, the layout of Iceberg's file
 * system tables, so that other engines can read it by its path.
 *
 * <p>A version is committed when its file appears under its name, which only one of several writers
 * achieves. After a power failure the newest version is complete.
 *
 * <p>Source: Apache Iceberg table specification, "File System Tables".
 */
final class TableDirectory implements TableOperations {
  private static final Logger LOG = LoggerFactory.getLogger(TableDirectory.class);

  /** Properties of a new table: the metadata of the last twenty versions are kept. */
  static final Map<String, String> PROPERTIES =
      Map.of(
          "format-version", "2",
          "write.metadata.delete-after-commit.enabled", "true",
          "write.metadata.previous-versions-max", "20");

  private static final String HINT = "version-hint.text";
  private static final String SUFFIX = ".metadata.json";
  private static final Pattern VERSION = Pattern.compile("v(\\d{1,9})\\.metadata\\.json");

  private final Path directory;
  private final FileIO io = new LocalFileIO();
  private TableMetadata current;
  private int version;

  private TableDirectory(Path directory) {
    this.directory = directory;
  }

  /**
   * Opens the table in a directory, or creates it. The directory may have been moved.
   *
   * @param properties of a new table
   * @param snapshotProperties names of snapshot properties to keep if the directory was moved
   */
  static Table open(
      Path directory,
      String name,
      Schema schema,
      PartitionSpec spec,
      SortOrder order,
      Map<String, String> properties,
      Set<String> snapshotProperties) {
    TableDirectory operations = new TableDirectory(directory);
    TableMetadata existing = operations.refresh();
    if (existing == null) {
      operations.commit(
          null,
          TableMetadata.newTableMetadata(
              schema, spec, order, LocalFileIO.location(directory), properties));
    } else if (!existing.location().equals(LocalFileIO.location(directory))) {
      LOG.info("table {} was moved from {}", directory, existing.location());
      operations.relocate(snapshotProperties);
    }
    return new BaseTable(operations, name);
  }

  /**
   * Makes a copy of a table's directory a table of its own, with the newest snapshot only.
   *
   * @param snapshotProperties names of its snapshot properties to keep
   */
  static void relocate(Path copy, Set<String> snapshotProperties) {
    TableDirectory operations = new TableDirectory(copy);
    operations.refresh();
    operations.relocate(snapshotProperties);
  }

  /** Whether a directory has a table. */
  static boolean isTable(Path directory) {
    return new TableDirectory(directory).newestFile() > 0;
  }

  /**
   * The newest version of a table that another process may write; empty if there is no table.
   *
   * @throws org.apache.iceberg.exceptions.NotFoundException if it was replaced and deleted
   *     meanwhile
   */
  static Optional<TableMetadata> newest(Path directory) {
    return Optional.ofNullable(new TableDirectory(directory).refresh());
  }

  private synchronized void relocate(Set<String> snapshotProperties) {
    write(TableRelocation.relocate(current, directory, snapshotProperties));
    try {
      TableRelocation.deleteOthers(metadata(), current, io);
    } catch (IOException e) {
      LOG.warn("cannot delete unused files of {}: {}", metadata(), e.getMessage());
    }
  }

  @Override
  public synchronized TableMetadata current() {
    return current;
  }

  @Override
  public synchronized TableMetadata refresh() {
    int newest = Math.max(version, hint());
    while (Files.exists(file(newest + 1))) {
      newest++;
    }
    if (newest > version) {
      current = TableMetadataParser.read(io, LocalFileIO.location(file(newest)));
      version = newest;
    }
    if (current != null) {
      current = SnapshotTimes.untilNow(current);
    }
    return current;
  }

  private int hint() {
    try {
      return Integer.parseInt(Files.readString(metadata().resolve(HINT)).strip());
    } catch (IOException | NumberFormatException e) {
      return newestFile();
    }
  }

  /** The greatest version in the folder, from which old ones are deleted; 0 if there is none. */
  private int newestFile() {
    if (!Files.isDirectory(metadata())) {
      return 0;
    }
    try (Stream<Path> files = Files.list(metadata())) {
      return files
          .map(file -> VERSION.matcher(file.getFileName().toString()))
          .filter(Matcher::matches)
          .mapToInt(name -> Integer.parseInt(name.group(1)))
          .max()
          .orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + metadata(), e);
    }
  }

  private Path metadata() {
    return directory.resolve("metadata");
  }

  private Path file(int number) {
    return metadata().resolve("v" + number + SUFFIX);
  }

  @Override
  public synchronized void commit(TableMetadata base, TableMetadata metadata) {
    if (base != current) {
      throw new CommitFailedException("the table has changed since version %s", version);
    }
    if (base == metadata) {
      return;
    }
    write(metadata);
    if (base != null) {
      deleteOld(base);
    }
  }

  private void write(TableMetadata metadata) {
    int next = version + 1;
    Path temporary = metadata().resolve(".v" + next + "-" + ProcessHandle.current().pid() + SUFFIX);
    try {
      Files.createDirectories(metadata());
      TableMetadataParser.overwrite(metadata, io.newOutputFile(LocalFileIO.location(temporary)));
      link(temporary, file(next));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot commit to " + directory, e);
    }
    // From here on the version may be committed, so its files must not be cleaned up.
    try {
      LocalFileIO.syncDirectory(metadata());
      current = TableMetadataParser.read(io, LocalFileIO.location(file(next)));
    } catch (IOException | RuntimeException e) {
      throw new CommitStateUnknownException(e);
    }
    version = next;
    try {
      replace(metadata().resolve(HINT), Integer.toString(next));
    } catch (IOException e) {
      LOG.warn("cannot write {}: {}", metadata().resolve(HINT), e.getMessage()); // it is a hint
    }
  }

  private static void link(Path temporary, Path target) throws IOException {
    try {
      Files.createLink(target, temporary);
    } catch (FileAlreadyExistsException e) {
      throw new CommitFailedException(e, "another process has committed %s", target.getFileName());
    } finally {
      temporary.toFile().delete(); // if not, it is overwritten the next time
    }
  }

  /** Deletes metadata files that the table no longer lists. */
  private void deleteOld(TableMetadata base) {
    base.previousFiles().stream()
        .map(TableMetadata.MetadataLogEntry::file)
        .filter(
            file -> current.previousFiles().stream().noneMatch(kept -> kept.file().equals(file)))
        .forEach(io::deleteFile);
  }

  static void replace(Path file, String text) throws IOException {
    Path temporary = file.resolveSibling("." + file.getFileName());
    Files.write(temporary, text.getBytes(UTF_8));
    LocalFileIO.sync(temporary);
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    LocalFileIO.syncDirectory(file.getParent());
  }

  @Override
  public FileIO io() {
    return io;
  }

  @Override
  public String metadataFileLocation(String name) {
    return LocalFileIO.location(metadata().resolve(name));
  }

  @Override
  public LocationProvider locationProvider() {
    return LocationProviders.locationsFor(current().location(), current().properties());
  }
}

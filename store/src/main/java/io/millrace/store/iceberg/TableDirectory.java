package io.millrace.store.iceberg;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.store.FencedException;
import io.millrace.store.StoreException;
import io.millrace.store.storage.TableFileIO;
import io.millrace.store.storage.TableStorage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
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
import org.apache.iceberg.exceptions.NotFoundException;
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
 * achieves. After a power failure the newest version is complete. A commit to an object store may
 * have failed and take effect later; the next refresh finds it.
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

  private static final String METADATA = "metadata";
  private static final String HINT = "version-hint.text";
  private static final String SUFFIX = ".metadata.json";
  private static final Pattern VERSION = Pattern.compile("v(\\d{1,9})\\.metadata\\.json");

  private final TableStorage storage;
  private final Path directory;
  private final FileIO io;
  private TableMetadata current;
  private int version;

  /** Commits of the next version whose outcome is unknown, as text. */
  private final Set<String> attempted = new HashSet<>();

  /** A commit that failed and may have taken effect. */
  private static final class UnknownCommitException extends CommitStateUnknownException {
    private static final long serialVersionUID = 1;

    private final String line;

    UnknownCommitException(Path directory, Exception cause) {
      super(cause);
      line = "cannot commit to %s: %s".formatted(directory, cause.getMessage());
    }

    @Override
    public String getMessage() { // in place of several lines
      return line;
    }
  }

  private TableDirectory(TableStorage storage, Path directory) {
    this.storage = storage;
    this.directory = directory;
    io = new TableFileIO(storage);
  }

  /**
   * Opens the table in a directory, or creates it. The directory may have been moved, and tables of
   * another storage are moved to this one.
   *
   * @param properties of a new table
   * @param snapshotProperties names of snapshot properties to keep if the table is moved
   * @throws StoreException if the storage has another table there, or lost versions of this one
   */
  static Table open(
      TableStorage storage,
      Path directory,
      String name,
      Schema schema,
      PartitionSpec spec,
      SortOrder order,
      Map<String, String> properties,
      Set<String> snapshotProperties) {
    TableDirectory operations = new TableDirectory(storage, directory);
    operations.load();
    TableMetadata existing = operations.current;
    if (existing == null) {
      operations.commit(
          null,
          TableMetadata.newTableMetadata(
              schema, spec, order, storage.location(directory), properties));
    } else if (!existing.location().equals(storage.location(directory))) {
      LOG.info(
          "table {} was moved from {} to {}",
          name,
          existing.location(),
          storage.location(directory));
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
    TableDirectory operations = new TableDirectory(TableStorage.local(), copy);
    operations.load();
    operations.relocate(snapshotProperties);
  }

  /** Whether a directory has a table. */
  static boolean isTable(Path directory) {
    return new TableDirectory(TableStorage.local(), directory).newestHere() > 0;
  }

  /**
   * The newest version of a table that another process may write; empty if there is no table.
   *
   * @throws NotFoundException if it was replaced and deleted meanwhile
   */
  static Optional<TableMetadata> newest(Path directory) {
    TableDirectory operations = new TableDirectory(TableStorage.local(), directory);
    int version = operations.newestHere();
    return version == 0
        ? Optional.empty()
        : Optional.of(SnapshotTimes.untilNow(operations.readHere(version)));
  }

  /**
   * Reads the newest version, whoever has committed it. A directory may have none, or an older one,
   * of a table in an object store.
   */
  private synchronized void load() {
    int here = newestHere();
    TableMetadata mine = here == 0 ? null : readHere(here);
    version = here;
    current = mine;
    if (storage.isRemote()) {
      try {
        loadFromObjects(here, mine);
      } catch (IOException e) {
        throw new StoreException(e.getMessage(), e);
      }
    }
    if (current != null) {
      current = SnapshotTimes.untilNow(current);
    }
  }

  /**
   * Reads the newest version in the object store, unless the table of this directory was never
   * there, or is newer.
   *
   * @param here newest version of the directory; 0 for none
   * @param mine that version; null for none
   */
  private void loadFromObjects(int here, TableMetadata mine) throws IOException {
    int there = newest(storage.list(metadata()).stream().map(TableStorage.Entry::path));
    if (there < Math.max(1, here)) {
      if (here > 0 && mine.location().equals(storage.location(directory))) {
        throw new StoreException(
            "%s lacks version %d of the table, which %s has; the bucket was emptied, or an older state of it restored"
                .formatted(storage.location(metadata()), here, directory),
            null);
      }
      return;
    }
    String json = storage.read(file(there)).orElseThrow(() -> new NoSuchFileException("" + there));
    TableMetadata other = TableMetadataParser.fromJson(storage.location(file(there)), json);
    if (mine != null && !mine.uuid().equals(other.uuid())) {
      throw new StoreException(
          "%s has another table than %s; use an empty prefix (store.objects.location)"
              .formatted(storage.location(directory), directory),
          null);
    }
    replace(file(there), json);
    version = there;
    current = other;
    attempted.clear();
    if (there > here) {
      writeHint();
    }
  }

  /** Reads a version of this directory, at whatever location the table was. */
  private TableMetadata readHere(int number) {
    try {
      String json = Files.readString(file(number));
      TableMetadata metadata = TableMetadataParser.fromJson(json);
      return TableMetadataParser.fromJson(
          metadata.location() + "/" + METADATA + "/" + file(number).getFileName(), json);
    } catch (NoSuchFileException e) {
      throw new NotFoundException(e, "file not found: %s", file(number));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file(number), e);
    }
  }

  private TableMetadata read(int number) {
    return TableMetadataParser.read(io, storage.location(file(number)));
  }

  private synchronized void relocate(Set<String> snapshotProperties) {
    write(TableRelocation.relocate(current, storage, directory, snapshotProperties));
    try {
      TableRelocation.deleteOthers(metadata(), current, storage);
    } catch (IOException e) {
      LOG.warn("cannot delete unused files of {}: {}", metadata(), e.getMessage());
    }
  }

  @Override
  public synchronized TableMetadata current() {
    return current;
  }

  /**
   * Called by commits. Does not read what an earlier commit of unknown outcome has left in an
   * object store, since that may have the same files; {@link #update} does.
   */
  @Override
  public synchronized TableMetadata refresh() {
    if (!storage.isRemote()) {
      update();
    }
    return current;
  }

  /** {@link #update} of an open table. */
  static void update(Table table) {
    of(table).update();
  }

  /** {@link #load} of an open table. */
  static void load(Table table) {
    of(table).load();
  }

  private static TableDirectory of(Table table) {
    return (TableDirectory) ((BaseTable) table).operations();
  }

  /**
   * Reads versions that were committed since. In an object store, these are commits of unknown
   * outcome.
   *
   * @throws FencedException if another process has committed one
   */
  private synchronized void update() {
    try {
      while (storage.fetch(file(version + 1))) {
        checkIsOurs(file(version + 1));
        current = read(version + 1);
        version++;
        attempted.clear();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
    if (current != null) {
      current = SnapshotTimes.untilNow(current);
    }
  }

  private void checkIsOurs(Path file) throws IOException {
    if (storage.isRemote() && !attempted.contains(Files.readString(file))) {
      Files.delete(file);
      throw new FencedException(
          "another process writes to %s; stop one of the two, or give each a prefix of its own (store.objects.location)"
              .formatted(storage.location(directory)));
    }
  }

  private int newestHere() {
    int newest = hint();
    if (!Files.exists(file(newest))) {
      newest = newestFile(); // the hint could not be written for a long time
    }
    while (Files.exists(file(newest + 1))) {
      newest++;
    }
    return newest;
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
      return newest(files);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + metadata(), e);
    }
  }

  private static int newest(Stream<Path> files) {
    return files
        .map(file -> VERSION.matcher(file.getFileName().toString()))
        .filter(Matcher::matches)
        .mapToInt(name -> Integer.parseInt(name.group(1)))
        .max()
        .orElse(0);
  }

  private Path metadata() {
    return directory.resolve(METADATA);
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
    String json = TableMetadataParser.toJson(metadata);
    try {
      Files.createDirectories(metadata());
      Files.writeString(temporary, json);
      TableFileIO.sync(temporary);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot commit to " + directory, e);
    }
    publish(temporary, next, json);
    // From here on the version is committed, so its files must not be cleaned up.
    try {
      TableFileIO.syncDirectory(metadata());
      current = read(next);
    } catch (IOException | RuntimeException e) {
      throw new UnknownCommitException(directory, e);
    }
    version = next;
    attempted.clear();
    writeHint();
  }

  private void writeHint() {
    Path hint = metadata().resolve(HINT);
    try {
      replace(hint, Integer.toString(version));
      storage.publish(hint);
    } catch (IOException e) {
      LOG.warn("cannot write {}: {}", hint, e.getMessage()); // it is a hint
    }
  }

  private void publish(Path temporary, int next, String json) {
    boolean isPublished;
    try {
      isPublished = storage.publishAs(temporary, file(next));
    } catch (IOException e) {
      if (storage.isRemote()) {
        attempted.add(json);
        throw new UnknownCommitException(directory, e);
      }
      throw new UncheckedIOException("cannot commit to " + directory, e);
    }
    if (!isPublished && storage.isRemote()) {
      // No CommitFailedException, after which Iceberg repeats the commit: an earlier attempt, which
      // the other version may be, has the same files.
      throw new StoreException(
          "%s exists already, by an earlier attempt or another process"
              .formatted(storage.location(file(next))),
          null);
    }
    if (!isPublished) {
      throw new CommitFailedException("another process has committed %s", file(next).getFileName());
    }
  }

  /** Deletes metadata files that the table no longer lists; must not fail after a commit. */
  private void deleteOld(TableMetadata base) {
    base.previousFiles().stream()
        .map(TableMetadata.MetadataLogEntry::file)
        .filter(
            file -> current.previousFiles().stream().noneMatch(kept -> kept.file().equals(file)))
        .forEach(file -> storage.deleteUnused(storage.path(file)));
  }

  /** Writes a file of this machine, durable on return, or replaces it. */
  static void replace(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Path temporary = file.resolveSibling("." + file.getFileName());
    Files.write(temporary, text.getBytes(UTF_8));
    TableFileIO.sync(temporary);
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    TableFileIO.syncDirectory(file.getParent());
  }

  @Override
  public FileIO io() {
    return io;
  }

  @Override
  public String metadataFileLocation(String name) {
    return storage.location(metadata().resolve(name));
  }

  @Override
  public LocationProvider locationProvider() {
    return LocationProviders.locationsFor(current().location(), current().properties());
  }
}

package io.millrace.store.storage;

import io.millrace.pulse.DirectoryTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Files of tables on a local or shared file system. A location is {@code file://} followed by an
 * absolute path, without percent-encoding.
 */
final class LocalStorage implements TableStorage {
  static final LocalStorage INSTANCE = new LocalStorage();

  private static final String SCHEME = "file://";
  private static final Use NOTHING = () -> {};

  private LocalStorage() {}

  @Override
  public String location(Path path) {
    return SCHEME + path.toAbsolutePath().normalize();
  }

  @Override
  public Path path(String location) {
    if (!location.startsWith(SCHEME + "/")) {
      throw new IllegalArgumentException("not a local file: " + location);
    }
    return Path.of(location.substring(SCHEME.length()));
  }

  @Override
  public boolean isRemote() {
    return false;
  }

  @Override
  public void publish(Path file) {}

  @Override
  public boolean publishAs(Path temporary, Path file) throws IOException {
    try {
      Files.createLink(file, temporary);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } finally {
      temporary.toFile().delete(); // if not, it is overwritten the next time
    }
  }

  @Override
  public Optional<String> read(Path file) throws IOException {
    return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
  }

  @Override
  public boolean fetch(Path file) {
    return Files.exists(file);
  }

  @Override
  public OptionalLong size(Path file) throws IOException {
    return Files.exists(file) ? OptionalLong.of(Files.size(file)) : OptionalLong.empty();
  }

  @Override
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public void deleteUnused(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      return; // no snapshot contains it, so nobody reads it
    }
  }

  @Override
  public void deleteAll(Path folder) throws IOException {
    DirectoryTree.delete(folder);
  }

  @Override
  public void move(Path folder, Path target) throws IOException {
    if (Files.exists(folder)) {
      Files.move(folder, target);
    }
  }

  @Override
  public List<String> folders(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(each -> each.getFileName().toString()).sorted().toList();
    }
  }

  @Override
  public List<Entry> list(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).map(LocalStorage::entry).toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static Entry entry(Path file) {
    try {
      return new Entry(file, Files.getLastModifiedTime(file).toInstant());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void published(String path, long bytes) {}

  @Override
  public Use use(Collection<String> paths, BooleanSupplier isEnded) {
    return NOTHING;
  }

  @Override
  public void close() {}
}

package io.millrace.store.storage;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.pulse.DirectoryTree;
import io.millrace.store.QueryException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of tables in an object store. A directory has copies, with the same paths as keys: all
 * metadata, rollups and names, and the most recently used files of rows up to a limit.
 */
public final class ObjectStorage implements TableStorage {
  /** Files of rows that are fetched at a time, for all queries. */
  private static final int TRANSFERS = 8;

  private static final Logger LOG = LoggerFactory.getLogger(ObjectStorage.class);

  /** Interval of checks whether a query still waits. */
  private static final long POLL_MILLIS = 50;

  private static final String PARTIAL = ".part";
  private static final double GIB = 1 << 30;

  private final Path root;
  private final ObjectStore objects;
  private final long limit;
  private final ExecutorService transfers;

  /** Files of rows that are in the object store, by path. Guarded by itself, with their fields. */
  private final Map<String, Cached> files = new HashMap<>();

  private long cachedBytes; // guarded by files
  private long usedBytes; // of files with users; guarded by files
  private long uses; // guarded by files

  /** A file of rows in the object store. Guarded by {@link #files}. */
  private static final class Cached {
    private final Path path;
    private final long bytes;
    private boolean isLocal;
    private int users;
    private long lastUse;
    private CompletableFuture<Void> fetch; // null unless it is being fetched

    Cached(Path path, long bytes) {
      this.path = path;
      this.bytes = bytes;
    }
  }

  /**
   * Creates the storage of the files below a directory.
   *
   * @param objects closed with this
   */
  public ObjectStorage(Path directory, ObjectStore objects) {
    this(directory, objects, objects.config().cacheBytes());
  }

  /** Creates the storage with another limit of local copies, bytes. */
  public ObjectStorage(Path directory, ObjectStore objects, long limit) {
    root = directory.toAbsolutePath().normalize();
    this.objects = objects;
    this.limit = limit;
    transfers =
        Executors.newFixedThreadPool(
            TRANSFERS,
            task -> {
              Thread thread = new Thread(task, "store-objects");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Key of a file or folder. */
  public String key(Path path) {
    String key = root.relativize(path.toAbsolutePath().normalize()).toString();
    if (key.startsWith("..")) {
      throw new IllegalArgumentException(path + " is not below " + root);
    }
    return key;
  }

  private Path path(ObjectStore.Entry object) {
    return root.resolve(object.key());
  }

  /** The object store. */
  public ObjectStore objects() {
    return objects;
  }

  @Override
  public String location(Path path) {
    return objects.location() + "/" + key(path);
  }

  @Override
  public Path path(String location) {
    if (!location.startsWith(objects.location() + "/")) {
      throw new IllegalArgumentException(location + " is not below " + objects.location());
    }
    return root.resolve(location.substring(objects.location().length() + 1));
  }

  @Override
  public boolean isRemote() {
    return true;
  }

  @Override
  public void publish(Path file) throws IOException {
    objects.put(key(file), file);
  }

  @Override
  public boolean publishAs(Path temporary, Path file) throws IOException {
    byte[] content = Files.readAllBytes(temporary);
    if (!objects.putIfAbsent(key(file), content)) {
      Optional<byte[]> other = objects.get(key(file));
      if (other.isEmpty() || !Arrays.equals(other.get(), content)) {
        Files.delete(temporary);
        return false;
      }
    }
    Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
    return true;
  }

  @Override
  public Optional<String> read(Path file) throws IOException {
    return objects.get(key(file)).map(bytes -> new String(bytes, UTF_8));
  }

  @Override
  public boolean fetch(Path file) throws IOException {
    if (Files.exists(file)) {
      return true;
    }
    Optional<byte[]> content = objects.get(key(file));
    if (content.isPresent()) {
      Path partial = partial(file);
      Files.write(partial, content.get());
      Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
    }
    return content.isPresent();
  }

  private static Path partial(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    return file.resolveSibling("." + file.getFileName() + "-" + UUID.randomUUID() + PARTIAL);
  }

  @Override
  public OptionalLong size(Path file) throws IOException {
    return Files.exists(file) ? OptionalLong.of(Files.size(file)) : objects.size(key(file));
  }

  @Override
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
    forget(file);
    objects.delete(key(file));
  }

  private void forget(Path file) {
    synchronized (files) {
      Cached gone = files.remove(file.toString());
      if (gone != null) {
        setLocal(gone, false);
      }
    }
  }

  @Override
  public void deleteUnused(Path file) {
    LocalStorage.INSTANCE.deleteUnused(file);
    forget(file);
    transfers.execute(
        () -> {
          try {
            objects.delete(key(file));
          } catch (IOException e) {
            LOG.debug("{}; it is left to a later start", e.getMessage());
          }
        });
  }

  @Override
  public void deleteAll(Path folder) throws IOException {
    for (ObjectStore.Entry object : objects.list(key(folder) + "/")) {
      delete(path(object));
    }
    DirectoryTree.delete(folder);
  }

  @Override
  public void move(Path folder, Path target) throws IOException {
    for (ObjectStore.Entry object : objects.list(key(folder) + "/")) {
      objects.copy(object.key(), key(target) + object.key().substring(key(folder).length()));
      objects.delete(object.key());
    }
    LocalStorage.INSTANCE.move(folder, target);
  }

  @Override
  public List<String> folders(Path folder) throws IOException {
    SortedSet<String> all = new TreeSet<>(objects.folders(key(folder) + "/"));
    all.addAll(LocalStorage.INSTANCE.folders(folder)); // of another storage before
    return List.copyOf(all);
  }

  @Override
  public List<Entry> list(Path folder) throws IOException {
    return objects.list(key(folder) + "/").stream()
        .map(object -> new Entry(path(object), object.modified()))
        .toList();
  }

  @Override
  public void published(String path, long bytes) {
    Path file = Path.of(path);
    boolean isLocal = Files.exists(file);
    synchronized (files) {
      Cached known = files.computeIfAbsent(path, name -> new Cached(file, bytes));
      if (known.lastUse == 0) {
        known.lastUse = ++uses;
        setLocal(known, isLocal);
        evict();
      }
    }
  }

  private void setLocal(Cached file, boolean isLocal) {
    if (file.isLocal != isLocal) {
      file.isLocal = isLocal;
      cachedBytes += isLocal ? file.bytes : -file.bytes;
    }
  }

  private void evict() {
    if (cachedBytes > limit) {
      evictTo(limit - limit / 16); // not with each commit
    }
  }

  /** Deletes the least recently used local copies beyond a size, if nobody uses them. */
  public void evictTo(long target) {
    synchronized (files) {
      List<Cached> unused =
          files.values().stream()
              .filter(file -> file.isLocal && file.users == 0)
              .sorted(Comparator.comparingLong(file -> file.lastUse))
              .toList();
      for (Cached file : unused) {
        if (cachedBytes <= target) {
          return;
        }
        LocalStorage.INSTANCE.deleteUnused(file.path);
        setLocal(file, false);
      }
    }
  }

  @Override
  public Use use(Collection<String> paths, BooleanSupplier isEnded) throws IOException {
    List<Cached> used = new ArrayList<>();
    List<CompletableFuture<Void>> fetches = new ArrayList<>();
    synchronized (files) {
      for (String path : paths) {
        Cached file = files.get(path);
        if (file != null) {
          used.add(file);
        }
      }
      checkRoom(used);
      for (Cached file : used) {
        usedBytes += file.users == 0 ? file.bytes : 0;
        file.users++;
        file.lastUse = ++uses;
        if (!file.isLocal) {
          if (file.fetch == null) {
            file.fetch = CompletableFuture.runAsync(() -> fetch(file), transfers);
          }
          fetches.add(file.fetch);
        }
      }
    }
    boolean isThere = false;
    try {
      await(CompletableFuture.allOf(fetches.toArray(CompletableFuture[]::new)), isEnded);
      isThere = true;
      return () -> release(used);
    } finally {
      if (!isThere) {
        release(used);
      }
    }
  }

  private static void await(CompletableFuture<Void> fetches, BooleanSupplier isEnded)
      throws IOException {
    while (true) {
      try {
        fetches.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
        return;
      } catch (TimeoutException e) {
        if (isEnded.getAsBoolean()) {
          throw new InterruptedIOException("nobody waits for the files");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted");
      } catch (ExecutionException e) {
        throw e.getCause() instanceof UncheckedIOException io
            ? io.getCause()
            : new IOException(e.getCause());
      }
    }
  }

  /** Rejects a query that would need more room on this machine than there is. */
  private void checkRoom(List<Cached> wanted) {
    if (wanted.stream().allMatch(file -> file.isLocal)) {
      return;
    }
    long all = wanted.stream().mapToLong(file -> file.bytes).sum();
    long unused =
        wanted.stream().filter(file -> file.users == 0).mapToLong(file -> file.bytes).sum();
    if (all > limit) {
      throw rejected(
          QueryException.Reason.NOT_ALLOWED,
          "the query reads %.1f GiB of %s, more than fit on this machine (%.1f GiB, store.objects.cache); select a shorter time, or use an engine that reads the object store (store.engine: trino)"
              .formatted(all / GIB, objects.location(), limit / GIB));
    }
    if (usedBytes + unused > limit) {
      throw rejected(
          QueryException.Reason.BUSY,
          "other queries use the files of %s that fit on this machine (store.objects.cache); try again"
              .formatted(objects.location()));
    }
  }

  private static QueryException rejected(QueryException.Reason reason, String why) {
    return new QueryException(reason, why, QueryException.NO_POSITION);
  }

  private void fetch(Cached file) {
    boolean isFetched = false;
    try {
      synchronized (files) {
        if (file.users == 0) { // those who waited have given up
          throw new InterruptedIOException("nobody waits for " + location(file.path));
        }
      }
      Path partial = partial(file.path);
      try {
        if (!objects.get(key(file.path), partial, file.bytes)) {
          throw new NoSuchFileException(location(file.path));
        }
        Files.move(partial, file.path, StandardCopyOption.ATOMIC_MOVE);
        isFetched = true;
      } finally {
        Files.deleteIfExists(partial);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      synchronized (files) {
        file.fetch = null;
        if (files.get(file.path.toString()) == file) {
          setLocal(file, isFetched);
          evict();
        } else if (isFetched) { // deleted meanwhile
          LocalStorage.INSTANCE.deleteUnused(file.path);
        }
      }
    }
  }

  private void release(List<Cached> used) {
    synchronized (files) {
      for (Cached file : used) {
        file.users--;
        usedBytes -= file.users == 0 ? file.bytes : 0;
      }
      evict();
    }
  }

  @Override
  public void close() {
    transfers.shutdownNow();
    objects.close();
  }
}

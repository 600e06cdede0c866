package io.millrace.store.iceberg;

import io.millrace.pulse.DirectoryTree;
import io.millrace.pulse.HostMemory;
import io.millrace.store.FlowSchema;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.LongMap;
import io.millrace.store.duckdb.sums.BufferSums;
import io.millrace.store.duckdb.sums.SumPlan;
import io.millrace.store.storage.ObjectStorage;
import io.millrace.store.storage.ObjectStore;
import io.millrace.store.storage.TableStorage;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.duckdb.ChunkFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes files of a table that another process has open. All sinks of the table in this process
 * share the memory, the threads and the database that encodes files. Thread-safe.
 */
public final class TableFiles {
  private static final Logger LOG = LoggerFactory.getLogger(TableFiles.class);
  private static final long MIB = 1L << 20;

  /**
   * Rows after which a buffer is written without waiting for a checkpoint, as in the store's
   * process.
   */
  private static final int BUFFER_ROWS = 1_000_000;

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Rows not yet in files take at most 1/N of the heap; their sums usually take far less. */
  private static final int HEAP_PART = 4;

  /** Open objects by table; guarded by the class. */
  private static final Map<TableDescriptor, TableFiles> OPEN = new HashMap<>();

  /** Tables that {@link #open} has logged. */
  private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();

  private final TableDescriptor descriptor;
  private final FlowColumns columns;
  private final FlowSchema schema;
  private final SumPlan plan; // null for no sums
  private final TableStorage storage;

  /** Where files are written: the table's directory, or one of this process to be published. */
  private final Path directory;

  private final Path spill;
  private final RowBufferWriter writer;
  private int users; // guarded by the class
  private final Set<Rows> sinks = new HashSet<>(); // guarded by itself

  /** Sends reports on the rows of one sink to the process of the store. Thread-safe. */
  public interface Reports {
    /** A buffer ended. It has all rows of a part that were appended after the previous buffer. */
    void ended(FlowPart part, long number);

    /**
     * A buffer was written to files, which belong to the store once this returns.
     *
     * @param report for {@link ExternalFileSink#written}
     */
    void written(long number, BlockBuffer report);
  }

  /**
   * Prepares to write files of a table.
   *
   * @param descriptor result of {@link IcebergFlowTable#descriptor}
   * @return empty if this process cannot write to the table's directory; logs the reason once
   * @throws StoreException if the database that encodes files cannot be opened
   */
  public static Optional<TableFiles> open(String descriptor) {
    TableDescriptor table = TableDescriptor.parse(descriptor);
    Optional<String> problem = table.problem();
    if (problem.isPresent()) {
      if (LOGGED.add(table.table() + table.directory())) {
        LOG.info(
            "table {}: the store's process writes the files, since {}",
            table.table(),
            problem.get());
      }
      return Optional.empty();
    }
    return Optional.of(acquire(table));
  }

  private static synchronized TableFiles acquire(TableDescriptor descriptor) {
    TableFiles files =
        OPEN.computeIfAbsent(
            descriptor,
            none -> {
              try {
                return new TableFiles(descriptor);
              } catch (SQLException e) {
                throw new StoreException(
                    "cannot open a database to write files of table %s: %s"
                        .formatted(descriptor.table(), e.getMessage()),
                    e);
              }
            });
    files.users++;
    return files;
  }

  /** Ends a use; the last one cancels running writes. */
  private void release() {
    boolean isLast;
    synchronized (TableFiles.class) {
      users--;
      isLast = users == 0;
      if (isLast) {
        OPEN.remove(descriptor);
      }
    }
    if (isLast) {
      writer.close();
      deleteTemporaries();
      storage.close();
    }
  }

  private TableFiles(TableDescriptor descriptor) throws SQLException {
    this.descriptor = descriptor;
    var iceberg = descriptor.icebergSchema();
    schema = FlowColumns.union(descriptor.table(), iceberg, new FlowSchema(List.of()));
    columns = FlowColumns.of(schema);
    plan = descriptor.plan(columns).orElse(null);
    spill = // created when needed
        Path.of(System.getProperty("java.io.tmpdir"), "millrace-files-" + UUID.randomUUID());
    TailViews views = new TailViews();
    Path own = spill.resolveSibling(spill.getFileName() + "-written");
    storage =
        descriptor.objects() == null
            ? TableStorage.local()
            : new ObjectStorage(own, new ObjectStore(descriptor.objects()));
    directory =
        storage.isRemote() ? own.resolve(descriptor.key()) : Path.of(descriptor.directory());
    File disk = storage.isRemote() ? own.getParent().toFile() : directory.toFile();
    long reserve = Math.min(64 * MIB, disk.getTotalSpace() / 20);
    writer =
        new RowBufferWriter(
            descriptor.table(),
            columns,
            iceberg,
            new TailMemory(columns, tailBytes(), tailBytes(), ByteBuffer::allocate),
            views,
            new ParquetWriter(directory, spill, encodingBytes(), columns.forScans(), views::chunks),
            this::sum,
            () -> disk.getUsableSpace() < reserve,
            task -> {
              Thread thread = new Thread(task, "store-files-" + descriptor.table());
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Memory for rows not yet in files: a quarter of the heap, at most 512 MiB. On the heap, since
   * Flink limits direct memory.
   */
  static long tailBytes() {
    return Math.min(512 * MIB, Runtime.getRuntime().maxMemory() / HEAP_PART);
  }

  /** Native memory of the database: a sixteenth of the machine's memory, 112 to 512 MiB. */
  static long encodingBytes() {
    return Math.max(112 * MIB, Math.min(512 * MIB, HostMemory.bytes() / 16));
  }

  private BufferSums sum(FlowPart part, List<ChunkFunction.Chunk> chunks) {
    return plan == null ? null : BufferSums.of(plan, part, chunks, tailBytes() / 8);
  }

  private void deleteTemporaries() {
    try {
      DirectoryTree.delete(spill);
      if (storage.isRemote()) {
        DirectoryTree.delete(spill.resolveSibling(spill.getFileName() + "-written"));
      }
    } catch (IOException e) {
      LOG.debug("cannot delete {}: {}", spill, e.toString());
    }
  }

  /**
   * Makes written files available to the store's process. While the object store cannot be reached,
   * waits and tries again.
   *
   * @param isClosed whether nobody needs the files any more
   * @return the files with the paths that they have in the store's process
   */
  private List<StoredFile> publish(List<StoredFile> written, BooleanSupplier isClosed) {
    if (!storage.isRemote()) {
      return written;
    }
    List<StoredFile> published = new ArrayList<>();
    for (StoredFile file : written) {
      Path path = Path.of(file.path());
      publish(path, isClosed);
      RowBufferWriter.deleteQuietly(path);
      published.add(
          file.at(Path.of(descriptor.directory()).resolve(directory.relativize(path).toString())));
    }
    return published;
  }

  private void publish(Path file, BooleanSupplier isClosed) {
    boolean isLogged = false;
    while (true) {
      try {
        storage.publish(file);
        return;
      } catch (IOException e) {
        if (isClosed.getAsBoolean()) {
          throw new StoreException(e.getMessage(), e);
        }
        if (!isLogged) {
          LOG.warn("table {}: {}; trying again", descriptor.table(), e.getMessage());
          isLogged = true;
        }
        LockSupport.parkNanos(RETRY_NANOS);
      }
    }
  }

  /** Creates the rows of one sink; closing them ends this use. */
  public Rows rows(Reports reports) {
    Rows rows = new Rows(reports);
    synchronized (sinks) {
      sinks.add(rows);
    }
    return rows;
  }

  private void endAll() {
    List<Rows> all;
    synchronized (sinks) {
      all = List.copyOf(sinks);
    }
    all.forEach(Rows::end);
  }

  /** Replaces ids of texts by those that the store has for the same text. */
  private static final class Canonical implements TextIds {
    private LongMap others = new LongMap(64);

    void add(long id, long stored) {
      if (id != stored) {
        others = others.with(id, stored);
      }
    }

    @Override
    public void toStored(long[] ids, int n) {
      others.replace(ids, n);
    }
  }

  /**
   * The rows of one sink. Its monitor guards the order of rows and reports: a caller that sends
   * rows to the store too holds it while it sends and appends them.
   */
  public final class Rows implements RowBufferWriter.Target, AutoCloseable {
    private final Reports reports;
    private final Canonical ids = new Canonical();

    // Guarded by this.
    private final OpenBuffers open = new OpenBuffers(descriptor.table(), schema, ids);
    private final Map<PendingRows, Long> numbers = new HashMap<>();
    private List<CompletableFuture<?>> unsealed = new ArrayList<>();
    private Frontier known = Frontier.EMPTY;
    private long next;

    private volatile boolean isClosed;

    private Rows(Reports reports) {
      this.reports = reports;
    }

    /** Starts to skip rows that a snapshot already contains. */
    public synchronized void begin(Frontier covered) {
      known = covered;
    }

    /** Records the id that the store has for a text. */
    public synchronized void canonical(long id, long stored) {
      ids.add(id, stored);
    }

    /**
     * Starts writing the rows of all sinks to files if they take half of the memory. Blocks while
     * the limit is reached.
     *
     * @throws StoreException if rows cannot be written
     */
    public void makeRoom() {
      writer.makeRoom(TableFiles.this::endAll);
    }

    public synchronized void append(FlowBlock block) {
      if (block.rows() == 0 || known.covers(block.logPartition(), block.logOffset())) {
        return;
      }
      PendingRows rows = open.append(block, part -> new PendingRows(writer.newBuffer(part)));
      if (rows.buffer.rows() >= BUFFER_ROWS) {
        end(rows.buffer.part());
      }
    }

    private void end(FlowPart part) {
      PendingRows rows = open.end(part);
      if (rows == null) {
        return;
      }
      if (isClosed) {
        rows.buffer.free();
        return;
      }
      long number = next++;
      numbers.put(rows, number);
      reports.ended(part, number);
      writer.write(rows, this);
      unsealed.add(rows.written);
    }

    private synchronized void end() {
      for (FlowPart part : FlowPart.values()) {
        end(part);
      }
    }

    /**
     * Ends all buffers.
     *
     * @return completes when the files of all buffers ended since the last call are reported
     */
    public synchronized CompletableFuture<Void> seal() {
      end();
      CompletableFuture<Void> all =
          CompletableFuture.allOf(unsealed.toArray(CompletableFuture[]::new));
      unsealed = new ArrayList<>();
      return all;
    }

    @Override
    public boolean isWanted(PendingRows rows) {
      return !isClosed;
    }

    @Override
    public RowBuffer.Slice slice(PendingRows rows) {
      return isClosed ? null : rows.buffer.slice();
    }

    @Override
    public void written(PendingRows rows, List<StoredFile> stored, BufferSums made) {
      long number;
      synchronized (this) {
        number = numbers.remove(rows);
      }
      List<StoredFile> published = List.of();
      boolean isReported = false;
      try {
        if (!isClosed) {
          published = publish(stored, () -> isClosed);
          FileReport report = new FileReport(published, made);
          BlockBuffer bytes = new BlockBuffer(16 << 10);
          report.write(plan, bytes);
          reports.written(number, bytes);
          isReported = true;
        }
      } finally {
        rows.buffer.free();
        if (!isReported) {
          stored.forEach(file -> storage.deleteUnused(Path.of(file.path())));
        }
      }
    }

    /** Discards all rows whose files are not reported yet. */
    @Override
    public void close() {
      synchronized (this) {
        if (isClosed) {
          return;
        }
        isClosed = true;
        end();
      }
      synchronized (sinks) {
        sinks.remove(this);
      }
      release();
    }
  }
}

package io.millrace.store.iceberg;

import io.millrace.pulse.HostMemory;
import io.millrace.store.FlowSchema;
import io.millrace.store.StoreException;
import io.millrace.store.duckdb.schema.FlowPart;
import io.millrace.store.duckdb.schema.LongMap;
import io.millrace.store.duckdb.sums.StretchSums;
import io.millrace.store.duckdb.sums.SumPlan;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
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
import java.util.stream.Stream;
import org.duckdb.ChunkFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that this process writes for a table which another process has open. All sinks of the table
 * in this process share the memory, the threads and the database that encodes. Thread-safe.
 */
public final class TableFiles {
  private static final Logger LOG = LoggerFactory.getLogger(TableFiles.class);
  private static final long MIB = 1L << 20;

  /** Rows that become a file before their checkpoint, as in the store's own process. */
  private static final int STRETCH_ROWS = 1_000_000;

  /** Part of the heap for rows without a file; as much again for sums is much more than usual. */
  private static final int HEAP_PART = 4;

  /** Files that are written now, by where; guarded by the class. */
  private static final Map<FileTerms, TableFiles> OPEN = new HashMap<>();

  /** Reasons that were said. */
  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

  private final FileTerms terms;
  private final FlowColumns columns;
  private final FlowSchema schema;
  private final SumPlan plan; // null for no sums
  private final Path overflow;
  private final StretchWriter writer;
  private int users; // guarded by the class
  private final Set<Rows> sinks = new HashSet<>(); // guarded by itself

  /** What the process of the store hears of the rows of one sink. Thread-safe. */
  public interface Reports {
    /** A stretch ends: all rows of a part that were appended after the one before. */
    void ended(FlowPart part, long number);

    /**
     * The stretch is in files, which are the store's if this returns.
     *
     * @param report for {@link FiledSink#written}
     */
    void written(long number, BlockBuffer report);
  }

  /**
   * Prepares to write files on the terms of a store.
   *
   * @param terms as {@link IcebergFlowTable#terms} gives them
   * @return empty if this process does not reach the directory, which it says in the log once
   * @throws StoreException if the database that encodes cannot be opened
   */
  public static Optional<TableFiles> open(String terms) {
    FileTerms its = FileTerms.parse(terms);
    Optional<String> whyNot = its.whyNot();
    if (whyNot.isPresent()) {
      if (SAID.add(its.table() + its.directory())) {
        LOG.info(
            "table {}: the store's process writes the files, since {}", its.table(), whyNot.get());
      }
      return Optional.empty();
    }
    return Optional.of(acquire(its));
  }

  private static synchronized TableFiles acquire(FileTerms terms) {
    TableFiles files =
        OPEN.computeIfAbsent(
            terms,
            none -> {
              try {
                return new TableFiles(terms);
              } catch (SQLException e) {
                throw new StoreException(
                    "cannot open a database to write files of table %s: %s"
                        .formatted(terms.table(), e.getMessage()),
                    e);
              }
            });
    files.users++;
    return files;
  }

  /** Ends a use. The last one ends what is still written. */
  private void release() {
    boolean isLast;
    synchronized (TableFiles.class) {
      users--;
      isLast = users == 0;
      if (isLast) {
        OPEN.remove(terms);
      }
    }
    if (isLast) {
      writer.close();
      deleteOverflow();
    }
  }

  private TableFiles(FileTerms terms) throws SQLException {
    this.terms = terms;
    var iceberg = terms.icebergSchema();
    schema = FlowColumns.union(terms.table(), iceberg, new FlowSchema(List.of()));
    columns = FlowColumns.of(schema);
    plan = terms.plan(columns).orElse(null);
    overflow = // made when it is needed
        Path.of(System.getProperty("java.io.tmpdir"), "millrace-files-" + UUID.randomUUID());
    TailViews views = new TailViews();
    Path directory = Path.of(terms.directory());
    long reserve = Math.min(64 * MIB, directory.toFile().getTotalSpace() / 20);
    writer =
        new StretchWriter(
            terms.table(),
            columns,
            iceberg,
            new TailMemory(columns, tailBytes(), ByteBuffer::allocate),
            views,
            new StretchFiles(
                directory, overflow, encodingBytes(), columns.forScans(), views::chunks),
            this::sum,
            () -> directory.toFile().getUsableSpace() < reserve,
            task -> {
              Thread thread = new Thread(task, "store-files-" + terms.table());
              thread.setDaemon(true);
              return thread;
            });
  }

  /** On the heap, since Flink limits what processes have outside of it: a quarter, to 512 MiB. */
  static long tailBytes() {
    return Math.min(512 * MIB, Runtime.getRuntime().maxMemory() / HEAP_PART);
  }

  /** Outside of the heap: a sixteenth of the machine's memory, 112 to 512 MiB. */
  static long encodingBytes() {
    return Math.max(112 * MIB, Math.min(512 * MIB, HostMemory.bytes() / 16));
  }

  private StretchSums sum(FlowPart part, List<ChunkFunction.Chunk> chunks) {
    return plan == null ? null : StretchSums.of(plan, part, chunks, tailBytes() / 8);
  }

  private void deleteOverflow() {
    if (!Files.isDirectory(overflow)) {
      return;
    }
    try (Stream<Path> files = Files.list(overflow)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(overflow);
    } catch (IOException e) {
      LOG.debug("cannot delete {}: {}", overflow, e.toString());
    }
  }

  /** The rows of one sink; ends the use of this when it is closed. */
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

  /** The rows of one sink. Its lock is that of the order of rows and reports. */
  public final class Rows implements StretchWriter.Target, AutoCloseable {
    private final Reports reports;
    private final Canonical ids = new Canonical();

    // Guarded by this.
    private final OpenStretches open = new OpenStretches(terms.table(), schema, ids);
    private final Map<PendingRows, Long> numbers = new HashMap<>();
    private List<CompletableFuture<?>> unsealed = new ArrayList<>();
    private Frontier known = Frontier.EMPTY;
    private long next;

    private volatile boolean isClosed;

    private Rows(Reports reports) {
      this.reports = reports;
    }

    /** Rows that a snapshot has are left out from now on. */
    public synchronized void begin(Frontier covered) {
      known = covered;
    }

    /** The store has the same text under another id. */
    public synchronized void canonical(long id, long stored) {
      ids.add(id, stored);
    }

    /**
     * Waits while the rows of all sinks are too many.
     *
     * @throws StoreException if rows cannot be written
     */
    public void makeRoom() {
      writer.makeRoom(TableFiles.this::endAll);
    }

    /** Appends a block. */
    public synchronized void append(FlowBlock block) {
      if (block.rows() == 0 || known.covers(block.logPartition(), block.logOffset())) {
        return;
      }
      PendingRows rows = open.append(block, part -> new PendingRows(writer.begin(part)));
      if (rows.stretch.rows() >= STRETCH_ROWS) {
        end(rows.stretch.part());
      }
    }

    private void end(FlowPart part) {
      PendingRows rows = open.end(part);
      if (rows == null) {
        return;
      }
      if (isClosed) {
        rows.stretch.free();
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
     * Ends all stretches.
     *
     * @return ends when the store knows the files of these and of others since the last call
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
    public Stretch.Slice slice(PendingRows rows) {
      return isClosed ? null : rows.stretch.slice();
    }

    @Override
    public void written(PendingRows rows, List<StoredFile> stored, StretchSums made) {
      long number;
      synchronized (this) {
        number = numbers.remove(rows);
      }
      StretchReport report = new StretchReport(stored, made);
      boolean isKnown = false;
      try {
        if (!isClosed) {
          BlockBuffer bytes = new BlockBuffer(16 << 10);
          report.write(plan, bytes);
          reports.written(number, bytes);
          isKnown = true;
        }
      } finally {
        rows.stretch.free();
        if (!isKnown) {
          report.deleteFiles();
        }
      }
    }

    /** Drops all rows whose files the store does not know. */
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

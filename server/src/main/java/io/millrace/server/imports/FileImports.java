package io.millrace.server.imports;

import io.millrace.datasets.DatasetConfig;
import io.millrace.pipelines.flows.FlowsConfig;
import io.millrace.pipelines.imports.FlowFile;
import io.millrace.pipelines.imports.FlowFiles;
import io.millrace.pipelines.imports.FlowImport;
import io.millrace.pipelines.imports.ImportOptions;
import io.millrace.pipelines.imports.UnknownFormatException;
import io.millrace.pulse.Worker;
import io.millrace.store.FencedException;
import io.millrace.store.FlowSchema;
import io.millrace.store.FlowTable;
import io.millrace.store.Store;
import io.millrace.store.StoreException;
import io.millrace.store.TableNames;
import io.millrace.wire.block.LogPartition;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Imports uploaded files, one at a time. A file is kept until all of its rows are stored, so an
 * import resumes after a restart. Thread-safe.
 *
 * <p>Three rules make imports exactly-once. (1) The record of an import, with the partition and
 * first offset of its rows, is stored before the first row. (2) Rows not covered by a {@linkplain
 * FlowImport commit} are deleted before an import resumes: in the table of flows by the rewind at
 * the start of its job, in other tables by {@link #deleteUncommitted}. (3) Unfinished imports have
 * different partitions.
 */
public final class FileImports implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FileImports.class);
  private static final String UPLOAD = ".upload";
  private static final long SPARE_BYTES = 256L << 20;
  private static final int ATTEMPTS = 5;
  private static final long PAUSE_MILLIS = 2_000;
  private static final long POLL_MILLIS = 100;

  private final Path directory;
  private final Store store;
  private final FlowsConfig config;
  private final FlowSchema schema;
  private final List<DatasetConfig> datasets;
  private final Clock clock;
  private final ImportLedger ledger;
  private final BlockingQueue<ImportRecord> queue = new LinkedBlockingQueue<>();

  private final Map<String, ImportRecord> active = new ConcurrentHashMap<>();

  private final Set<String> failed = ConcurrentHashMap.newKeySet();

  private final Thread thread = new Thread(this::run, "millrace-import");
  private volatile FlowImport current;
  private volatile String currentKey = "";
  private volatile boolean closing;

  /**
   * Creates the importer without starting it.
   *
   * @param directory directory of uploaded files; created if missing
   * @param schema schema of tables of flows, with the columns of the data sets
   */
  public FileImports(
      Path directory,
      Store store,
      FlowsConfig config,
      FlowSchema schema,
      List<DatasetConfig> datasets,
      Clock clock)
      throws IOException {
    this.directory = directory;
    this.store = store;
    this.config = config;
    this.schema = schema;
    this.datasets = datasets;
    this.clock = clock;
    Files.createDirectories(directory);
    ledger = new ImportLedger(store);
    List<ImportRecord> unfinished = ledger.unfinished();
    // Runs before a job writes, because the rewind of the job would delete the rows.
    if (unfinished.stream().anyMatch(record -> record.table().equals(Store.FLOWS))) {
      deleteUncommitted(open(Store.FLOWS));
    }
    for (ImportRecord record : unfinished) {
      if (Files.exists(file(record))) {
        enqueue(running(record));
      }
    }
    clear();
  }

  private void clear() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (active.values().stream().noneMatch(record -> file(record).equals(file))) {
          Files.delete(file);
        }
      }
    }
  }

  /** Starts importing. */
  @SuppressWarnings("ThreadPriorityCheck") // correct without it
  public void start() {
    thread.setPriority(Thread.MIN_PRIORITY); // live traffic has priority
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * State of an import.
   *
   * @param state of the table {@code imports}, or {@code unknown}
   * @param position bytes of the file read so far
   * @param problem error message; may be empty
   * @param isNew whether this upload started the import
   */
  public record Status(
      String sha256,
      String table,
      String file,
      String format,
      String state,
      long bytes,
      long position,
      long rows,
      long rejected,
      String problem,
      boolean isNew) {}

  /** Returns the state of the import of a file. */
  public Status status(String sha256, String table) {
    String key = sha256 + " " + table;
    ImportRecord record = active.get(key);
    FlowImport now = current;
    if (record != null) {
      boolean isCurrent = now != null && key.equals(currentKey);
      return status(record, isCurrent ? now.position() : 0, isCurrent ? now.rows() : 0, false);
    }
    Optional<ImportRecord> known = ledger.find(sha256, table);
    if (known.isEmpty()) {
      return new Status(sha256, table, "", "", "unknown", 0, 0, 0, 0, "", false);
    }
    return status(known.get(), known.get().bytes(), known.get().rows(), false);
  }

  private static Status status(ImportRecord record, long position, long rows, boolean isNew) {
    return new Status(
        record.sha256(),
        record.table(),
        record.file(),
        record.format(),
        record.state().word(),
        record.bytes(),
        position,
        rows,
        record.rejected(),
        record.problem(),
        isNew);
  }

  /**
   * Stores an uploaded file and starts its import, unless that exists.
   *
   * @param sha256 expected hash; empty for any
   * @param size size of the body in bytes; 0 if unknown
   * @throws IllegalArgumentException if the table's name is invalid, or the hash differs
   * @throws StoreException if the disk is full, or the store fails
   */
  public Status upload(
      String table, String name, ImportOptions options, String sha256, long size, InputStream body)
      throws IOException {
    TableNames.whyNotFlows(table)
        .ifPresent(
            why -> {
              throw new IllegalArgumentException("table: " + table + ": " + why);
            });
    long free = directory.toFile().getUsableSpace();
    if (free < size + SPARE_BYTES) {
      throw new StoreException(
          "disk full: the file has " + size + " bytes, " + free + " are free", null);
    }
    Path upload = directory.resolve(UUID.randomUUID() + UPLOAD);
    try {
      String found = receive(body, upload);
      if (!sha256.isEmpty() && !sha256.equals(found)) {
        throw new IllegalArgumentException(
            "the upload has the SHA-256 "
                + found
                + ", expected "
                + sha256
                + "; upload the file again");
      }
      return begin(table, name, options, found, upload);
    } finally {
      Files.deleteIfExists(upload);
    }
  }

  private static String receive(InputStream body, Path upload) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // required of every JDK
    }
    byte[] piece = new byte[1 << 16];
    try (OutputStream out = Files.newOutputStream(upload)) {
      for (int n = body.read(piece); n >= 0; n = body.read(piece)) {
        digest.update(piece, 0, n);
        out.write(piece, 0, n);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private synchronized Status begin(
      String table, String name, ImportOptions options, String sha256, Path upload)
      throws IOException {
    Optional<ImportRecord> before = ledger.find(sha256, table);
    boolean isOver =
        before
            .filter(
                record ->
                    record.state() == ImportRecord.State.DONE
                        || record.state() == ImportRecord.State.DAMAGED)
            .isPresent();
    if (isOver || active.containsKey(sha256 + " " + table)) {
      return status(sha256, table);
    }
    ImportRecord record =
        before
            .filter(known -> known.state().isUnfinished()) // it has a partition already
            .map(FileImports::running)
            .orElseGet(() -> record(table, name, options, sha256, size(upload)));
    Files.move(upload, file(record), StandardCopyOption.REPLACE_EXISTING);
    ledger.put(record);
    boolean hasFailed = failed.remove(key(record));
    if (hasFailed && table.equals(Store.FLOWS)) {
      deleteUncommitted(open(table));
    }
    enqueue(record);
    return status(record, 0, 0, true);
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private ImportRecord record(
      String table, String name, ImportOptions options, String sha256, long bytes) {
    Set<Integer> taken = new HashSet<>();
    ledger.unfinished().forEach(record -> taken.add(record.partition()));
    int lane = 0;
    while (taken.contains(LogPartition.ofFiles(lane))) {
      lane++;
    }
    int partition = LogPartition.ofFiles(lane);
    return new ImportRecord(
        ChronoUnit.MICROS.between(java.time.Instant.EPOCH, clock.instant()),
        sha256,
        table,
        name,
        "",
        bytes,
        options,
        ImportRecord.State.RUNNING,
        0,
        0,
        "",
        partition,
        open(table).imported().next(partition));
  }

  private FlowTable open(String table) {
    // Not in the table of the job, which writes concurrently and has these columns.
    return store.table(table, table.equals(Store.FLOWS) ? new FlowSchema(List.of()) : schema);
  }

  private static void deleteUncommitted(FlowTable table) {
    long deleted =
        table.rewind(table.stored().only(partition -> !LogPartition.isImported(partition)));
    LOG.info("deleted {} uncommitted rows of unfinished imports from {}", deleted, table.name());
  }

  private void enqueue(ImportRecord record) {
    active.put(key(record), record);
    queue.add(record);
  }

  private static String key(ImportRecord record) {
    return record.sha256() + " " + record.table();
  }

  private Path file(ImportRecord record) {
    return directory.resolve(record.sha256() + "." + record.table());
  }

  private void run() {
    try {
      while (!closing) {
        ImportRecord record = queue.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (record == null) {
          continue;
        }
        currentKey = key(record);
        try {
          work(record);
        } catch (Exception e) {
          if (!closing) {
            fail(record, e);
          }
        }
        current = null;
        active.remove(key(record));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void fail(ImportRecord record, Exception why) {
    LOG.warn("import of {} into {} failed", record.file(), record.table(), why);
    failed.add(key(record));
    try {
      ledger.put(
          record
              .withState(ImportRecord.State.FAILED)
              .withProblem(
                  why.getMessage()
                      + "; stored rows are kept: import the file again, or restart, to continue"));
    } catch (StoreException e) {
      LOG.warn("cannot update the table imports, which still has the state running", e);
    }
  }

  private static ImportRecord running(ImportRecord record) {
    return record.withState(ImportRecord.State.RUNNING).withProblem("");
  }

  private void work(ImportRecord record) throws Exception {
    ImportRecord over = null;
    boolean isUnsure = !record.table().equals(Store.FLOWS); // no job rewinds these tables
    long tried = Long.MIN_VALUE;
    for (int attempt = 1; over == null; attempt++) {
      FlowTable table = open(record.table());
      boolean wasRewound = attempt > 1 && table.token() != tried;
      if (isUnsure && !wasRewound) {
        deleteUncommitted(table);
      }
      tried = table.token();
      try {
        over = attempt(record, table);
      } catch (FencedException e) {
        isUnsure = false; // the rewind has deleted uncommitted rows
        throwLast(attempt, e);
      } catch (StoreException e) {
        isUnsure = true;
        throwLast(attempt, e);
        Thread.sleep(PAUSE_MILLIS); // the store may be reopening its database
      }
    }
    ledger.put(over);
    Files.deleteIfExists(file(record));
  }

  private static void throwLast(int attempt, StoreException e) {
    if (attempt == ATTEMPTS) {
      throw e;
    }
  }

  private ImportRecord attempt(ImportRecord record, FlowTable table) throws Exception {
    FlowImport attempt = new FlowImport(table, datasets, record.partition(), record.first(), clock);
    current = attempt;
    if (closing) {
      throw new InterruptedException("closing");
    }
    try (FlowFile file = FlowFiles.open(file(record), config, record.options())) {
      FlowImport.Result result = attempt.run(file);
      boolean isDamaged = !result.damage().isEmpty();
      return record
          .withFormat(file.format())
          .withState(isDamaged ? ImportRecord.State.DAMAGED : ImportRecord.State.DONE)
          .withRows(result.rows())
          .withRejected(file.rejections().total())
          .withProblem(isDamaged ? result.damage() : file.rejections().text());
    } catch (UnknownFormatException e) {
      return record.withState(ImportRecord.State.REJECTED).withProblem(e.getMessage());
    }
  }

  /** Stops importing; the next start resumes. */
  @Override
  public void close() {
    closing = true;
    FlowImport now = current;
    if (now != null) {
      now.stop();
    }
    Worker.awaitEnd(thread); // not interrupted: that would close channels of the store
  }
}

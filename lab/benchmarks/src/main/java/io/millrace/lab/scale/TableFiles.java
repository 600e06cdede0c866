package io.millrace.lab.scale;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.lab.topn.WeekOfFlows;
import io.millrace.store.Store;
import io.millrace.store.StoreConfig;
import io.millrace.store.duckdb.DuckDbStore;
import io.millrace.store.rollup.RollupConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.ByteBuffers;

/**
 * Measures a flow table's metadata by its number of files: its size, and the processor time of a
 * commit and of planning a query. The files cover a week and have the statistics of a real one;
 * only their metadata exist, in memory.
 */
final class TableFiles {
  private static final long HOUR_MICROS = 3_600_000_000L;
  private static final int HOURS = 168;
  private static final int DAY_HOURS = 24;
  private static final int SAMPLE_ROWS = 100_000;
  private static final int FILES_OF_COMMIT = 1_000;
  private static final int ROUNDS = 5;
  private static final int WARM_UP = 3;
  private static final int COMMITS = 5;
  private static final int PASSES_OF_FILES = 10_000;
  private static final int VARIED_BYTES = 2;
  private static final String TIME = "time";

  private final SplittableRandom random = new SplittableRandom(1);
  private final BenchContext context;

  TableFiles(BenchContext context) {
    this.context = context;
  }

  /**
   * Result for one number of files.
   *
   * @param commitMillis processor time of a commit that adds a file
   * @param planDayMillis processor time of finding the files of a day
   * @param planWeekMillis processor time of finding all files
   * @param filesOfDay files that may have rows of the day
   * @param manifestBytes bytes per file in manifests
   * @param snapshotBytes bytes per snapshot in the metadata file
   * @param metadataBytes size of the metadata file
   */
  record Outcome(
      double commitMillis,
      double planDayMillis,
      double planWeekMillis,
      int filesOfDay,
      double manifestBytes,
      double snapshotBytes,
      long metadataBytes) {}

  Outcome run(int files) throws Exception {
    TableMetadata stored = stored();
    DataFile model = file(stored);
    try (InMemoryCatalog catalog = new InMemoryCatalog()) {
      catalog.initialize("lake", Map.of());
      catalog.createNamespace(Namespace.of("millrace"));
      Table table =
          catalog
              .buildTable(TableIdentifier.of("millrace", Store.FLOWS), stored.schema())
              .withPartitionSpec(stored.spec())
              .create();
      int made = 0;
      while (made < files) {
        AppendFiles append = table.newAppend();
        int end = Math.min(files, made + FILES_OF_COMMIT);
        for (; made < end; made++) {
          append.appendFile(like(model, table, made, files));
        }
        append.commit();
      }
      return measure(table, model, files);
    }
  }

  private Outcome measure(Table table, DataFile model, int files) {
    int passes = Math.max(1, PASSES_OF_FILES / files);
    int before = metadataBytes(table);
    int[] extra = {0};
    double commit =
        millis(
            COMMITS,
            () -> {
              AppendFiles append = table.newAppend();
              append.appendFile(like(model, table, files - 1, files, "more" + extra[0]++));
              append.commit();
              return 1;
            });
    double snapshotBytes = (double) (metadataBytes(table) - before) / extra[0];
    long dayMicros = WeekOfFlows.START_MICROS + 3L * DAY_HOURS * HOUR_MICROS;
    int[] found = {0};
    double day =
        millis(
            passes,
            () ->
                found[0] =
                    plan(
                        table
                            .newScan()
                            .filter(Expressions.greaterThanOrEqual(TIME, dayMicros))
                            .filter(
                                Expressions.lessThan(TIME, dayMicros + DAY_HOURS * HOUR_MICROS))));
    double week = millis(passes, () -> plan(table.newScan()));
    WrongResultException.check("files", files + extra[0], plan(table.newScan()));
    long manifests =
        table.currentSnapshot().allManifests(table.io()).stream()
            .mapToLong(ManifestFile::length)
            .sum();
    return new Outcome(
        commit,
        day,
        week,
        found[0],
        (double) manifests / (files + extra[0]),
        snapshotBytes,
        metadataBytes(table));
  }

  private static int plan(TableScan scan) {
    int files = 0;
    try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
      for (FileScanTask task : tasks) {
        files += task.length() > 0 ? 1 : 0;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  private static int metadataBytes(Table table) {
    return TableMetadataParser.toJson(((HasTableOperations) table).operations().current()).length();
  }

  /** Returns the median processor time of a pass, over all threads. */
  private static double millis(int passes, LongSupplier work) {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return BenchContext.median(
        WARM_UP,
        ROUNDS,
        () -> {
          long start = system.getProcessCpuTime();
          for (int i = 0; i < passes; i++) {
            if (work.getAsLong() < 1) {
              throw new WrongResultException("no files found");
            }
          }
          return (system.getProcessCpuTime() - start) / 1e6 / passes;
        });
  }

  // ---- one file as the store writes it

  private TableMetadata stored() throws Exception {
    Path directory = context.directory().resolve("store");
    RollupConfig none = RollupConfig.DEFAULT.withEnabled(false).withSamples(false);
    Path metadata = directory.resolve("tables").resolve(Store.FLOWS).resolve("metadata");
    if (!Files.exists(metadata)) {
      context.progress().accept("storing a file");
      try (DuckDbStore store = new DuckDbStore(directory, StoreConfig.defaults(), none)) {
        new WeekOfFlows(SAMPLE_ROWS, WeekOfFlows.START_MICROS, HOUR_MICROS)
            .write(store.table(Store.FLOWS, WeekOfFlows.SCHEMA));
      }
    }
    String version = Files.readString(metadata.resolve("version-hint.text")).strip();
    Path json = metadata.resolve("v" + version + ".metadata.json");
    return TableMetadataParser.fromJson(json.toString(), Files.readString(json));
  }

  private static DataFile file(TableMetadata stored) throws IOException {
    FileIO io = new ReadOnlyFiles();
    ManifestFile manifest = stored.currentSnapshot().allManifests(io).get(0);
    try (ManifestReader<DataFile> files = ManifestFiles.read(manifest, io, stored.specsById())) {
      return files.iterator().next().copy();
    }
  }

  private DataFile like(DataFile model, Table table, int number, int files) {
    return like(model, table, number, files, Integer.toString(number));
  }

  /** Returns a copy of the model with another name and time, and varied statistics. */
  private DataFile like(DataFile model, Table table, int number, int files, String name) {
    long length = HOURS * HOUR_MICROS;
    long from = WeekOfFlows.START_MICROS + (long) ((double) number / files * length);
    int hour = (int) (from / HOUR_MICROS);
    long to = Math.min(from + length / files, (hour + 1) * HOUR_MICROS - 1);
    Types.NestedField time = table.schema().findField(TIME);
    Map<Integer, ByteBuffer> least = varied(model.lowerBounds());
    Map<Integer, ByteBuffer> greatest = varied(model.upperBounds());
    Map<Integer, Long> sizes = new HashMap<>(model.columnSizes());
    sizes.replaceAll((column, size) -> size + random.nextLong(1 + size / 4));
    least.put(time.fieldId(), Conversions.toByteBuffer(time.type(), from));
    greatest.put(time.fieldId(), Conversions.toByteBuffer(time.type(), to));
    PartitionData partition = new PartitionData(table.spec().partitionType());
    partition.set(0, hour);
    return DataFiles.builder(table.spec())
        .withPath(model.location().replaceFirst("[^/]*$", name + ".parquet"))
        .withFormat(model.format())
        .withFileSizeInBytes(model.fileSizeInBytes())
        .withPartition(partition)
        .withMetrics(
            new Metrics(
                model.recordCount(),
                sizes,
                model.valueCounts(),
                model.nullValueCounts(),
                model.nanValueCounts(),
                least,
                greatest))
        .build();
  }

  /** Varies the low bytes of bounds, since equal bounds would compress too well in manifests. */
  private Map<Integer, ByteBuffer> varied(Map<Integer, ByteBuffer> bounds) {
    Map<Integer, ByteBuffer> varied = new HashMap<>();
    bounds.forEach(
        (column, bound) -> {
          byte[] bytes = ByteBuffers.toByteArray(bound).clone();
          for (int i = 0; i < Math.min(VARIED_BYTES, bytes.length - 1); i++) {
            bytes[bytes.length > Long.BYTES ? bytes.length - 1 - i : i] = (byte) random.nextInt();
          }
          varied.put(column, ByteBuffer.wrap(bytes));
        });
    return varied;
  }

  /** Local files, read-only. */
  private static final class ReadOnlyFiles implements FileIO {
    private static final long serialVersionUID = 1L;

    @Override
    public InputFile newInputFile(String location) {
      return org.apache.iceberg.Files.localInput(location.replaceFirst("^file://", ""));
    }

    @Override
    public OutputFile newOutputFile(String location) {
      throw new UnsupportedOperationException(location);
    }

    @Override
    public void deleteFile(String location) {
      throw new UnsupportedOperationException(location);
    }
  }
}

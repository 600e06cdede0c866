package io.millrace.datasets.keyvalue;

import io.millrace.datasets.Columns;
import io.millrace.datasets.Columns.Role;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.csv.AddressReader;
import io.millrace.datasets.csv.CsvReader;
import io.millrace.datasets.csv.Faults;
import io.millrace.datasets.csv.LineFault;
import io.millrace.datasets.csv.Utf8;
import io.millrace.wire.block.Addresses;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipException;

/**
 * Builds the file of a {@link KeyValueDataset} from CSV files of any size by external sorting:
 * sorted runs that fit into memory are written to disk and merged. The last line of an address
 * wins, in the order of files and lines.
 *
 * <p>The complete and synchronised target replaces an older one atomically. An interrupted build
 * leaves the older file unchanged; the next build of the same target deletes its leftovers. Used
 * once, by one thread.
 */
public final class KeyValueBuilder {
  /** Default memory for sorting. */
  public static final long DEFAULT_MEMORY_BYTES = 256L << 20;

  private static final long MIN_MEMORY_BYTES = 1 << 14;
  private static final long PROGRESS_RECORDS = 1 << 16;

  private final Path target;
  private final Columns columns;
  private final int addressColumn;
  private final int textColumn;
  private final boolean withDomains;
  private boolean lenient;
  private long memoryBytes = DEFAULT_MEMORY_BYTES;
  private Progress progress = (stage, records, done, total) -> {};

  private final AddressReader address = new AddressReader();
  private final List<Path> runs = new ArrayList<>();
  private Faults faults;
  private long records;
  private long duplicates;

  /** Stage of a build. */
  public enum Stage {
    /** Reads the input: done and total are its bytes. */
    READ,
    /** Merges the runs: done and total are names. */
    MERGE
  }

  /** Progress listener, called periodically on the build's thread. */
  public interface Progress {
    /**
     * Reports progress.
     *
     * @param stage current stage
     * @param records names read, or written, so far
     * @param done of the total
     * @param total bytes or names
     */
    void progress(Stage stage, long records, long done, long total);
  }

  /**
   * Result of a build: {@code records = names + duplicates}; skipped lines are not included.
   *
   * @param records valid lines read
   * @param names names in the file
   * @param duplicates lines whose address occurs again later
   * @param faults skipped lines
   * @param fileBytes length of the file
   */
  public record Result(long records, long names, long duplicates, Faults faults, long fileBytes) {}

  /**
   * Creates a build.
   *
   * @param target output file
   * @param columns columns of the input: {@code ip}, one text field, and unused ones; with a
   *     derived field, the file also holds the domains
   */
  public KeyValueBuilder(Path target, Columns columns) {
    this.target = target;
    this.columns = columns;
    addressColumn = columns.indexOf(Role.IP);
    textColumn = columns.indexOf(Role.FIELD);
    withDomains = columns.fields().size() > 1;
    if (addressColumn < 0 || columns.ownFields().size() != 1 || !columns.fields().get(0).isText()) {
      throw new IllegalArgumentException(columns + " must have ip and exactly one NAME:text");
    }
  }

  /** Skips and counts invalid lines instead of rejecting the input. */
  public KeyValueBuilder lenient(boolean value) {
    lenient = value;
    return this;
  }

  /**
   * Sets the memory for sorting, in bytes. Filter and indexes take another 1.4 bytes per name, and
   * domains about 30 bytes each.
   */
  public KeyValueBuilder memoryBytes(long bytes) {
    if (bytes < MIN_MEMORY_BYTES) {
      throw new IllegalArgumentException(
          "memory for sorting: " + bytes + " bytes, expected at least " + MIN_MEMORY_BYTES);
    }
    memoryBytes = bytes;
    return this;
  }

  /** Sets the progress listener. */
  public KeyValueBuilder progress(Progress listener) {
    progress = listener;
    return this;
  }

  /**
   * Builds the file.
   *
   * @throws DatasetException for an invalid line, unless lenient, and if the same target is being
   *     built
   * @throws IOException if a file cannot be read or written
   */
  public Result build(List<Path> inputs) throws IOException {
    faults = new Faults(lenient);
    try (BuildDirectory directory = BuildDirectory.of(target)) {
      sort(inputs, directory);
      Path file = directory.file("data");
      long names = merge(file, directory);
      directory.publish(file, target);
      return new Result(records, names, duplicates, faults, Files.size(target));
    }
  }

  private void sort(List<Path> inputs, BuildDirectory directory) throws IOException {
    long total = 0;
    for (Path input : inputs) {
      total += Files.size(input);
    }
    RunBuffer buffer = new RunBuffer(memoryBytes);
    long before = 0;
    for (Path input : inputs) {
      try (CsvReader csv = CsvReader.open(input)) {
        boolean first = true;
        while (csv.next()) {
          boolean header = first && isHeader(csv);
          first = false;
          if (header || !isSound(csv, input)) {
            continue;
          }
          offer(csv, buffer, directory);
          if (++records % PROGRESS_RECORDS == 0) {
            progress.progress(Stage.READ, records, before + csv.bytesRead(), total);
          }
        }
        before += csv.bytesRead();
      } catch (EOFException | ZipException e) {
        throw new DatasetException(input, "gzip data corrupt or truncated: " + e.getMessage());
      }
    }
    spill(buffer, directory);
    progress.progress(Stage.READ, records, before, total);
  }

  private void offer(CsvReader csv, RunBuffer buffer, BuildDirectory directory) throws IOException {
    int start = csv.start(textColumn);
    int length = csv.end(textColumn) - start;
    if (!buffer.offer(address.high(), address.low(), csv.bytes(), start, length)) {
      spill(buffer, directory);
      if (!buffer.offer(address.high(), address.low(), csv.bytes(), start, length)) {
        throw new IllegalStateException("a single name exceeds " + memoryBytes + " bytes");
      }
    }
  }

  private void spill(RunBuffer buffer, BuildDirectory directory) throws IOException {
    if (!buffer.isEmpty()) {
      Path run = directory.file("run-" + runs.size());
      duplicates += buffer.spill(run);
      runs.add(run);
    }
  }

  private boolean isHeader(CsvReader csv) {
    if (csv.fields() <= addressColumn || csv.start(addressColumn) == csv.end(addressColumn)) {
      return false;
    }
    String text = csv.text(addressColumn);
    return Character.isLetter(text.charAt(0)) && text.indexOf('.') < 0 && text.indexOf(':') < 0;
  }

  private boolean isSound(CsvReader csv, Path input) throws IOException {
    if (csv.fault() != null) {
      return leaveOut(LineFault.QUOTING, csv, input, csv.fault());
    }
    if (csv.fields() != columns.roles().size()) {
      return leaveOut(
          LineFault.COLUMNS, csv, input, csv.fields() + " columns; expected " + columns);
    }
    if (!address.parse(csv.bytes(), csv.start(addressColumn), csv.end(addressColumn))
        || Addresses.isNull(address.high(), address.low())) {
      return leaveOut(
          LineFault.ADDRESS,
          csv,
          input,
          "\"" + csv.text(addressColumn) + "\" is not a host address");
    }
    int start = csv.start(textColumn);
    int end = csv.end(textColumn);
    if (start == end || end - start > NameBlocks.MAX_TEXT) {
      return leaveOut(
          LineFault.TEXT,
          csv,
          input,
          "text of " + (end - start) + " bytes, expected 1 to " + NameBlocks.MAX_TEXT);
    }
    return Utf8.isValid(csv.bytes(), start, end)
        || leaveOut(LineFault.TEXT, csv, input, "text is not UTF-8");
  }

  private boolean leaveOut(LineFault kind, CsvReader csv, Path input, String what)
      throws IOException {
    faults.add(kind, input, csv.line(), what);
    return false;
  }

  private long merge(Path file, BuildDirectory directory) throws IOException {
    long total = records - duplicates;
    try (KeyValueWriter writer = new KeyValueWriter(file, directory, withDomains);
        RunMerge merge = new RunMerge(runs, memoryBytes)) {
      long lastHigh = Addresses.NULL;
      long lastLow = Addresses.NULL;
      for (RunReader next = merge.peek(); next != null; next = merge.peek()) {
        if (next.high() == lastHigh && next.low() == lastLow) {
          duplicates++;
        } else {
          lastHigh = next.high();
          lastLow = next.low();
          writer.add(next.isV4(), lastHigh, lastLow, next.bytes(), next.offset(), next.length());
          if (writer.texts() > KeyValueLayout.MAX_KEYS) {
            throw new DatasetException(
                target,
                "more than " + KeyValueLayout.MAX_KEYS + " names and domains; split the data set");
          }
          if (writer.keys() % PROGRESS_RECORDS == 0) {
            progress.progress(Stage.MERGE, writer.keys(), writer.keys(), total);
          }
        }
        merge.advance();
      }
      writer.finish();
      progress.progress(Stage.MERGE, writer.keys(), total, total);
      return writer.keys();
    }
  }
}

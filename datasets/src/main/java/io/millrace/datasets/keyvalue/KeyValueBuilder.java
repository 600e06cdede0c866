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
 * Builds the file of a {@link KeyValueDataset} from CSV files of any size, sorted or not: as much
 * as memory allows is sorted and set aside as a run, then all runs are merged. Where an address
 * comes more than once, the last one in the order of files and lines counts.
 *
 * <p>The target appears when it is complete and on the disk, all at once, in place of an older one;
 * a build that ends before that leaves the older one alone, and what it leaves behind is cleared
 * away by the next build of the same target. Used once, by one thread.
 */
public final class KeyValueBuilder {
  /** Memory for sorting, unless said otherwise. */
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

  /** What a build is at. */
  public enum Stage {
    /** Reads the input: done and total are bytes of it. */
    READ,
    /** Merges what was read: done and total are names. */
    MERGE
  }

  /** Told every now and then how far a build is, on its thread. */
  public interface Progress {
    /**
     * Takes note.
     *
     * @param stage what is being done
     * @param records names read, or written, so far
     * @param done of the total
     * @param total bytes or names
     */
    void progress(Stage stage, long records, long done, long total);
  }

  /**
   * What came of a build: {@code records = names + duplicates}, lines that were left out apart.
   *
   * @param records sound lines that were read
   * @param names names in the file
   * @param duplicates lines whose address came again later
   * @param faults lines that were left out
   * @param fileBytes length of the file
   */
  public record Result(long records, long names, long duplicates, Faults faults, long fileBytes) {}

  /**
   * A build.
   *
   * @param target the file to be made
   * @param columns what the columns of the input are: {@code ip}, one field of texts, and others
   *     that are not used; with a field of domains, the file gets them too
   */
  public KeyValueBuilder(Path target, Columns columns) {
    this.target = target;
    this.columns = columns;
    addressColumn = columns.indexOf(Role.IP);
    textColumn = columns.indexOf(Role.FIELD);
    withDomains = columns.fields().size() > 1;
    if (addressColumn < 0 || columns.ownFields().size() != 1 || !columns.fields().get(0).isText()) {
      throw new IllegalArgumentException(columns + " must be ip and one NAME:text");
    }
  }

  /** Leaves bad lines out and counts them, instead of refusing the input. */
  public KeyValueBuilder lenient(boolean value) {
    lenient = value;
    return this;
  }

  /**
   * Memory for sorting, in bytes; filter and indexes, 1.4 bytes a name, come on top, and the
   * domains, about 30 bytes each.
   */
  public KeyValueBuilder memoryBytes(long bytes) {
    if (bytes < MIN_MEMORY_BYTES) {
      throw new IllegalArgumentException(
          "memory for sorting: " + bytes + " is less than " + MIN_MEMORY_BYTES + " bytes");
    }
    memoryBytes = bytes;
    return this;
  }

  /** Whom to tell how far it is. */
  public KeyValueBuilder progress(Progress listener) {
    progress = listener;
    return this;
  }

  /**
   * Builds.
   *
   * @throws DatasetException for a bad line, unless lenient, and if the same target is being built
   * @throws IOException if something cannot be read or written
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
        throw new DatasetException(input, "the gzip data is broken or cut off: " + e.getMessage());
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
        throw new IllegalStateException("a single name does not fit in " + memoryBytes + " bytes");
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
          LineFault.COLUMNS, csv, input, csv.fields() + " columns; " + columns + " are declared");
    }
    if (!address.parse(csv.bytes(), csv.start(addressColumn), csv.end(addressColumn))
        || Addresses.isNull(address.high(), address.low())) {
      return leaveOut(
          LineFault.ADDRESS,
          csv,
          input,
          "\"" + csv.text(addressColumn) + "\" is not the address of a host");
    }
    int start = csv.start(textColumn);
    int end = csv.end(textColumn);
    if (start == end || end - start > NameBlocks.MAX_TEXT) {
      return leaveOut(
          LineFault.TEXT,
          csv,
          input,
          "the text has " + (end - start) + " bytes, not 1 to " + NameBlocks.MAX_TEXT);
    }
    return Utf8.isValid(csv.bytes(), start, end)
        || leaveOut(LineFault.TEXT, csv, input, "the text is not UTF-8");
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
                target, "more than " + KeyValueLayout.MAX_KEYS + " names and domains; divide them");
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

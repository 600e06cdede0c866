package io.millrace.datasets.range;

import io.millrace.datasets.Columns;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.Fingerprint;
import io.millrace.datasets.csv.CsvReader;
import io.millrace.datasets.csv.Faults;
import io.millrace.datasets.csv.LineFault;
import io.millrace.datasets.mmdb.MmdbFile;
import io.millrace.datasets.yaml.YamlRows;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipException;

/** Loads CSV, YAML or MMDB files of ranges into a {@link HeapRangeTable}. */
public final class RangeLoader {
  private final List<Path> files;
  private final Columns columns;
  private final Faults faults;
  private final Records records;
  private final Ranges ranges = new Ranges();

  private RangeLoader(List<Path> files, Columns columns, boolean lenient) {
    this.files = files;
    this.columns = columns;
    this.faults = new Faults(lenient);
    this.records = new Records(columns.fields());
  }

  /**
   * Result of loading.
   *
   * @param table the data set
   * @param ranges number of its ranges
   * @param faults skipped lines
   */
  public record LoadedRanges(HeapRangeTable table, long ranges, Faults faults) {}

  /**
   * Loads a data set from one or more files, such as one for IPv4 and one for IPv6.
   *
   * <p>Of nested ranges, the innermost applies. Ranges that overlap otherwise, and duplicates, are
   * faults.
   *
   * @param lenient whether to skip and count invalid lines; of overlapping ranges the one that
   *     starts later is skipped
   * @throws DatasetException for an invalid line, unless lenient, with file, line and fault
   * @throws IOException if a file cannot be read
   */
  public static LoadedRanges load(String name, List<Path> files, Columns columns, boolean lenient)
      throws IOException {
    RangeLoader loader = new RangeLoader(files, columns, lenient);
    for (int i = 0; i < files.size(); i++) {
      if (MmdbFile.isNamedSo(files.get(i))) {
        loader.readMmdb(i);
      } else {
        loader.read(i);
      }
    }
    return loader.build(name);
  }

  private void read(int file) throws IOException {
    Path path = files.get(file);
    RangeRow row = new RangeRow(columns, records);
    try (CsvReader csv = RangeRow.open(path, columns)) {
      boolean first = !YamlRows.isNamedSo(path);
      while (csv.next()) {
        if (first && row.isHeader(csv)) {
          first = false;
          continue;
        }
        first = false;
        if (row.read(csv)) {
          ranges.add(
              row.startHigh(),
              row.startLow(),
              row.endHigh(),
              row.endLow(),
              records.record(row.values()),
              file,
              csv.line());
        } else {
          faults.add(row.fault(), path, csv.line(), row.what());
        }
      }
    } catch (EOFException | ZipException e) {
      throw new DatasetException(path, "gzip data corrupt or truncated: " + e.getMessage());
    }
  }

  /** Reads an MMDB file. In a number field, values other than 0 to 2³²−2 are unknown. */
  private void readMmdb(int file) throws IOException {
    int[] row = new int[columns.fields().size()];
    long[] networks = new long[1];
    MmdbFile.read(
        files.get(file),
        columns.fields(),
        (startHigh, startLow, endHigh, endLow, values) -> {
          for (int field = 0; field < row.length; field++) {
            row[field] = value(field, values[field]);
          }
          int record = records.record(row);
          ranges.add(startHigh, startLow, endHigh, endLow, record, file, ++networks[0]);
        });
  }

  private int value(int field, Object value) {
    if (columns.fields().get(field).isText()) {
      byte[] text = value == null ? null : value.toString().getBytes(StandardCharsets.UTF_8);
      return text == null ? Dataset.UNKNOWN : records.texts(field).ordinal(text, 0, text.length);
    }
    boolean fits = value instanceof Number number && number.longValue() >>> Integer.SIZE == 0;
    return fits ? ((Number) value).intValue() : Dataset.UNKNOWN;
  }

  private LoadedRanges build(String name) throws IOException {
    NestedSteps steps = new NestedSteps(ranges);
    Fingerprint fingerprint = new Fingerprint();
    int kept = 0;
    for (int i : ranges.sorted()) {
      int crossed = steps.add(i);
      if (crossed >= 0) {
        faults.add(
            LineFault.OVERLAPPING, files.get(ranges.file(i)), ranges.line(i), overlap(i, crossed));
        continue;
      }
      fingerprint.add(ranges.startHigh(i));
      fingerprint.add(ranges.startLow(i));
      fingerprint.add(ranges.endHigh(i));
      fingerprint.add(ranges.endLow(i));
      fingerprint.add(ranges.record(i));
      kept++;
    }
    steps.finish();
    records.trim();
    records.addTo(fingerprint);
    return new LoadedRanges(
        new HeapRangeTable(name, records, kept, steps, fingerprint.value()), kept, faults);
  }

  private String overlap(int i, int before) {
    return ranges.text(i)
        + (ranges.isSame(i, before) ? " duplicates " : " overlaps ")
        + (ranges.isSame(i, before) ? "" : ranges.text(before) + " of ")
        + files.get(ranges.file(before)).getFileName()
        + ":"
        + ranges.line(before);
  }
}

package io.millrace.datasets.range;

import io.millrace.datasets.Columns;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.Fingerprint;
import io.millrace.datasets.csv.CsvReader;
import io.millrace.datasets.csv.Faults;
import io.millrace.datasets.csv.LineFault;
import io.millrace.datasets.yaml.YamlRows;
import io.millrace.wire.block.Addresses;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipException;

/** Loads CSV or YAML files of pairs into a {@link PairTable}. */
public final class PairLoader {
  private PairLoader() {}

  /**
   * Result of loading.
   *
   * @param table the data set
   * @param faults skipped lines
   */
  public record LoadedPairs(PairTable table, Faults faults) {}

  /**
   * Loads a data set from one or more files.
   *
   * @param lenient whether to skip and count invalid lines; the first of equal pairs wins
   * @throws DatasetException for an invalid line, unless lenient, with file, line and fault
   * @throws IOException if a file cannot be read
   */
  public static LoadedPairs load(String name, List<Path> files, Columns columns, boolean lenient)
      throws IOException {
    Faults faults = new Faults(lenient);
    Records records = new Records(columns.fields());
    PairTable table = new PairTable(name, records);
    Fingerprint fingerprint = new Fingerprint();
    for (Path file : files) {
      try (CsvReader csv = RangeRow.open(file, columns)) {
        read(csv, file, new RangeRow(columns, records), records, table, fingerprint, faults);
      } catch (EOFException | ZipException e) {
        throw new DatasetException(file, "gzip data corrupt or truncated: " + e.getMessage());
      }
    }
    records.trim();
    records.addTo(fingerprint);
    table.built(fingerprint.value());
    return new LoadedPairs(table, faults);
  }

  private static void read(
      CsvReader csv,
      Path file,
      RangeRow row,
      Records records,
      PairTable table,
      Fingerprint fingerprint,
      Faults faults)
      throws IOException {
    for (boolean first = !YamlRows.isNamedSo(file); csv.next(); first = false) {
      if (first && row.isHeader(csv)) {
        continue;
      }
      if (!row.read(csv)) {
        faults.add(row.fault(), file, csv.line(), row.what());
        continue;
      }
      int record = records.record(row.values());
      if (table.add(row.startHigh(), row.startLow(), row.number(), record)) {
        fingerprint.add(row.startHigh());
        fingerprint.add(row.startLow());
        fingerprint.add(row.number());
        fingerprint.add(record);
      } else {
        faults.add(
            LineFault.OVERLAPPING,
            file,
            csv.line(),
            "duplicate pair of %s and %s"
                .formatted(
                    Addresses.toText(row.startHigh(), row.startLow()),
                    Integer.toUnsignedString(row.number())));
      }
    }
  }
}

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

/** Loads CSV or YAML files of MAC addresses into a {@link MacTable}. */
public final class MacLoader {
  private final Records records;
  private final MacTable table;
  private final Fingerprint fingerprint = new Fingerprint();
  private final Faults faults;

  private MacLoader(String name, Columns columns, boolean lenient) {
    records = new Records(columns.fields());
    table = new MacTable(name, records);
    faults = new Faults(lenient);
  }

  /**
   * Result of loading.
   *
   * @param table the data set
   * @param faults skipped lines
   */
  public record LoadedMacs(MacTable table, Faults faults) {}

  /**
   * Loads a data set from one or more files.
   *
   * @param lenient whether to skip and count invalid lines; the first of equal keys wins
   * @throws DatasetException for an invalid line, unless lenient, with file, line and fault
   * @throws IOException if a file cannot be read
   */
  public static LoadedMacs load(String name, List<Path> files, Columns columns, boolean lenient)
      throws IOException {
    MacLoader loader = new MacLoader(name, columns, lenient);
    for (Path file : files) {
      try (CsvReader csv = RangeRow.open(file, columns)) {
        loader.read(csv, file, new RangeRow(columns, loader.records));
      } catch (EOFException | ZipException e) {
        throw new DatasetException(file, "gzip data corrupt or truncated: " + e.getMessage());
      }
    }
    loader.records.trim();
    loader.records.addTo(loader.fingerprint);
    loader.table.built(loader.fingerprint.value());
    return new LoadedMacs(loader.table, loader.faults);
  }

  private void read(CsvReader csv, Path file, RangeRow row) throws IOException {
    for (boolean first = !YamlRows.isNamedSo(file); csv.next(); first = false) {
      if (first && row.isHeader(csv)) {
        continue;
      }
      if (!row.read(csv)) {
        faults.add(row.fault(), file, csv.line(), row.what());
        continue;
      }
      int record = records.record(row.values());
      if (table.add(row.mac(), row.startHigh(), row.startLow(), row.number(), record)) {
        fingerprint.add(row.mac());
        fingerprint.add(row.startHigh());
        fingerprint.add(row.startLow());
        fingerprint.add(row.number());
        fingerprint.add(record);
      } else {
        faults.add(LineFault.OVERLAPPING, file, csv.line(), duplicate(row));
      }
    }
  }

  private static String duplicate(RangeRow row) {
    String exporter = Addresses.toText(row.startHigh(), row.startLow());
    return "duplicate key: MAC address %012x%s%s"
        .formatted(
            row.mac(),
            exporter == null ? "" : ", exporter " + exporter,
            row.number() == MacTable.ANY ? "" : ", VLAN " + row.number());
  }
}

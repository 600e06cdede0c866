package io.millrace.datasets.catalog;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetException;
import io.millrace.datasets.csv.Faults;
import io.millrace.datasets.keyvalue.KeyValueDataset;
import io.millrace.datasets.range.IxfLoader;
import io.millrace.datasets.range.MacLoader;
import io.millrace.datasets.range.PairLoader;
import io.millrace.datasets.range.RangeLoader;
import java.io.IOException;
import java.util.function.Consumer;

/** Opens declared data sets. */
public final class Datasets {
  private Datasets() {}

  /**
   * Opens a data set.
   *
   * @param leftOut called once with the skipped lines of a lenient set, if any
   * @throws DatasetException if a file is invalid; the message names file, line and error
   * @throws IOException if a file cannot be read
   */
  public static Dataset open(DatasetConfig config, Consumer<Faults> leftOut) throws IOException {
    return switch (config.kind()) {
      case RANGE -> {
        RangeLoader.LoadedRanges loaded =
            RangeLoader.load(config.name(), config.files(), config.columns(), config.lenient());
        report(loaded.faults(), leftOut);
        yield loaded.table();
      }
      case PAIR -> {
        PairLoader.LoadedPairs loaded =
            PairLoader.load(config.name(), config.files(), config.columns(), config.lenient());
        report(loaded.faults(), leftOut);
        yield loaded.table();
      }
      case KEYVALUE ->
          KeyValueDataset.open(
              config.name(), config.files().get(0), config.columns().fields(), config.hotKeys());
      case MAC ->
          reported(
              MacLoader.load(config.name(), config.files(), config.columns(), config.lenient()),
              leftOut);
      case IXF -> reported(IxfLoader.load(config.name(), config.files()), leftOut);
      case EXPORTER -> new ExporterNumbers(config.name(), config.columns().fields());
    };
  }

  private static Dataset reported(MacLoader.LoadedMacs loaded, Consumer<Faults> leftOut) {
    report(loaded.faults(), leftOut);
    return loaded.table();
  }

  private static void report(Faults faults, Consumer<Faults> leftOut) {
    if (faults.total() > 0) {
      leftOut.accept(faults);
    }
  }

  /**
   * The declaration without derived fields that the built file lacks. Unchanged if the file is
   * unreadable, which opening it will report.
   */
  public static DatasetConfig asBuilt(DatasetConfig config) {
    if (config.columns().ownFields().size() == config.columns().fields().size()) {
      return config;
    }
    try {
      return KeyValueDataset.hasDomains(config.files().get(0)) ? config : config.withoutDerived();
    } catch (IOException e) {
      return config;
    }
  }

  /** Opens a data set without reporting skipped lines. */
  public static Dataset open(DatasetConfig config) throws IOException {
    return open(config, faults -> {});
  }
}

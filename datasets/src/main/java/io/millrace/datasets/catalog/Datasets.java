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

/** Opens data sets as they are declared. */
public final class Datasets {
  private Datasets() {}

  /**
   * Opens a data set.
   *
   * @param leftOut is told, once, which lines of a lenient set were left out, if any were
   * @throws DatasetException if a file is not what it should be: says which, where, and what
   * @throws IOException if a file cannot be read
   */
  public static Dataset open(DatasetConfig config, Consumer<Faults> leftOut) throws IOException {
    return switch (config.kind()) {
      case RANGE -> {
        RangeLoader.LoadedRanges loaded =
            RangeLoader.load(config.name(), config.files(), config.columns(), config.lenient());
        tell(loaded.faults(), leftOut);
        yield loaded.table();
      }
      case PAIR -> {
        PairLoader.LoadedPairs loaded =
            PairLoader.load(config.name(), config.files(), config.columns(), config.lenient());
        tell(loaded.faults(), leftOut);
        yield loaded.table();
      }
      case KEYVALUE ->
          KeyValueDataset.open(
              config.name(), config.files().get(0), config.columns().fields(), config.hotKeys());
      case MAC ->
          told(
              MacLoader.load(config.name(), config.files(), config.columns(), config.lenient()),
              leftOut);
      case IXF -> told(IxfLoader.load(config.name(), config.files()), leftOut);
      case EXPORTER -> new ExporterNumbers(config.name(), config.columns().fields());
    };
  }

  private static Dataset told(MacLoader.LoadedMacs loaded, Consumer<Faults> leftOut) {
    tell(loaded.faults(), leftOut);
    return loaded.table();
  }

  private static void tell(Faults faults, Consumer<Faults> leftOut) {
    if (faults.total() > 0) {
      leftOut.accept(faults);
    }
  }

  /**
   * The declaration without the derived fields that its file lacks, since it was built without
   * them. A file that cannot be read changes nothing: whoever opens it will be told.
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

  /** The same for those who do not ask what was left out. */
  public static Dataset open(DatasetConfig config) throws IOException {
    return open(config, faults -> {});
  }
}

package io.millrace.datasets;

import io.millrace.datasets.keyvalue.KeyValueDataset;
import io.millrace.datasets.range.RangeLoader;
import java.io.IOException;

/** Opens data sets as they are declared. */
public final class Datasets {
  private Datasets() {}

  /**
   * Opens a data set.
   *
   * @throws DatasetException if a file is not what it should be: says which, where, and what
   * @throws IOException if a file cannot be read
   */
  public static Dataset open(DatasetConfig config) throws IOException {
    return switch (config.kind()) {
      case RANGE ->
          RangeLoader.load(config.name(), config.files(), config.columns(), config.lenient())
              .table();
      case KEYVALUE ->
          KeyValueDataset.open(
              config.name(),
              config.files().get(0),
              config.columns().fields().get(0),
              config.hotKeys());
    };
  }
}

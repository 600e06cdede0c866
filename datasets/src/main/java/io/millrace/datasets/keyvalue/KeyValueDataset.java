package io.millrace.datasets.keyvalue;

import io.millrace.datasets.Dataset;
import io.millrace.datasets.Field;
import java.io.IOException;
import java.nio.file.Path;

public abstract class KeyValueDataset implements Dataset {
  public static KeyValueDataset open(String name, Path file, Field field, int hotKeys)
      throws IOException {
    throw new IOException(name + file + field + hotKeys);
  }
}

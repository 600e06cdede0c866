package io.millrace.datasets;

import java.nio.file.Path;

/** Corrupt data in a data set that is already open. */
public final class DatasetCorruptException extends RuntimeException {
  /** Creates an exception for a file. */
  public DatasetCorruptException(Path file, String what) {
    super(file + ": " + what + "; rebuild it");
  }
}

package io.millrace.datasets;

import java.nio.file.Path;

/** A data set that was sound when it was opened, or seemed so, holds bytes that cannot be. */
public final class DatasetCorruptException extends RuntimeException {
  /** Names the file and what was found there. */
  public DatasetCorruptException(Path file, String what) {
    super(file + ": " + what + "; build it again");
  }
}

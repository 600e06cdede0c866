package io.millrace.datasets;

import java.io.IOException;
import java.nio.file.Path;

/** An invalid file of a data set; the message names the file, the line and the error. */
public final class DatasetException extends IOException {
  private final long line;

  /** Creates an exception for a whole file. */
  public DatasetException(Path file, String what) {
    super(file + ": " + what);
    this.line = 0;
  }

  /** Creates an exception for one line, counted from 1. */
  public DatasetException(Path file, long line, String what) {
    super(file + ":" + line + ": " + what);
    this.line = line;
  }

  /** The line, counted from 1; 0 for a whole file. */
  public long line() {
    return line;
  }
}

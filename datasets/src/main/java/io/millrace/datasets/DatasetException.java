package io.millrace.datasets;

import java.io.IOException;
import java.nio.file.Path;

/** A file that is not what a data set needs: says which file, which line, and what is wrong. */
public final class DatasetException extends IOException {
  private final long line;

  /** A fault of a whole file. */
  public DatasetException(Path file, String what) {
    super(file + ": " + what);
    this.line = 0;
  }

  /** A fault of one line, counted from 1. */
  public DatasetException(Path file, long line, String what) {
    super(file + ":" + line + ": " + what);
    this.line = line;
  }

  /** The line, counted from 1; 0 if the fault is not one line's. */
  public long line() {
    return line;
  }
}

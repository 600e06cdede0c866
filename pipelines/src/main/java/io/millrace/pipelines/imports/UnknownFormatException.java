package io.millrace.pipelines.imports;

import java.io.IOException;

/** A file that cannot be imported at all: the message says why, and lists the supported formats. */
public final class UnknownFormatException extends IOException {
  private static final long serialVersionUID = 1;

  UnknownFormatException(String why) {
    super(why);
  }
}

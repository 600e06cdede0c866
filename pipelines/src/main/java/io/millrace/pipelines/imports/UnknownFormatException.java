package io.millrace.pipelines.imports;

import java.io.IOException;

/** The format of a file is not supported; the message says why and lists the supported formats. */
public final class UnknownFormatException extends IOException {
  private static final long serialVersionUID = 1;

  UnknownFormatException(String why) {
    super(why);
  }
}

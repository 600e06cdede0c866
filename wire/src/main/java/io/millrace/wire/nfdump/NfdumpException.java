package io.millrace.wire.nfdump;

import java.io.IOException;

/** Damaged or unsupported nfdump file. The message has the position. */
public final class NfdumpException extends IOException {
  private static final long serialVersionUID = 1;

  NfdumpException(String what) {
    super(what);
  }
}

package io.millrace.wire.nfdump;

import java.io.IOException;

/** A file of nfdump that is damaged, or of a kind that is not read. The message has the place. */
public final class NfdumpException extends IOException {
  private static final long serialVersionUID = 1;

  NfdumpException(String what) {
    super(what);
  }
}

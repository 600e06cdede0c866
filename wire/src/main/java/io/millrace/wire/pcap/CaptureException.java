package io.millrace.wire.pcap;

import java.io.IOException;

/**
 * A capture that is damaged, cut off, or of a format that we do not read. The message says what is
 * wrong, at which byte; packets given before are good.
 */
public final class CaptureException extends IOException {
  private final long position;

  CaptureException(String what, long position) {
    super(what + " (byte " + position + ")");
    this.position = position;
  }

  /** Where in the capture, in bytes from its start; in a gzipped one, of what is inside. */
  long position() {
    return position;
  }
}

package io.millrace.wire.pcap;

import java.io.IOException;

/**
 * Damaged, truncated or unsupported capture. The message has the fault and its position; preceding
 * packets are valid.
 */
public final class CaptureException extends IOException {
  private final long position;

  CaptureException(String what, long position) {
    super(what + " (byte " + position + ")");
    this.position = position;
  }

  /** Position in the capture, in bytes from its start; of the uncompressed data if gzipped. */
  long position() {
    return position;
  }
}

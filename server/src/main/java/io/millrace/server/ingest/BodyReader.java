package io.millrace.server.ingest;

import io.millrace.wire.record.RecordEncoding;

/** Reads what a request or a connection brings. */
@FunctionalInterface
interface BodyReader {
  /**
   * What was decoded; good until this thread decodes again.
   *
   * @param maxUnpackedBytes that compressed blocks may be together, unpacked
   */
  Decoding decode(
      RecordEncoding encoding, byte[] bytes, int offset, int length, int maxUnpackedBytes);
}

package io.millrace.server.ingest;

import io.millrace.wire.record.RecordEncoding;

@FunctionalInterface
interface BodyReader {
  /**
   * Decodes into memory of this thread, valid until its next call.
   *
   * @param maxUnpackedBytes limit of all compressed blocks after decompression
   */
  Decoding decode(
      RecordEncoding encoding, byte[] bytes, int offset, int length, int maxUnpackedBytes);
}

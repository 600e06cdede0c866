package io.millrace.server.ingest;

import io.millrace.wire.record.RecordAttributes;
import io.millrace.wire.record.RecordEncoding;

record BodyReader(RecordFormat format, RecordAttributes attributes) {
  /** Decodes a body or message into memory that this thread reuses. */
  DecodedRecords decode(
      RecordEncoding encoding, byte[] bytes, int offset, int length, int maxUnpackedBytes) {
    DecodedRecords decoded = format.ofThread();
    decoded.decode(encoding, bytes, offset, length, attributes, maxUnpackedBytes);
    return decoded;
  }
}

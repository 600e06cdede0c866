package io.millrace.wire.record;

import java.util.Locale;

/** Encoding of records. */
public enum RecordEncoding {
  /** Objects of RFC 8259: one, an array of them, or consecutive ones. */
  JSON,
  /** Binary, by a published schema. */
  AVRO;

  /** Name in options: {@code json}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package io.millrace.wire.record;

import java.util.Locale;

/** How records are written. */
public enum RecordEncoding {
  /** Objects of RFC 8259: one, an array of them, or one behind the other. */
  JSON,
  /** Binary, by a published schema. */
  AVRO;

  /** As it stands in options: {@code json}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}

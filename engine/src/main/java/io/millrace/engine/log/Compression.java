package io.millrace.engine.log;

import java.util.Locale;

/** Compression of values in the log; a reader needs no setting. */
public enum Compression {
  /** None: least CPU, most disk. */
  NONE,
  /** Fast on both sides; the default. */
  LZ4,
  /** Smaller, for about three times the work of {@link #LZ4}. */
  ZSTD;

  /** Kafka's name, which is also the one in configuration files. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}

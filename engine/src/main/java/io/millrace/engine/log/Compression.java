package io.millrace.engine.log;

import java.util.Locale;

/** How values are packed on their way into the log; a reader needs no setting. */
public enum Compression {
  /** As they are: least work, most disk. */
  NONE,
  /** Fast on both sides; the default. */
  LZ4,
  /** Smaller, for about three times the work of {@link #LZ4}. */
  ZSTD;

  /** Kafka's name, and ours in configuration files. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}

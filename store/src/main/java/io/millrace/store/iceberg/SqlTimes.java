package io.millrace.store.iceberg;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;

/** Parses times in DuckDB's text format, UTC. */
final class SqlTimes {
  private static final DateTimeFormatter FORMAT =
      new DateTimeFormatterBuilder()
          .appendPattern("yyyy-MM-dd HH:mm:ss")
          .appendFraction(ChronoField.MICRO_OF_SECOND, 0, 6, true)
          .toFormatter(java.util.Locale.ROOT);

  private SqlTimes() {}

  /** Microseconds since the epoch. */
  static long micros(String text) {
    return ChronoUnit.MICROS.between(
        LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC), LocalDateTime.parse(text, FORMAT));
  }
}
